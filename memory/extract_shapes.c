#include "memory/extract_rules.h"
#include "memory/text_chars.h"
#include "memory/words.h"

/* Word lists in byte order, for word_list_has. */
static const char file_endings[] =
    "adoc asm avif awk bash bat bib bin bmp bz2 c cc cfg clj cljs cmake cmd conf cpp cs css csv cu "
    "cxx dart db diff "
    "dll doc docx ejs el env epub erb erl ex exs fish fs fsx gif go gql gradle graphql groovy gz h "
    "hcl hh hpp hs "
    "htm html hxx ico ini ipynb jar java jinja jl jpeg jpg js json json5 jsonc jsonl jsx kt kts "
    "less lock log lua "
    "map md mdx mjs ml mli mm mp3 mp4 nim nix o odt org patch pdf php pl plist plugin png po pptx "
    "prisma properties "
    "proto ps1 psd py pyc pyi pyx r rake rb rlib rs rst sass sbt scala scm scss service sh sln so "
    "sol sql sqlite "
    "srt ssh styl sv svelte svg swift tar tcl tex tf tfvars tgz toml ts tsv tsx ttf txt v vb vhd "
    "vim vue wasm wat "
    "wav webm webp whl woff woff2 xhtml xls xlsx xml xsd xsl yaml yml zig zip zsh zst";
static const char file_names[] = ".bashrc .clang-format .clang-tidy .dockerignore .editorconfig "
                                 ".env .envrc .eslintrc .gitattributes .gitignore "
                                 ".gitlab-ci.yml .gitmodules .npmrc .nvmrc .prettierrc .profile "
                                 ".travis.yml .vimrc .zshrc brewfile build.gradle "
                                 "cargo.lock cargo.toml cmakelists.txt codeowners dockerfile "
                                 "gemfile go.mod go.sum jenkinsfile justfile makefile "
                                 "package.json procfile rakefile vagrantfile";
static const char domains[] =
    "ai app at au ca ch cloud co com de dev edu es eu fr gov info io it jp net nl org ru se uk us";

/* Standards and diseases have the form of an issue key. */
static const char not_issue_keys[] = "aes ansi ascii base base64 cd cid cobol covid cve din ean en "
                                     "fips fips140 gpt h http ieee ipv isbn iso iso8859 itu "
                                     "java level md mil mp mpeg ms pep ps rfc rsa sha step tier "
                                     "tls top type unicode utf vt web windows";
static const char kebab_tails[] = "adapter agent api app auth backend bot broker cache cli client "
                                  "cluster collector consumer controller core daemon db "
                                  "driver engine exporter frontend gateway graph index indexer "
                                  "ingress job layer lib library loader manager middleware "
                                  "module monitor operator parser plugin pool processor producer "
                                  "provider proxy queue registry repo router runner "
                                  "scheduler sdk server service sidecar store svc sync team tool "
                                  "tracker ui utils watcher web worker";
static const char small_words[] = "a all an and around as at away based be but by day days down "
                                  "eight etc first five for four from going half hand high "
                                  "hour how if in into it kind know last less level like long "
                                  "looking low made minute month more most much name new "
                                  "nine no non not now of off old on one or out over part per "
                                  "right same second self set seven short side six so "
                                  "sounding stop style ten term than that the then third this "
                                  "three time to too top two type up very way week well what "
                                  "who with word work year years you";

static bool in(const char *list, str word)
{
    char buffer[64];
    str folded = folded_word(word, buffer);
    return folded.len && word_list_has(str_of(list), folded);
}

static bool is_alpha(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_alnum(char c)
{
    return is_alpha(c) || is_digit(c);
}

static bool all_of(str s, const char *others)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_alnum(s.at[i]) && (!s.at[i] || !strchr(others, s.at[i])))
            return false;
    return s.len > 0;
}

static size_t count_of(str s, bool (*is)(char))
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += is(s.at[i]);
    return n;
}

static size_t digits_at(str s, size_t at)
{
    size_t to = at;
    while (to < s.len && is_digit(s.at[to]))
        to++;
    return to - at;
}

/* The next part of *rest in front of `joint`; false when nothing is left. */
static bool next_part(str *rest, char joint, str *part)
{
    if (!rest->at)
        return false;
    size_t cut = str_find_char(*rest, joint, 0);
    *part = str_cut(*rest, 0, cut);
    *rest = cut < rest->len ? str_cut(*rest, cut + 1, rest->len) : (str){NULL, 0};
    return true;
}

