#include "server/terminal.h"

#include "memory/base/unicode.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *const paints[PAINT_COUNT] = {
    [PAINT_STRONG] = "1", [PAINT_DIM] = "2", [PAINT_NAME] = "36", [PAINT_WARNING] = "33"};

bool terminal_of_stdout(struct terminal *out)
{
    struct winsize size = {0};
    if (!isatty(STDOUT_FILENO))
        return false;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
        size.ws_col = 80;
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    out->columns = size.ws_col < MIN_TERMINAL_COLUMNS   ? MIN_TERMINAL_COLUMNS
                   : size.ws_col > MAX_TERMINAL_COLUMNS ? MAX_TERMINAL_COLUMNS
                                                        : size.ws_col;
    out->colours = !(no_colour && *no_colour) && term && !str_eq(str_of(term), S("dumb"));
    return true;
}

void terminal_add(const struct terminal *t, struct buf *out, enum paint paint, str text)
{
    bool painted = t->colours && paints[paint] && text.len;
    if (painted)
        buf_printf(out, "\033[%sm", paints[paint]);
    buf_add(out, text);
    if (painted)
        buf_add(out, S("\033[0m"));
}

/* How much of the text goes on one line, and where the next begins. */
static size_t line_length(str text, size_t columns, size_t *next)
{
    size_t used = 0, blank = 0, at = 0, bytes;
    for (; at < text.len && text.at[at] != '\n'; at += bytes) {
        int32_t c = utf8_decode(text, at, &bytes);
        size_t width = (size_t)unicode_columns(c);
        if (used + width > columns) {
            *next = blank ? blank + 1 : at;
            return blank ? blank : at;
        }
        if (c == ' ')
            blank = at;
        used += width;
    }
    *next = at + (at < text.len);
    return at;
}

void terminal_wrap(const struct terminal *t, struct buf *out, enum paint paint, size_t indent,
                   str text)
{
    size_t columns = t->columns > indent + 10 ? t->columns - indent : 10;
    do {
        size_t next, length = line_length(text, columns, &next);
        buf_printf(out, length ? "%*s" : "", (int)indent, "");
        terminal_add(t, out, paint, str_cut(text, 0, length));
        buf_add_char(out, '\n');
        text = str_cut(text, next, text.len);
    } while (text.len);
}
