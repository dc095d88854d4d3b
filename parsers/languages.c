#include "parsers/languages.h"

#include <assert.h>

/* Debian's older header would compile too, and its library refuses today's grammars. */
#if TREE_SITTER_LANGUAGE_VERSION < 15
#error "tree_sitter/api.h is not the one of parsers/third_party"
#endif

/* Name, files, queries; the name is also the grammar's in parsers/third_party/grammars.txt. What is
 * RULED has no grammar: parsers/source_lines.c reads it. A .h says nothing about C or C++: it
 * counts as C. */
#define LANGUAGES(X, RULED)                                                                        \
    X(bash, ".sh .bash .bats .zsh .ksh .bashrc .profile .zshrc", NULL)                             \
    X(c, ".c .h", NULL)                                                                            \
    X(c_sharp, ".cs .csx", NULL)                                                                   \
    RULED(cmake, "CMakeLists.txt .cmake")                                                          \
    X(cpp, ".cpp .cc .cxx .c++ .hpp .hh .hxx .h++ .ipp .inl .tpp .ixx .cppm .cu .cuh", NULL)       \
    X(css, ".css", NULL)                                                                           \
    X(dart, ".dart", NULL)                                                                         \
    RULED(dockerfile, "Dockerfile Containerfile .dockerfile")                                      \
    X(elixir, ".ex .exs", NULL)                                                                    \
    X(go, ".go", NULL)                                                                             \
    RULED(graphql, ".graphql .gql .graphqls")                                                      \
    X(hcl, ".hcl .tf .tfvars", NULL)                                                               \
    X(html, ".html .htm .xhtml", NULL)                                                             \
    X(java, ".java", NULL)                                                                         \
    X(javascript, ".js .mjs .cjs .jsx", "ecmascript javascript jsx")                               \
    X(json, ".json .jsonc .webmanifest .geojson", NULL)                                            \
    X(kotlin, ".kt .kts", NULL)                                                                    \
    X(lua, ".lua", NULL)                                                                           \
    X(make, "Makefile makefile GNUmakefile .mk .mak", NULL)                                        \
    RULED(markdown, ".md .markdown .mdx")                                                          \
    RULED(perl, ".pl .pm")                                                                         \
    X(php, ".php .phtml .php5", NULL)                                                              \
    X(powershell, ".ps1 .psm1 .psd1", NULL)                                                        \
    RULED(protobuf, ".proto")                                                                      \
    X(python, ".py .pyi .pyw", NULL)                                                               \
    X(r, ".r .R", NULL)                                                                            \
    X(ruby, "Gemfile Rakefile .rb .rake .gemspec .ru", NULL)                                       \
    X(rust, ".rs", NULL)                                                                           \
    X(scala, ".scala .sc .sbt", NULL)                                                              \
    RULED(sql, ".sql .ddl .dml")                                                                   \
    X(swift, ".swift", NULL)                                                                       \
    X(toml, "Cargo.lock poetry.lock uv.lock .toml", NULL)                                          \
    X(tsx, ".tsx", "ecmascript typescript jsx")                                                    \
    X(typescript, ".ts .mts .cts", "ecmascript typescript")                                        \
    X(xml, ".xml .xsd .xsl .xslt .svg .csproj .vbproj .props .targets .plist .pom", NULL)          \
    RULED(yaml, ".clang-format .clang-tidy .yaml .yml")                                            \
    X(zig, ".zig .zon", NULL)

#define DECLARE(name, files, queries) const TSLanguage *tree_sitter_##name(void);
#define DECLARE_NOTHING(name, files)
LANGUAGES(DECLARE, DECLARE_NOTHING)

#define ROW(name, files, queries) {#name, files, tree_sitter_##name, queries},
#define RULED_ROW(name, files) {#name, files, NULL, NULL},
static const struct language languages[] = {LANGUAGES(ROW, RULED_ROW)};

#define COUNT (sizeof(languages) / sizeof(languages[0]))

size_t language_count(void)
{
    return COUNT;
}

const struct language *language_at(size_t i)
{
    assert(i < COUNT);
    return &languages[i];
}

const struct language *language_by_name(str name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (str_eq(name, str_of(languages[i].name)))
            return &languages[i];
    return NULL;
}

static const struct language *language_of_file(str file)
{
    for (size_t i = 0; file.len > 0 && i < COUNT; i++) {
        str rest = str_of(languages[i].files), word;
        while (str_next_word(&rest, &word))
            if (str_eq(word, file))
                return &languages[i];
    }
    return NULL;
}

/* Behind the last `c` of s, or all of it. */
static str behind_last(str s, char c)
{
    size_t from = s.len;
    while (from > 0 && s.at[from - 1] != c)
        from--;
    return str_cut(s, from, s.len);
}

const struct language *language_by_path(str path)
{
    str name = behind_last(path, '/');
    const struct language *whole = language_of_file(name);
    if (whole)
        return whole;

    str extension = behind_last(name, '.');
    if (extension.len == name.len)
        return NULL;
    return language_of_file(str_cut(name, name.len - extension.len - 1, name.len));
}