static size_t parts_of(str s, char joint)
{
    size_t n = 1;
    for (size_t i = 0; i < s.len; i++)
        n += s.at[i] == joint;
    return n;
}

/* ---- one word each ---- */

static bool is_url(str w)
{
    size_t colon = str_find(w, S("://"), 0);
    if (colon < w.len)
        return colon >= 2 && colon + 3 < w.len && all_of(str_cut(w, 0, colon), "+.-");
    str host = str_cut(w, 0, str_find_char(w, '/', 0));
    if (parts_of(host, '.') < 2 || !all_of(host, ".-"))
        return false;
    if (str_starts(w, S("www.")))
        return true;
    str rest = host, part;
    while (next_part(&rest, '.', &part))
        if (part.len == 0)
            return false;
    bool common = str_eq(part, S("com")) || str_eq(part, S("org")) || str_eq(part, S("net"));
    return in(domains, part) && (common || host.len < w.len || parts_of(host, '.') > 2) &&
           is_lower(w.at[0]);
}

static bool is_email(str w)
{
    size_t at = str_find_char(w, '@', 0);
    str host = str_cut(w, at + 1, w.len);
    return at > 0 && at < w.len && all_of(str_cut(w, 0, at), "._%+-") && all_of(host, ".-") &&
           parts_of(host, '.') > 1 && is_alnum(host.at[0]) && is_alpha(host.at[host.len - 1]);
}

static bool is_mention(str w)
{
    return w.len > 2 && w.at[0] == '@' && is_alpha(w.at[1]) && all_of(str_cut(w, 1, w.len), "._-");
}

static bool is_package(str w)
{
    return w.len > 4 && w.at[0] == '@' && parts_of(w, '/') == 2 &&
           all_of(str_cut(w, 1, w.len), "._-/") && is_alnum(w.at[1]) && is_alnum(w.at[w.len - 1]);
}

static bool is_issue(str w)
{
    enum { MAX_ISSUE_DIGITS = 7, MAX_KEY_BYTES = 10 };
    size_t sign = str_find_char(w, '#', 0);
    if (sign < w.len) {
        size_t digits = digits_at(w, sign + 1);
        str repo = str_cut(w, 0, sign);
        return digits > 0 && digits <= MAX_ISSUE_DIGITS && sign + 1 + digits == w.len &&
               (sign == 0 || (all_of(repo, "._-/") && is_alpha(repo.at[0]) &&
                              str_find(repo, S("//"), 0) == repo.len));
    }
    size_t dash = str_find_char(w, '-', 0), digits = digits_at(w, dash + 1);
    str key = str_cut(w, 0, dash);
    if (str_eq(key, S("CVE")))
        return digits == 4 && w.len > 9 && digits_at(w, 9) == w.len - 9;
    if (key.len < 2 || key.len > MAX_KEY_BYTES || digits == 0 || digits > MAX_ISSUE_DIGITS ||
        dash + 1 + digits != w.len)
        return false;
    return is_upper(key.at[0]) && count_of(key, is_lower) == 0 && all_of(key, "") &&
           !in(not_issue_keys, key);
}

/* v1.2, v1.2.3, 1.2.3, 1.2-rc1; not 1.2, and not the date 24.12.2024. */
static bool is_version(str w)
{
    bool v = w.len > 1 && (w.at[0] == 'v' || w.at[0] == 'V') && is_digit(w.at[1]);
    size_t at = v ? 1 : 0, numbers = 0, last = 0;
    while (digits_at(w, at)) {
        last = digits_at(w, at);
        at += last;
        numbers++;
        if (at + 1 >= w.len || w.at[at] != '.' || !is_digit(w.at[at + 1]))
            break;
        at++;
    }
    bool suffix = at < w.len && (w.at[at] == '-' || w.at[at] == '+') && at + 1 < w.len &&
                  is_alpha(w.at[at + 1]) && all_of(str_cut(w, at + 1, w.len), ".+-");
    if ((at < w.len && !suffix) || numbers > 4 || numbers < 2)
        return false;
    bool date = !v && numbers == 3 && last == 4;
    return v || (numbers > 2 && !date) || suffix;
}

static bool is_hex(str w)
{
    for (size_t i = 0; i < w.len; i++)
        if (!is_digit(w.at[i]) && !(w.at[i] >= 'a' && w.at[i] <= 'f'))
            return false;
    return true;
}

