#!/usr/bin/env bash
# Who may include whom: our folders in one direction, every foreign header in one home.
# Prints each offending file:line. First plants offences in a copy, to see that it would find them.
set -euo pipefail
cd "${ENGRAM_SOURCE_DIR:-$(dirname "$0")/..}"

# Files, and what of ours they may include; the first row that fits a file counts.
folders='
^memory/base/          ^memory/base/
^memory/               ^(memory/|embed_(sql|prompts)\.h$)
^tools/ingest\.        ^(tools/ingest\.h$|memory/(memory|code|history|facts[a-z_]*)\.h$|memory/base/)
^tools/                ^(tools/|memory/(memory(_review)?|code|text|facts[a-z_]*)\.h$|memory/base/|embed_tools\.h$)
^server/worker/        ^(server/|tools/ingest\.h$|memory/(memory(_(sleep|vectors))?|code|history|models|facts[a-z_]*)\.h$|memory/provider/(http|provider)\.h$|memory/base/|parsers/parsers\.h$)
^server/graph/         ^(server/|memory/(memory_views|facts)\.h$|memory/base/|embed_page[a-z0-9_]*\.h$)
^server/setup/         ^(server/|memory/base/|embed_(instructions|plugin)\.h$)
^server/               ^(server/|tools/|memory/(memory(_(import|review|sleep|vectors|views))?|code|history|models|facts[a-z_]*)\.h$|memory/provider/(http|provider)\.h$|memory/base/)
^parsers/              ^(parsers/|memory/(text|facts[a-z_]*)\.h$|memory/base/|embed_lang\.h$)
'

# What occurs in a line, and the only files where it may.
homes='
<sqlite3                               ^(memory/store|parsers/import_database\.c$)
<curl/                                 ^memory/provider/http\.c$
<(git2|tree_sitter/|libxml/|zip|md4c)  ^parsers/
<(sys/)?time\.h                        ^server/([^/]*|worker/main\.c)$
(^|[^a-z])(secure_)?getenv[(]          ^server/([^/]*|worker/main\.c)$
<(pcre2|xxh|utf8proc|libstemmer)       ^memory/base/
<jansson                               ^(server/|tools/|memory/provider|parsers/(document|import))
'

# offences TREE: one line each, as file:line: what
offences() (
    cd "$1"
    for folder in memory tools server parsers; do
        [[ ! -d $folder ]] || find $folder -name third_party -prune -o -name '*.[ch]' -print
    done | LC_ALL=C sort | xargs -r env FOLDERS="$folders" HOMES="$homes" awk '
        function rows(text, left, right,    line, n, i) {
            n = split(text, line, "\n")
            for (i = 1; i <= n; i++)
                if (split(line[i], cell, " ") == 2) {
                    left[++count[text]] = cell[1]
                    right[count[text]] = cell[2]
                }
            return count[text]
        }
        function offence(why) { print FILENAME ":" FNR ": " $0 "  (" why ")" }
        BEGIN {
            folders = rows(ENVIRON["FOLDERS"], file, allowed)
            homes = rows(ENVIRON["HOMES"], word, home)
        }
        FNR == 1 { for (rule = 1; rule < folders && FILENAME !~ file[rule]; rule++) continue }
        /^[ \t]*#[ \t]*include/ && match($0, /["<][^">]*[">]/) {
            target = substr($0, RSTART + 1, RLENGTH - 2)
            ours = $0 ~ /"/ || target ~ /^(memory|tools|server|parsers|tests)\//
            if (ours && target !~ allowed[rule])
                offence("from here only " allowed[rule])
        }
        {
            for (i = 1; i <= homes; i++)
                if ($0 ~ word[i] && FILENAME !~ home[i])
                    offence("only in " home[i])
        }'
)

# plant FILE LINE: the line must be an offence in that file; plant_good: it must not be.
plant() {
    put "$1" "$2"
    [[ $(offences "$copy") == "$1:2: "* ]] || { echo "self-check: not found: $1: $2" && exit 1; }
    rm "$copy/$1"
}
plant_good() {
    put "$1" "$2"
    [[ -z $(offences "$copy") ]] || { echo "self-check: refused: $1: $2" && exit 1; }
    rm "$copy/$1"
}
put() {
    mkdir -p "$copy/$(dirname "$1")"
    printf '/* text */\n%s\n' "$2" >"$copy/$1"
}

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
plant memory/base/x.c '#include "memory/memory.h"'
plant memory/x.h '#include "tools/tool.h"'
plant memory/x.c '# include <tools/tool.h>'
plant memory/x.c '#include "sqlite3.h"'
plant memory/rank.c '#include <sqlite3.h>'
plant memory/provider/openai.c '#include <curl/curl.h>'
plant memory/ppr.c '#include <time.h>'
plant memory/recall.c '    if (getenv("X"))'
plant memory/lexical.c '#include <utf8proc.h>'
plant memory/graph.c '#include <jansson.h>'
plant tools/ingest.c '#include "tools/tool.h"'
plant tools/ingest.c '#include "parsers/parsers.h"'
plant tools/recall.c '#include "memory/store.h"'
plant tools/recall.c '#include "server/log.h"'
plant parsers/source.c '#include "memory/ppr.h"'
plant parsers/source.c '#include <jansson.h>'
plant parsers/import.c '#include <sqlite3.h>'
plant parsers/commits.c '#include "memory/memory.h"'
plant server/mcp.c '#include "parsers/parsers.h"'
plant server/mcp.c '#include <git2.h>'
plant server/mcp.c '#include "memory/ppr.h"'
plant server/worker/x.c '#include "tools/tool.h"'
plant server/worker/x.c '#include "parsers/languages.h"'
plant server/worker/x.c '#include <time.h>'
plant_good memory/store_search.c '#include <sqlite3.h>'
plant_good memory/provider/http.c '#include <curl/curl.h>'
plant_good memory/provider/openai.c '#include <jansson.h>'
plant_good tools/ingest.c '#include "memory/facts.h"'
plant_good parsers/document_html.c '#include <libxml/HTMLparser.h>'
plant_good parsers/document.c '#include <jansson.h>'
plant_good parsers/import_codex.c '#include <jansson.h>'
plant_good server/main.c '#include <time.h>'
plant_good server/worker/main.c '#include "parsers/parsers.h"'

found=$(offences .)
[[ -z $found ]] || { echo "$found" && exit 1; }
