#include "server/setup/text_diff.h"

#include "memory/base/buf.h"
#include "memory/base/unicode.h"

enum { CONTEXT_LINES = 3 };

struct lines {
    str *at; /* each with its \n, so that a last line without one differs from one with it */
    size_t count, capacity;
};

/* One line of the diff before it is cut into hunks: ' ', '-' or '+'. */
struct step {
    char sign;
    str line;
};

struct script {
    struct step *steps;
    size_t count, capacity;
    struct arena *a;
};

static struct lines lines_of(struct arena *a, str text)
{
    struct lines l = {0};
    for (size_t at = 0; at < text.len;) {
        size_t end = str_find_char(text, '\n', at);
        end += end < text.len;
        ARENA_GROW(a, l.at, l.count, l.capacity);
        l.at[l.count++] = str_cut(text, at, end);
        at = end;
    }
    return l;
}

static void add(struct script *s, char sign, str line)
{
    ARENA_GROW(s->a, s->steps, s->count, s->capacity);
    s->steps[s->count++] = (struct step){sign, line};
}

static void add_all(struct script *s, char sign, const str *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(s, sign, lines[i]);
}

/* The longest common subsequence by the table that counts it: common[i][j] of what follows line i
 * and line j. */
static void compare(struct script *s, const str *old, size_t old_count, const str *new,
                    size_t new_count)
{
    if (old_count && new_count > MAX_DIFF_CELLS / old_count) {
        add_all(s, '-', old, old_count);
        add_all(s, '+', new, new_count);
        return;
    }
    size_t width = new_count + 1;
    uint32_t *common = ARENA_ARRAY(s->a, uint32_t, (old_count + 1) * width);
    for (size_t i = old_count; i-- > 0;)
        for (size_t j = new_count; j-- > 0;) {
            uint32_t below = common[(i + 1) * width + j], right = common[i * width + j + 1];
            common[i * width + j] = str_eq(old[i], new[j]) ? common[(i + 1) * width + j + 1] + 1
                                    : below > right        ? below
                                                           : right;
        }
    size_t i = 0, j = 0;
    while (i < old_count && j < new_count) {
        if (str_eq(old[i], new[j])) {
            add(s, ' ', old[i++]);
            j++;
        } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            add(s, '-', old[i++]);
        } else {
            add(s, '+', new[j++]);
        }
    }
    add_all(s, '-', old + i, old_count - i);
    add_all(s, '+', new + j, new_count - j);
}

static void print_step(struct buf *out, const struct step *step)
{
    str line = step->line;
    bool ended = str_ends(line, S("\n"));
    line = str_ends(line, S("\r\n")) ? str_cut(line, 0, line.len - 2)
                                     : str_cut(line, 0, line.len - ended);
    str shown = utf8_prefix(line, MAX_DIFF_LINE_BYTES);
    buf_printf(out, "%c%.*s", step->sign, FMT(shown));
    if (shown.len < line.len)
        buf_printf(out, " ... and %zu bytes more", line.len - shown.len);
    buf_add(out, ended ? S("\n") : S("\n\\ No newline at end of file\n"));
}

static size_t count_side(const struct step *steps, size_t from, size_t to, char other)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        n += steps[i].sign != other;
    return n;
}

/* A side's first line as a hunk's head has it: 0 where the side has none. */
static size_t first_line(size_t before, size_t count)
{
    return count ? before + 1 : before;
}

/* Steps [from, to) with their head. */
static void print_hunk(struct buf *out, const struct script *s, size_t from, size_t to)
{
    size_t old_count = count_side(s->steps, from, to, '+');
    size_t new_count = count_side(s->steps, from, to, '-');
    buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n",
               first_line(count_side(s->steps, 0, from, '+'), old_count), old_count,
               first_line(count_side(s->steps, 0, from, '-'), new_count), new_count);
    for (size_t i = from; i < to; i++)
        print_step(out, &s->steps[i]);
}

static void print_hunks(struct buf *out, const struct script *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->steps[i].sign == ' ')
            continue;
        size_t from = i < CONTEXT_LINES ? 0 : i - CONTEXT_LINES, last = i;
        for (size_t j = i; j < s->count && j <= last + 2 * CONTEXT_LINES + 1; j++)
            if (s->steps[j].sign != ' ')
                last = j;
        size_t to = last + 1 + CONTEXT_LINES < s->count ? last + 1 + CONTEXT_LINES : s->count;
        print_hunk(out, s, from, to);
        i = to - 1;
    }
}

str text_diff(struct arena *a, str before, str after, str path)
{
    if (before.at && after.at && str_eq(before, after))
        return S("");
    struct lines old = lines_of(a, before), new = lines_of(a, after);
    struct script script = {.a = a};
    size_t head = 0, tail = 0;
    while (head < old.count && head < new.count &&str_eq(old.at[head], new.at[head]))
        head++;
    while (head + tail < old.count &&
           head + tail <
               new.count &&str_eq(old.at[old.count - 1 - tail], new.at[new.count - 1 - tail]))
        tail++;
    add_all(&script, ' ', old.at, head);
    compare(&script, old.at + head, old.count - head - tail, new.at + head,
            new.count - head - tail);
    add_all(&script, ' ', old.at + old.count - tail, tail);

    struct buf out = {0};
    buf_printf(&out, "--- %.*s\n", FMT(before.at ? path : S("/dev/null")));
    buf_printf(&out, "+++ %.*s\n", FMT(after.at ? path : S("/dev/null")));
    print_hunks(&out, &script);
    str text = arena_str(a, buf_str(&out));
    buf_free(&out);
    return text;
}
