#include "memory/code_modules.h"

#include "memory/base/hash.h"

struct place {
    str parts[MAX_MODULE_PARTS]; /* of the path, without ending and index file */
    uint8_t count;
    uint32_t folder; /* number of its folder */
    bool is_index;
};

struct modules {
    struct arena *a;
    const struct link_file *files;
    size_t count;
    struct place *places;
    struct map by_stem, by_folder; /* last part -> first + 1 */
    uint32_t *next_stem, *next_in_folder;
    struct map folders; /* path -> number */
    struct map known;   /* folder number, module and name -> answer + 1 */
    struct answer {
        struct module_files files;
        bool is_submodule;
    } * answers;
    size_t answer_count, answer_capacity;
};

/* ---- paths ---- */

static size_t split(str path, str *parts)
{
    size_t count = 0, from = 0;
    for (size_t i = 0; i <= path.len; i++)
        if (i == path.len || path.at[i] == '/') {
            if (i > from && count == MAX_MODULE_PARTS) { /* the trailing ones count */
                memmove(parts, parts + 1, (MAX_MODULE_PARTS - 1) * sizeof *parts);
                count--;
            }
            if (i > from)
                parts[count++] = str_cut(path, from, i);
            from = i + 1;
        }
    return count;
}

static bool is_index_stem(str stem)
{
    static const char *const stems[] = {"index", "mod", "__init__", "lib", "main", "init"};
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (str_eq(stem, str_of(stems[i])))
            return true;
    return false;
}

static str without_ending(str name)
{
    size_t dot = str_find_char(name, '.', 1);
    return str_cut(name, 0, dot);
}

static str folder_path(str path)
{
    size_t to = path.len;
    while (to > 0 && path.at[to - 1] != '/')
        to--;
    return str_cut(path, 0, to ? to - 1 : 0);
}

static void put_chain(struct map *m, uint32_t *next, str key, uint32_t at)
{
    int64_t *first = map_put(m, key, 0, NULL);
    next[at] = (uint32_t)*first;
    *first = (int64_t)at + 1;
}

struct modules *modules_build(struct arena *a, const struct link_file *files, size_t count)
{
    struct modules *m = ARENA_NEW(a, struct modules);
    *m = (struct modules){.a = a, .files = files, .count = count};
    m->places = ARENA_ARRAY(a, struct place, count + 1);
    m->next_stem = ARENA_ARRAY(a, uint32_t, count + 1);
    m->next_in_folder = ARENA_ARRAY(a, uint32_t, count + 1);
    for (size_t i = count; i-- > 0;) {
        struct place *p = &m->places[i];
        p->count = (uint8_t)split(files[i].path, p->parts);
        str folder = folder_path(files[i].path);
        p->folder = (uint32_t)*map_put(&m->folders, folder, (int64_t)m->folders.count, NULL);
        if (!p->count)
            continue;
        if (p->count > 1)
            put_chain(&m->by_folder, m->next_in_folder, p->parts[p->count - 2], (uint32_t)i);
        p->parts[p->count - 1] = without_ending(p->parts[p->count - 1]);
        p->is_index = p->count > 1 && is_index_stem(p->parts[p->count - 1]);
        p->count = (uint8_t)(p->count - p->is_index);
        put_chain(&m->by_stem, m->next_stem, p->parts[p->count - 1], (uint32_t)i);
    }
    return m;
}

void modules_free(struct modules *m)
{
    map_free(&m->by_stem);
    map_free(&m->by_folder);
    map_free(&m->folders);
    map_free(&m->known);
}

bool modules_stem_is(const struct modules *m, uint32_t file, str name)
{
    const struct place *p = &m->places[file];
    return p->count && str_eq(p->parts[p->count - 1], name);
}

/* A crate tokio_util is in a folder tokio-util. */
static bool same_package_name(str folder, str name)
{
    bool same = folder.len == name.len;
    for (size_t i = 0; same && i < name.len; i++)
        same = folder.at[i] == name.at[i] || (folder.at[i] == '-' && name.at[i] == '_');
    return same;
}

/* "a/b" of "x/java/a/b/C.java" below "/java/" */
static str folder_below(str path, str root)
{
    str folder = folder_path(path);
    size_t at = str_find(folder, root, 0);
    return at < folder.len ? str_cut(folder, at + root.len, folder.len) : S("");
}

bool modules_exports(const struct modules *m, const struct module_files *from, uint32_t file)
{
    for (size_t i = 0; from && i < from->count; i++) {
        str folder = folder_path(m->files[from->at[i]].path), path = m->files[file].path;
        if (m->places[from->at[i]].is_index && folder.len && path.len > folder.len &&
            str_starts(path, folder) && path.at[folder.len] == '/')
            return true;
    }
    return false;
}

