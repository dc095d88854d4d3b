/* A source or configuration file attached as a document: windows of lines, cut where a blank line
 * or little indent is. Symbols are found by the index of the code, not here. */
#include "parsers/document.h"
#include "parsers/languages.h"

/* What is worth cutting by lines and has no grammar here. */
static const struct {
    const char *name, *files;
} more_languages[] = {
    {"ada", ".adb .ads"},
    {"assembly", ".s .asm .S"},
    {"batch", ".bat .cmd"},
    {"clojure", ".clj .cljs .cljc .edn"},
    {"diff", ".diff .patch"},
    {"elm", ".elm"},
    {"erlang", ".erl .hrl"},
    {"fortran", ".f .f90 .f95 .for"},
    {"fsharp", ".fs .fsx .fsi"},
    {"glsl", ".glsl .vert .frag .comp"},
    {"groovy", ".groovy .gradle Jenkinsfile"},
    {"haskell", ".hs .lhs"},
    {"ini", ".ini .cfg .conf .properties .editorconfig .gitconfig .env"},
    {"julia", ".jl"},
    {"latex", ".tex .sty .bib"},
    {"lisp", ".el .lisp .lsp .scm .rkt"},
    {"nim", ".nim"},
    {"nix", ".nix"},
    {"objective_c", ".m .mm"},
    {"ocaml", ".ml .mli"},
    {"pascal", ".pas .pp"},
    {"prisma", ".prisma"},
    {"svelte", ".svelte"},
    {"tcl", ".tcl"},
    {"thrift", ".thrift"},
    {"verilog", ".v .sv .svh"},
    {"vhdl", ".vhd .vhdl"},
    {"vim", ".vim .vimrc"},
    {"visual_basic", ".vb .vbs .bas"},
    {"vue", ".vue"},
};

/* NULL where the name tells none. */
static const char *language_of(str name)
{
    str file = document_file_name(name);
    const struct language *known = language_by_path(file);
    if (known)
        return known->name;
    for (size_t i = 0; i < sizeof more_languages / sizeof *more_languages; i++)
        if (document_name_ends(file, str_of(more_languages[i].files)))
            return more_languages[i].name;
    return NULL;
}

bool source_by_name(str name)
{
    return language_of(name) != NULL;
}

bool source_sniff(str name, const struct lines *l)
{
    str file = document_file_name(name);
    bool dotfile = file.len > 1 && file.at[0] == '.';
    return dotfile || str_starts(l->text, S("#!"));
}

/* All lines as one block of code, without the blank ones at both ends. */
static void add_all_lines(const struct lines *l, struct outline *o)
{
    size_t first = 0, end = l->count;
    while (first < end && line_is_blank(l, first))
        first++;
    while (end > first && line_is_blank(l, end - 1))
        end--;
    if (first < end)
        outline_add(o, (struct block){.first = (uint32_t)first,
                                      .last = (uint32_t)end - 1,
                                      .kind = BLOCK_CODE,
                                      .depth = 1});
}

bool document_source(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    const char *language = language_of(d->name);
    if (language)
        out->media_type = arena_printf(a, "text/x-%s", language);
    bool is_api = false;
    if (document_name_ends(d->name, S(".json")) && !document_api(a, d, &is_api, out, e))
        return false;
    if (is_api)
        return true;
    out->title = document_file_name(d->name);
    struct outline o = {0};
    add_all_lines(&d->lines, &o);
    bool ok = passages_cut(a, &d->lines, &o, out, e);
    outline_free(&o);
    return ok;
}