static bool is_commit(str w)
{
    size_t digits = count_of(w, is_digit);
    return w.len >= 7 && w.len <= 40 && is_hex(w) && digits > 0 && digits < w.len;
}

static bool is_uuid(str w)
{
    static const size_t lengths[] = {8, 4, 4, 4, 12};
    str rest = w, part;
    if (w.len != 36)
        return false;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (!next_part(&rest, '-', &part) || part.len != lengths[i] || !is_hex(part))
            return false;
    return true;
}

static bool is_file_name(str w)
{
    size_t dot = w.len;
    while (dot > 0 && w.at[dot - 1] != '.')
        dot--;
    if (in(file_names, w))
        return true;
    str stem = str_cut(w, 0, dot ? dot - 1 : 0), ending = str_cut(w, dot, w.len);
    return stem.len > 0 && in(file_endings, ending) && count_of(stem, is_alnum) > 0;
}

/* Anything with slashes that a sentence wouldn't have: "and/or", "TCP/IP" and "1/2" are none. */
static bool is_path(str w)
{
    if (!all_of(w, "/._-+@~$*\\"))
        return false;
    size_t slash = w.len;
    while (slash > 0 && w.at[slash - 1] != '/' && w.at[slash - 1] != '\\')
        slash--;
    if (slash == 0)
        return is_file_name(w);
    if (count_of(w, is_alpha) < 2 || str_find(w, S("//"), 0) < w.len)
        return false;
    str last = str_cut(w, slash, w.len);
    bool rooted = str_starts(w, S("./")) || str_starts(w, S("../")) || str_starts(w, S("~/")) ||
                  w.at[0] == '/';
    bool folder = last.len == 0 && is_lower(w.at[0]);
    bool joints = str_find_char(w, '_', 0) < w.len || str_find_char(w, '-', 0) < w.len ||
                  count_of(w, is_digit) > 0;
    bool deep = parts_of(w, '/') > 2 && count_of(w, is_upper) == 0 && joints;
    return is_file_name(last) || rooted || folder || deep;
}

static bool is_snake(str w)
{
    if (!all_of(w, "_") || count_of(w, is_alpha) == 0 || w.len < 3)
        return false;
    if (w.len > 4 && str_starts(w, S("__")) && str_ends(w, S("__")))
        return true;
    for (size_t i = 1; i + 1 < w.len; i++)
        if (w.at[i] == '_' && is_alnum(w.at[i - 1]) && is_alnum(w.at[i + 1]))
            return true;
    return false;
}

/* Family names with an inner capital. */
static bool is_family_name(str w)
{
    static const str starts[] = {{"Mc", 2}, {"Mac", 3}, {"De", 2},  {"Di", 2},  {"Du", 2},
                                 {"La", 2}, {"Le", 2},  {"Van", 3}, {"Von", 3}, {"Fitz", 4}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t n = starts[i].len;
        if (str_starts(w, starts[i]) && w.len > n + 2 && is_upper(w.at[n]) &&
            is_lower(w.at[n + 1]) && count_of(str_cut(w, n + 1, w.len), is_upper) == 0)
            return true;
    }
    return false;
}

bool is_camel(str w)
{
    if (!all_of(w, "") || is_digit(w.at[0]) || w.len < 3 || is_family_name(w) ||
        str_eq(w, S("PhD")))
        return false;
    for (size_t i = 1; i < w.len; i++) {
        if (is_upper(w.at[i]) && is_lower(w.at[i - 1]))
            return true;
        if (is_upper(w.at[i]) && is_upper(w.at[i - 1]) && opens_word(w, i, 1, w.len))
            return true;
    }
    return false;
}

/* utf8, k8s, EC2, S3; not Q3, v2, H1, 3rd. */
static bool is_numbered(str w)
{
    static const char short_ones[] = "d3 h2 r2 s3";
    size_t digits = count_of(w, is_digit);
    if (!all_of(w, "") || !is_alpha(w.at[0]) || digits == 0 || digits > 5)
        return false;
    if (w.len == 2)
        return in(short_ones, w);
    size_t letters = w.len - digits;
    return letters >= 2 && w.len <= 20;
}

static bool is_dotted(str w)
{
    str rest = w, part;
    size_t longest = 0;
    bool telling = false;
    if (!all_of(w, "._") || parts_of(w, '.') < 2)
        return false;
    while (next_part(&rest, '.', &part)) {
        if (part.len == 0 || is_digit(part.at[0]))
            return false;
        longest = part.len > longest ? part.len : longest;
        telling |= is_snake(part) || is_camel(part);
    }
    return longest > 2 &&
           (telling || (parts_of(w, '.') > 2 && count_of(str_cut(w, 1, w.len), is_upper) == 0) ||
            (is_upper(w.at[0]) && str_ends(w, S(".js"))));
}