bool modules_is_of(const struct modules *m, uint32_t file, str module)
{
    size_t from = module.len && module.at[0] == '@' ? str_find_char(module, '/', 0) + 1 : 0, to;
    if (from >= module.len || module.at[0] == '.')
        return false;
    for (to = from; to < module.len && module.at[to] != '/' && module.at[to] != '.';)
        to++;
    str root = str_cut(module, from, to);
    const struct place *p = &m->places[file];
    for (size_t i = 0; i < p->count; i++)
        if (same_package_name(p->parts[i], root))
            return true;
    return false;
}

bool modules_same_package(const struct modules *m, uint32_t a, uint32_t b)
{
    static const char *const languages[] = {"go", "java", "kotlin", "swift", "scala", "c", "cpp"};
    static const char *const roots[] = {"/java/", "/kotlin/", "/scala/"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) { /* of sources, and of tests */
        str left = folder_below(m->files[a].path, str_of(roots[i])),
            right = folder_below(m->files[b].path, str_of(roots[i]));
        if (left.len && str_eq(left, right))
            return true;
    }
    if (m->places[a].folder != m->places[b].folder)
        return false;
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (str_eq(m->files[a].language, str_of(languages[i])))
            return true;
    return false;
}

/* ---- names of modules ---- */

struct wanted {
    str parts[MAX_MODULE_PARTS];
    size_t count;
    int up; /* relative: folders above the importing file's; -1: it is not relative */
};

static bool is_file_ending(str part)
{
    static const char endings[] =
        " h hpp hh hxx c cc cpp inc js mjs cjs jsx ts tsx mts cts json css"
        " scss less vue svelte py rb php proto graphql sh lua dart cmake ";
    char key[16];
    if (part.len > 12)
        return false;
    key[0] = ' ';
    memcpy(key + 1, part.at, part.len);
    key[part.len + 1] = ' ';
    str all = str_of(endings);
    return str_find(all, str_from(key, part.len + 2), 0) < all.len;
}

/* "./a/b.js", "../a", "..a.b", "a.b.c", "a::b", "crate.a", "a/b.h" into its parts. */
static void parse(str module, struct wanted *w)
{
    bool slashes = str_find_char(module, '/', 0) < module.len;
    size_t from = 0;
    *w = (struct wanted){.up = -1};
    while (from < module.len && module.at[from] == '.' && !slashes) { /* Python: one is here */
        w->up++;
        from++;
    }
    for (size_t i = from; i <= module.len; i++) {
        char c = i < module.len ? module.at[i] : '/';
        bool ends = c == '/' || c == '\\' || c == ':' || (c == '.' && !slashes);
        if (!ends)
            continue;
        str part = str_cut(module, from, i);
        from = i + 1;
        if (str_eq(part, S(".")) || str_eq(part, S("self")))
            w->up = w->up < 0 ? 0 : w->up;
        else if (str_eq(part, S("..")) || str_eq(part, S("super")))
            w->up = (w->up < 0 ? 0 : w->up) + 1;
        else if (part.len && !str_eq(part, S("crate")) && w->count < MAX_MODULE_PARTS)
            w->parts[w->count++] = part;
    }
    if (!w->count)
        return;
    str *last = &w->parts[w->count - 1];
    if (w->count > 1 && !slashes && is_file_ending(*last))
        w->count--;
    else if (slashes) {
        size_t dot = str_find_char(*last, '.', 1);
        if (dot < last->len)
            *last = str_cut(*last, 0, dot);
    }
    if (w->count > 1 && is_index_stem(w->parts[w->count - 1]))
        w->count--;
}

/* How many trailing parts agree. */
static size_t agreement(const struct wanted *w, const str *parts, size_t count)
{
    size_t same = 0;
    while (same < w->count && same < count &&
           str_eq(w->parts[w->count - 1 - same], parts[count - 1 - same]))
        same++;
    return same;
}

/* Relative names are made whole from the importing file's folder. */
static bool make_whole(const struct modules *m, uint32_t from, struct wanted *w)
{
    str parts[MAX_MODULE_PARTS];
    size_t count = split(folder_path(m->files[from].path), parts);
    if (w->up < 0)
        return true;
    if ((size_t)w->up > count || count - (size_t)w->up + w->count > MAX_MODULE_PARTS)
        return false;
    count -= (size_t)w->up;
    memmove(w->parts + count, w->parts, w->count * sizeof *parts);
    memcpy(w->parts, parts, count * sizeof *parts);
    w->count += count;
    return w->count > 0;
}

