# cmake -D FILES=a;b -D ROOT=source-tree -D OUT=path-without-suffix -P embed_write.cmake
# Writes OUT.h and OUT.c; see embed.cmake for what is in them.
get_filename_component(table ${OUT} NAME)
set(declarations "")
set(definitions "")
set(rows "")
list(LENGTH FILES count)
foreach(file IN LISTS FILES)
    file(RELATIVE_PATH path ${ROOT} ${file})
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" symbol "embed_${path}")
    file(READ ${file} bytes HEX)
    string(LENGTH "${bytes}" size)
    math(EXPR size "${size} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND declarations "extern const char ${symbol}[];\nextern const size_t ${symbol}_size;\n")
    string(APPEND definitions "const char ${symbol}[] = {${bytes}0};\nconst size_t ${symbol}_size = ${size};\n")
    string(APPEND rows "    {\"${name}\", ${symbol}, ${size}},\n")
endforeach()

string(TOUPPER ${table}_H guard)
file(CONFIGURE OUTPUT ${OUT}.h @ONLY CONTENT [[
/* Generated: files of the source tree as text. */
#ifndef @guard@
#define @guard@

#include <stddef.h>

#ifndef EMBED_FILE
#define EMBED_FILE
struct embed_file {
    const char *name; /* without its folder */
    const char *text; /* ends in NUL */
    size_t size;      /* without the NUL */
};
#endif

@declarations@
extern const struct embed_file @table@_files[]; /* sorted by name; a row of NULLs ends it */
extern const size_t @table@_count;

#endif
]])
file(CONFIGURE OUTPUT ${OUT}.c @ONLY CONTENT [[
#include "@table@.h"

@definitions@
const struct embed_file @table@_files[] = {
@rows@    {NULL, NULL, 0},
};
const size_t @table@_count = @count@;
]])