static bool is_scoped(str w)
{
    size_t colons = str_find(w, S("::"), 0);
    return colons > 0 && colons + 2 < w.len && all_of(w, ":_~") && is_alnum(w.at[w.len - 1]) &&
           !is_digit(w.at[0]);
}

/* Three parts or more, or two of which the last says what it is ("auth-service"), without the
 * little words of "state-of-the-art" and "three-year-old". */
static bool is_kebab(str w)
{
    str rest = w, part;
    size_t parts = parts_of(w, '-');
    if (parts < 2 || !all_of(w, "-") || count_of(w, is_upper) > 0 || !is_alpha(w.at[0]))
        return false;
    while (next_part(&rest, '-', &part))
        if (part.len == 0 || in(small_words, part))
            return false;
    return parts > 2 || in(kebab_tails, part);
}

static bool is_address(str w)
{
    return parts_of(w, '.') == 4 && count_of(w, is_digit) + 3 == w.len && digits_at(w, 0) > 0 &&
           digits_at(w, 0) < 4;
}

static bool is_technology(str w)
{
    char buffer[64];
    str folded = folded_word(w, buffer);
    return folded.len > 1 && word_is_technology(folded);
}

static bool is_identifier(str w)
{
    return is_uuid(w) || is_address(w) || is_package(w) || is_snake(w) || is_scoped(w) ||
           is_dotted(w) || is_camel(w) || is_numbered(w) || is_kebab(w);
}

/* The order settles what has two forms: node.js is a technology, config.h a path, 1.2.3.4 an
 * address. */
static const struct {
    const char *type;
    bool (*is)(str word);
} shapes[] = {
    {"technology", is_technology}, {"email", is_email},        {"mention", is_mention},
    {"issue", is_issue},           {"identifier", is_address}, {"version", is_version},
    {"commit", is_commit},         {"path", is_path},          {"url", is_url},
    {"identifier", is_identifier},
};

const char *shape_of(str word)
{
    if (word.len < 2)
        return NULL;
    if (count_of(word, is_lower) ==
        word.len) /* most words: all other shapes have a sign or digit */
        return word_is_technology(word) ? "technology" : in(file_names, word) ? "path" : NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].is(word))
            return shapes[i].type;
    return NULL;
}

bool is_acronym(str w)
{
    enum { MIN_LETTERS = 2, MAX_LETTERS = 8 };
    static const char never[] = "a am an fyi hey ii iii iv ix no ok pm so vi vii viii xi xii yes";
    static const char always[] = "acid ai core crud json rest safe soap solid spa us";
    str body = w.len > 2 && w.at[w.len - 1] == 's' ? str_cut(w, 0, w.len - 1) : w;
    size_t letters = count_of(body, is_upper);
    bool ampersand = parts_of(body, '&') == 2 && body.at[0] != '&' && body.at[body.len - 1] != '&';
    if (letters < MIN_LETTERS || letters > MAX_LETTERS || letters + ampersand != body.len)
        return false;
    char buffer[64];
    str folded = folded_word(body, buffer);
    if (in(never, body) || word_is_stop(folded))
        return in(always, body);
    return letters < 4 || !word_is_common(folded) || in(always, body);
}

/* ---- in a text ---- */

enum { MAX_CHUNK_BYTES = 256 }; /* what is longer is no name */

static bool ends_chunk(str text, size_t at, size_t *bytes)
{
    enum char_class class = class_at(text, at, bytes);
    if (class == CHAR_SPACE)
        return true;
    if (class != CHAR_OTHER)
        return false;
    return *bytes > 1 || !strchr("_.-/@#:+~$*&\\%=?", text.at[at]) || !text.at[at];
}

/* The run of characters that paths, URLs and identifiers are made of, without the punctuation of
 * the sentence behind it; empty where it is too long. */
static size_t chunk_end(str text, size_t at)
{
    size_t to = at, bytes;
    while (to < text.len && to - at < MAX_CHUNK_BYTES && !ends_chunk(text, to, &bytes))
        to += bytes;
    if (to - at >= MAX_CHUNK_BYTES)
        return at;
    while (to > at && strchr(".:?*-=&%\\", text.at[to - 1]))
        to--;
    return to;
}