struct search {
    uint32_t at[MAX_MODULE_FILES];
    size_t count, best;
    bool whole_folder; /* all of a folder's path agreed: what stands before it names the repository
                        */
};

static void offer(struct search *s, uint32_t file, size_t agrees)
{
    if (agrees < s->best || !agrees)
        return;
    if (agrees > s->best)
        s->count = 0;
    s->best = agrees;
    if (s->count < MAX_MODULE_FILES)
        s->at[s->count++] = file;
}

/* Files whose path ends as the name does; else, for languages whose module is a folder, the files
 * of a folder whose path does. */
static void search(const struct modules *m, const struct wanted *w, uint32_t from, struct search *s)
{
    int64_t *first = map_find(&m->by_stem, w->parts[w->count - 1]);
    for (uint32_t i = first ? (uint32_t)*first : 0; i; i = m->next_stem[i - 1]) {
        const struct place *p = &m->places[i - 1];
        size_t same = agreement(w, p->parts, p->count);
        if (w->up < 0 || (same == w->count && same == p->count))
            offer(s, i - 1, same);
    }
    first = map_find(&m->by_folder, w->parts[w->count - 1]);
    struct search in_folders = {0};
    bool folders = str_eq(m->files[from].language, S("go")) || !s->count;
    for (uint32_t i = first && folders ? (uint32_t)*first : 0; i; i = m->next_in_folder[i - 1]) {
        const struct place *p = &m->places[i - 1];
        size_t count = p->count - (p->is_index ? 0u : 1u);
        size_t same = agreement(w, p->parts, count);
        if (str_eq(m->files[i - 1].language, m->files[from].language))
            offer(&in_folders, i - 1, same);
        in_folders.whole_folder |= in_folders.best == same && same == count;
    }
    if (in_folders.count && in_folders.best > s->best)
        *s = in_folders;
}

/* One shared last part is too little for a name of many parts: "os.path" is not every path.py; a
 * bare name is, where it is the only one. */
static bool is_enough(const struct wanted *w, const struct search *s, str language)
{
    if (!s->count)
        return false;
    if (s->whole_folder && str_eq(language, S("go")))
        return true;
    if (s->best == w->count)
        return w->count > 1 || s->count == 1 || w->up >= 0;
    size_t most = str_eq(language, S("python")) ? 1 : 2; /* urllib3.exceptions is not ours */
    return s->best >= 2 || (w->count <= most && s->best == 1 && s->count == 1);
}

static struct answer find(struct modules *m, uint32_t from, str module)
{
    struct wanted w;
    struct search s = {0};
    struct answer none = {0};
    parse(module, &w);
    if (!make_whole(m, from, &w) || !w.count)
        return none;
    search(m, &w, from, &s);
    if (!is_enough(&w, &s, m->files[from].language))
        return none;
    struct answer out = {{ARENA_ARRAY(m->a, uint32_t, s.count), s.count}, false};
    memcpy(out.files.at, s.at, s.count * sizeof *s.at);
    return out;
}

const struct module_files *modules_find(struct modules *m, uint32_t from, str module, str name,
                                        bool *is_submodule)
{
    str key = arena_printf(m->a, "%u\n%.*s\n%.*s", m->places[from].folder, FMT(module), FMT(name));
    bool is_new;
    int64_t *index = map_put(&m->known, key, (int64_t)m->answer_count, &is_new);
    if (is_new) {
        struct answer answer = {0};
        size_t trailing = 0; /* "." alone and "a." take no further dot */
        while (trailing < module.len && module.at[module.len - 1 - trailing] == '.')
            trailing++;
        if (name.len && str_find_char(module, '/', 0) == module.len) {
            answer =
                find(m, from,
                     arena_printf(m->a, "%.*s%s%.*s", FMT(module), trailing ? "" : ".", FMT(name)));
            answer.is_submodule =
                answer.files.count == 1 && modules_stem_is(m, answer.files.at[0], name);
        }
        if (!answer.is_submodule)
            answer = find(m, from, module);
        ARENA_GROW(m->a, m->answers, m->answer_count, m->answer_capacity);
        m->answers[m->answer_count++] = answer;
    }
    const struct answer *answer = &m->answers[*index];
    *is_submodule = answer->is_submodule;
    if (!answer->files.count)
        return NULL;
    /* The table of answers may move: what is handed out stays. */
    struct module_files *out = ARENA_NEW(m->a, struct module_files);
    *out = answer->files;
    return out;
}
