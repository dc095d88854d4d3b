# Foreign libraries of the system. The pinned ones are in parsers/third_party.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
foreach(pair pcre2=libpcre2-8 xxhash=libxxhash utf8proc=libutf8proc jansson=jansson git2=libgit2
        xml2=libxml-2.0 zip=libzip md4c=md4c curl=libcurl)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 name)
    list(GET pair 1 package)
    pkg_check_modules(${name} REQUIRED QUIET IMPORTED_TARGET ${package})
endforeach()
pkg_check_modules(cmocka QUIET IMPORTED_TARGET cmocka)

# libstemmer ships no .pc file.
find_library(STEMMER_LIBRARY stemmer REQUIRED)
find_path(STEMMER_INCLUDE_DIR libstemmer.h REQUIRED)
add_library(stemmer UNKNOWN IMPORTED)
set_target_properties(stemmer PROPERTIES
    IMPORTED_LOCATION ${STEMMER_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${STEMMER_INCLUDE_DIR})
