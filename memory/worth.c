#include "memory/worth.h"

#include "memory/base/ascii.h"
#include "memory/base/buf.h"
#include "memory/extract.h"
#include "memory/triage.h"

/* ---- prose ---- */

/* Blocks that agents put into messages; the whole block goes, an unterminated one to the end. */
static const char *const blocks[] = {
    "system-reminder",
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "environment_context",
    "user_instructions",
    "permissions",
    "skills_instructions",
    "apps_instructions",
    "plugins_instructions",
    "collaboration_mode",
    "turn_aborted",
    "subagent_notification",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "ide_opened_file",
    "ide_selection",
    "task-notification",
    "thinking",
    "function_calls",
    "tool_use_error",
    "user_query_context",
};

/* The end of the block that opens at `at`, or `at` where none does. */
static size_t block_end(str text, size_t at)
{
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        str name = str_of(blocks[i]);
        str rest = str_cut(text, at + 1, text.len);
        if (!str_starts(rest, name) || rest.len == name.len ||
            !memchr("> \n\t", rest.at[name.len], 4))
            continue;
        for (size_t end = str_find(text, S("</"), at); end < text.len;
             end = str_find(text, S("</"), end + 2))
            if (str_starts(str_cut(text, end + 2, text.len), name))
                return str_find_char(text, '>', end) + 1;
        return text.len;
    }
    return at;
}

static bool is_shown_line(str line)
{
    line = str_trim(line);
    return !line.len || !strchr(">|+", line.at[0]) || str_starts(line, S("+ "));
}

static void add_line(struct buf *out, str line)
{
    if (is_shown_line(line))
        buf_add(out, line);
    buf_add_char(out, '\n');
}

str worth_prose(struct arena *a, str text)
{
    struct buf without = {0}, out = {0};
    size_t from = 0, end;
    for (size_t at = str_find_char(text, '<', 0); at < text.len;
         at = str_find_char(text, '<', at > from ? at : from)) {
        end = block_end(text, at);
        if (end == at) {
            at++;
            continue;
        }
        buf_add(&without, str_cut(text, from, at));
        buf_add(&without, S("\n\n"));
        from = at = end;
    }
    buf_add(&without, str_cut(text, from, text.len));

    str rest = buf_str(&without), line;
    bool in_fence = false;
    while (str_next_line(&rest, &line)) {
        str trimmed = str_trim(line);
        bool is_fence = str_starts(trimmed, S("```")) || str_starts(trimmed, S("~~~"));
        if (!is_fence && !in_fence)
            add_line(&out, line);
        else
            buf_add_char(&out, '\n');
        in_fence ^= is_fence;
    }
    str prose = arena_str(a, buf_str(&out));
    buf_free(&without);
    buf_free(&out);
    return prose;
}

/* ---- sentences ---- */

/* What makes a plain statement worth keeping: a cause, a rule, a place, a trap. */
static const char *const telling[] = {
    "because",       "root cause",      "caused by",     "the reason",     "turns out",
    "turned out",    "so that",         "must ",         "must not",       "has to be",
    "have to be",    "requires",        "is required",   "are required",   "only works",
    "doesn't work",  "does not work",   "didn't work",   "fails when",     "fails if",
    "breaks when",   "breaks if",       "the fix",       "fixed by",       "workaround",
    "gotcha",        "caveat",          "note that",     "remember that",  "keep in mind",
    "important:",    "by default",      "lives in",      "is located in",  "are located in",
    "is defined in", "runs on",         "is owned by",   "is responsible", "responsible for",
    "convention",    "deadline",        "is due",        "depends on",     "is deployed",
    "are deployed",  "at most",         "at least",      "the limit is",   "is limited to",
    "deprecated",    "no longer",       "superseded",    "as of ",         "our policy",
    "we use ",       "we deploy",       "is stored in",  "are stored in",  "the bug was",
    "the bug is",    "the problem was", "the issue was", "the trade-off",  "the tradeoff",
};

static bool is_word_char(char c)
{
    return ascii_is_letter(c) || (unsigned char)c >= 0x80;
}

/* Does the phrase (lower case) stand at `at`, apostrophes typed or typographic? */
static bool stands(str s, size_t at, const char *phrase)
{
    for (; *phrase; phrase++) {
        if (*phrase == '\'' && str_starts(str_cut(s, at, s.len), S("\xE2\x80\x99"))) {
            at += 3;
            continue;
        }
        if (at >= s.len || ascii_lower(s.at[at]) != *phrase)
            return false;
        at++;
    }
    return !is_word_char(phrase[-1]) || at == s.len || !is_word_char(s.at[at]);
}

static bool tells(str s)
{
    for (size_t at = 0; at < s.len; at++)
        if (at == 0 || !is_word_char(s.at[at - 1]))
            for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
                if (telling[i][0] == ascii_lower(s.at[at]) && stands(s, at, telling[i]))
                    return true;
    return false;
}

static bool has_enough_words(str s)
{
    size_t words = 0;
    for (size_t i = 0; i < s.len; i++)
        words += is_word_char(s.at[i]) && (i == 0 || s.at[i - 1] == ' ' || s.at[i - 1] == '\n');
    return words >= MIN_WORTH_WORDS;
}

bool worth_keeping(str sentence, bool by_user, enum memory_kind *kind)
{
    sentence = str_trim(sentence);
    if (sentence.len > MAX_WORTH_BYTES || !has_enough_words(sentence))
        return false;
    *kind = extract_kind(sentence);
    switch (*kind) {
    case KIND_DECISION:
        return !triage_is_talk(sentence) || stands(sentence, 0, "i'll use") ||
               stands(sentence, 0, "i think we decided");
    case KIND_PREFERENCE:
    case KIND_IDENTITY:
        return by_user && !triage_is_talk(sentence);
    case KIND_FACT:
        return !triage_is_talk(sentence) && tells(sentence);
    default: /* questions and what is being done pass */
        return false;
    }
}
