#!/usr/bin/env bash
# No name is defined twice in what is linked into one program: which one a program got would hang on
# the order of its libraries.
set -euo pipefail
cd "${ENGRAM_BUILD_DIR:-build}"

# twice ARCHIVE...: names of functions and data that more than one object defines.
twice() {
    nm --defined-only "$@" 2>/dev/null | awk '$2 ~ /^[TDBR]$/ && $3 !~ /^(__|_?asan|\.)/ { print $3 }' | sort | uniq -d
}

# The check itself: two archives with a name in common are told.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
for one in a b; do
    echo "int said_twice(void); int said_twice(void) { return 1; }" | cc -x c -c -o "$copy/$one.o" -
    ar rc "$copy/$one.a" "$copy/$one.o" 2>/dev/null
done
[[ $(twice "$copy/a.a" "$copy/b.a") == said_twice ]] || { echo "self-check: a name that stands twice was not found" && exit 1; }

found=$(twice libengram_*.a)
[[ -z $found ]] || { echo "defined twice:" && echo "$found" && exit 1; }