/* URLs may hold brackets and commas; closing ones that weren't opened belong to the sentence. */
static size_t url_end(str text, size_t at)
{
    size_t to = at;
    int open = 0;
    for (; to < text.len && to - at < 2048; to++) {
        unsigned char c = (unsigned char)text.at[to];
        if (c <= ' ' || strchr("\"'<>`{}|\\^", c) || (c == ')' && open == 0))
            break;
        open += (c == '(') - (c == ')');
    }
    while (to > at && strchr(".,;:!?*", text.at[to - 1]))
        to--;
    return to;
}

/* A line number or anchor behind a path ("a.c:120", "a.c#L3"). */
static size_t without_line(str text, size_t at, size_t to)
{
    for (size_t i = at + 1; i < to; i++) {
        bool line = text.at[i] == ':' && i + 1 < to && is_digit(text.at[i + 1]);
        bool anchor = text.at[i] == '#' && i + 1 < to && is_alpha(text.at[i + 1]);
        if ((line || anchor) && is_path(str_cut(text, at, i)))
            return i;
    }
    return to;
}

static size_t find_in(str text, size_t at, size_t to, char c)
{
    size_t found = str_find_char(str_cut(text, 0, to), c, at);
    return found < to ? found : 0;
}

/* The ends that a word may have within its chunk: all of it, in front of a line number, of '=',
 * '/', "-based". */
static size_t candidate_end(str text, size_t at, size_t to, int which)
{
    switch (which) {
    case 0:
        return to;
    case 1:
        return without_line(text, at, to);
    case 2:
        return find_in(text, at, to, '=');
    case 3:
        return find_in(text, at, to, '/');
    case 4:
        return find_in(text, at, to, '-');
    default:
        return find_in(text, at, to, ':');
    }
}

static size_t add_url(struct finder *f, str text, size_t at)
{
    size_t to = url_end(text, at);
    finder_add(f, at, to, "url");
    return to;
}

static bool has_scheme(str text, size_t at)
{
    size_t to = at;
    while (to < text.len && to - at < 16 && (is_alnum(text.at[to]) || strchr("+.-", text.at[to])))
        to++;
    return to > at + 1 && str_starts(str_cut(text, to, text.len), S("://")) &&
           is_alpha(text.at[at]);
}

/* name() and obj.name(): the name alone. */
static bool is_call(str text, size_t at, size_t to)
{
    return str_starts(str_cut(text, to, text.len), S("()")) && to - at > 1 &&
           all_of(str_cut(text, at, to), "_.:>-") && is_alpha(text.at[at]);
}

/* A sign in front of a shape: #1, @a, .net, ./a, ../a, ~/a, /a, __a__. */
static bool opens_shape(str text, size_t at)
{
    char c = text.at[at];
    size_t next = at + 1;
    if (!c || !strchr("@#./~_", c) || (at > 0 && (word_at(text, at - 1) || text.at[at - 1] == c)))
        return false;
    while (next < text.len && next - at < 3 && strchr("./_", text.at[next]))
        next++;
    return word_at(text, next);
}

size_t extract_shape(struct finder *f, str text, size_t at)
{
    enum { CANDIDATES = 6 };
    char c = text.at[at];
    bool inside =
        at > 1 && (text.at[at - 1] == '-' || text.at[at - 1] == '.') && word_at(text, at - 2);
    if (inside || (!is_alnum(c) && !opens_shape(text, at)))
        return 0;
    if (has_scheme(text, at) || str_starts(str_cut(text, at, text.len), S("www.")))
        return add_url(f, text, at);
    size_t to = chunk_end(text, at);
    if (to == at)
        return 0;
    if (is_call(text, at, to)) {
        finder_add(f, at, to, "identifier");
        return to + 2;
    }
    for (int which = 0; which < CANDIDATES; which++) {
        size_t end = candidate_end(text, at, to, which);
        str word = str_cut(text, at, end);
        const char *type = end > at ? shape_of(word) : NULL;
        /* Capitalised words may go on as a name ("GitHub Actions"): extract_name decides. */
        bool word_only = type && is_upper(c) && all_of(word, "");
        if (word_only && (strcmp(type, "technology") == 0 || strcmp(type, "identifier") == 0))
            return 0;
        if (type && (end == to || !word_at(text, end))) {
            finder_add(f, at, end, type);
            return end;
        }
    }
    return 0;
}
