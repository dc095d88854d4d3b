#include "memory/provider/llm_task.h"

#include "embed_prompts.h"
#include "memory/base/hash.h"
#include "memory/base/unicode.h"
#include "memory/provider/answer.h"

#include <assert.h>

/* ---- prompts ---- */

static str prompt_file(const char *prompt, str ending)
{
    for (size_t i = 0; i < embed_prompts_count; i++) {
        str name = str_of(embed_prompts_files[i].name);
        if (str_starts(name, str_of(prompt)) && name.len == strlen(prompt) + ending.len &&
            str_ends(name, ending))
            return str_from(embed_prompts_files[i].text, embed_prompts_files[i].size);
    }
    assert(!"a prompt without a file");
    return S("");
}

struct llm_ask llm_task_ask(const char *prompt, str schema_name, size_t max_output_tokens)
{
    return (struct llm_ask){.system = prompt_file(prompt, S(".txt")),
                            .schema_name = schema_name,
                            .schema = prompt_file(prompt, S(".json")),
                            .max_output_tokens = max_output_tokens};
}

/* The line holds a hash of all that stands between: a text can't know its own. */
str llm_fence(struct arena *a, str name, str text)
{
    str mark = hash128_hex(a, text);
    return arena_printf(a, "==== %.*s %.*s\n%.*s\n==== end %.*s %.*s\n", FMT(name), FMT(mark),
                        FMT(text), FMT(name), FMT(mark));
}

/* ---- whether words stand in a source ---- */

/* Models set other quotation marks and dashes than what they copy from. */
static int32_t plain(int32_t c)
{
    static const int32_t marks[][2] = {
        {0x2018, '\''}, {0x2019, '\''}, {0x201A, '\''}, {0x201C, '"'}, {0x201D, '"'},
        {0x201E, '"'},  {0x00AB, '"'},  {0x00BB, '"'},  {0x2010, '-'}, {0x2011, '-'},
        {0x2012, '-'},  {0x2013, '-'},  {0x2014, '-'},  {0x2212, '-'},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (c == marks[i][0])
            return marks[i][1];
    return c;
}

static str fold(struct arena *a, str text)
{
    str folded = unicode_squeeze(a, unicode_fold(a, text));
    char *out = arena_bytes(a, folded.len), *end = out; /* what is plain is never longer */
    for (size_t at = 0, bytes; at < folded.len; at += bytes) {
        int32_t c = utf8_decode(folded, at, &bytes);
        end += utf8_encode(plain(c), end);
    }
    return str_from(out, (size_t)(end - out));
}

struct llm_source llm_source_of(struct arena *a, str text)
{
    return (struct llm_source){fold(a, text)};
}

/* The class of the code point that ends at `end`. */
static enum char_class class_before(str s, size_t end)
{
    size_t bytes;
    return unicode_class(utf8_decode(s, utf8_back(s, end - 1), &bytes));
}

static enum char_class class_at(str s, size_t at)
{
    size_t bytes;
    return unicode_class(utf8_decode(s, at, &bytes));
}

/* Would two neighbours of these classes be one word? (Scripts without spaces have no such bounds.)
 */
static bool join(enum char_class left, enum char_class right)
{
    static const bool is_word[] = {
        [CHAR_LOWER] = true, [CHAR_UPPER] = true, [CHAR_LETTER] = true, [CHAR_DIGIT] = true,
        [CHAR_MARK] = true,  [CHAR_CJK] = false,  [CHAR_SPACE] = false, [CHAR_OTHER] = false};
    return is_word[left] && is_word[right];
}

static bool stands_alone(str s, size_t from, size_t to)
{
    return !(from > 0 && join(class_before(s, from), class_at(s, from))) &&
           !(to < s.len && join(class_before(s, to), class_at(s, to)));
}

static bool has(str folded, str words)
{
    for (size_t at = 0; words.len && (at = str_find(folded, words, at)) < folded.len; at++)
        if (stands_alone(folded, at, at + words.len))
            return true;
    return false;
}

/* Without the marks that models put around what they quote. */
static str strip(str s)
{
    static const char around[] = " \"'`.,;:!?";
    while (s.len && strchr(around, s.at[0]))
        s = str_cut(s, 1, s.len);
    while (s.len && strchr(around, s.at[s.len - 1]))
        s.len--;
    return s;
}

bool llm_source_has(struct arena *a, const struct llm_source *source, str words)
{
    str whole = fold(a, words);
    return has(source->folded, whole) || has(source->folded, strip(whole));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool llm_source_has_numbers(struct arena *a, const struct llm_source *source, str text)
{
    str folded = fold(a, text), s = source->folded;
    for (size_t at = 0, end; at < folded.len; at = end) {
        for (end = at; end < folded.len && is_digit(folded.at[end]);)
            end++;
        str number = str_cut(folded, at, end);
        bool found = number.len == 0;
        for (size_t f = 0; !found && (f = str_find(s, number, f)) < s.len; f++)
            found = !(f > 0 && is_digit(s.at[f - 1])) &&
                    !(f + number.len < s.len && is_digit(s.at[f + number.len]));
        if (!found)
            return false;
        end += number.len == 0;
    }
    return true;
}

/* ---- answers ---- */

bool llm_answer_list(str json, const char *name, json_t **root, const json_t **list, struct err *e)
{
    if (!answer_parse(json, root, e))
        return false;
    *list = json_object_get(*root, name);
    return json_is_array(*list) ||
           fail(e, ERR_INPUT, "the model's answer has no list \"%s\"", name);
}

str llm_line(struct arena *a, const json_t *string, size_t max_bytes)
{
    if (!json_is_string(string) || json_string_length(string) > max_bytes)
        return S("");
    str text = str_from(json_string_value(string), json_string_length(string));
    return unicode_squeeze(a, unicode_nfc(a, text));
}

str llm_field(struct arena *a, const json_t *object, const char *name, size_t max_bytes)
{
    return llm_line(a, json_object_get(object, name), max_bytes);
}
