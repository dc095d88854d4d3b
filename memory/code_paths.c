#include "memory/code_paths.h"

#include <string.h>

/* A path is of the kind where it holds one of these; a blank between two. */
static const struct {
    unsigned kind;
    const char *parts;
} kinds[] = {
    {PATH_TEST, "test/ tests/ test_ _test. .test. .spec. _spec. spec/ testing/ __tests__ tests. /t/"
                " testdata"},
    {PATH_TEXT, ".md .rst .txt .adoc docs/ doc/ readme .markdown"},
    {PATH_CHANGE_LOG, "changelog history. changes. news release 00-"},
    {PATH_PACKAGE,
     "package.json cargo.toml go.mod setup.py setup.cfg pyproject.toml version pom.xml"
     " .gemspec"},
    {PATH_CONFIGURATION, ".yml .yaml .toml .json .cfg .ini .github/ makefile cmake .travis"
                         " dockerfile .mk"},
    {PATH_EXAMPLE, "example bench sample demo fixture"},
};

static bool holds(str lower, str parts)
{
    str part;
    while (str_next_word(&parts, &part))
        if (str_find(lower, part, 0) < lower.len)
            return true;
    return false;
}

unsigned path_kinds(str path)
{
    char lower[MAX_PATH_LOOKED];
    unsigned found = 0;
    size_t length = path.len < sizeof lower ? path.len : sizeof lower;
    for (size_t i = 0; i < length; i++) {
        char c = path.at[i];
        lower[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (holds(str_from(lower, length), str_of(kinds[i].parts)))
            found |= kinds[i].kind;
    return found;
}

static str pair_of(str stem)
{
    static const char *const before[] = {"test_", "test-", "t-", "t_"};
    static const char *const behind[] = {"_test", "-test", "_spec", "-spec", "_tests", "Test", "s"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (str_starts(stem, str_of(before[i])))
            return str_cut(stem, strlen(before[i]), stem.len);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        if (stem.len > 4 && str_ends(stem, str_of(behind[i])))
            return str_cut(stem, 0, stem.len - strlen(behind[i]));
    return stem;
}

struct path_names path_names(str path)
{
    str name = str_file_name(path), stem = str_cut(name, 0, str_find_char(name, '.', 1));
    return (struct path_names){.folder = str_cut(path, 0, path.len - name.len),
                               .name = name,
                               .stem = stem,
                               .pair = pair_of(stem)};
}
