#!/usr/bin/env bash
# Every header of ours compiles alone and twice, and opens with a comment on what it is for.
set -euo pipefail
cd "${ENGRAM_SOURCE_DIR:-$(dirname "$0")/..}"

build=${ENGRAM_BUILD_DIR:-build}
flags=(-std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -I .
    -I parsers/third_party/node_modules/tree-sitter/vendor/tree-sitter/lib/include
    -I parsers/third_party/node_modules/better-sqlite3/deps/sqlite3)
for dir in "$build"/embed/*/; do
    flags+=(-I "$dir")
done
read -ra libraries < <(pkg-config --cflags jansson libgit2 libxml-2.0 libzip libcurl)

failed=0
while IFS= read -r header; do
    if ! printf '#include "%s"\n' "$header" "$header" |
        ${CC:-cc} "${flags[@]}" "${libraries[@]}" -x c -; then
        echo "$header: does not compile alone"
        failed=1
    fi
    [[ $(head -c 3 "$header") == '/* ' ]] || { echo "$header:1: no opening comment" && failed=1; }
done < <(find memory tools server parsers -name third_party -prune -o -name '*.h' -print)
exit $failed
