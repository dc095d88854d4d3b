/* One change to a text file of somebody else's settings, as pure functions: text in, text out. What
 * isn't ours keeps its bytes: comments, order, indentation, line ends. A text that can't be read is
 * an error that says where, and nothing comes out. */
#ifndef ENGRAM_SETUP_EDIT_H
#define ENGRAM_SETUP_EDIT_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum {
    MAX_EDIT_BYTES = 4 * 1024 * 1024, /* of a file */
    MAX_EDIT_DEPTH = 128,             /* of nesting in it */
    MAX_EDIT_KEYS = 4,                /* of a path in it */
};

/* What is put into a file or taken out of it. All texts are as they shall stand in the file, with
 * \n and two spaces a level; the editor gives them the file's line ends and indentation. */
struct edit {
    const char *const *keys; /* from the outside in, ends in NULL; none for a format without keys */
    bool is_element; /* the keys name a list that others use too, and `value` is one of it */
    str value;
    str own;     /* what only our element of a list holds */
    str current; /* an entry of ours that holds this is good as it is, whatever else it says */
    str fresh;   /* what a file that isn't there begins with; empty: the format's own beginning */
};

struct edit_format {
    /* The text with the entry in it; *out is `text` itself where nothing is to be done. */
    bool (*put)(struct arena *a, str text, const struct edit *edit, str *out, struct err *e);

    /* The text without the entry; *out is `text` itself where there was none. `before` is what the
     * file held before our first put: what stood around the entry only for its sake goes along.
     * before.at == NULL: nobody knows, and only the entry goes. */
    bool (*take)(struct arena *a, str text, str before, const struct edit *edit, str *out,
                 struct err *e);

    /* The entry as it stands there, within `text`; empty where there is none. NULL: the format has
     * none that starts anything. */
    bool (*find)(struct arena *a, str text, const struct edit *edit, str *out, struct err *e);
};

extern const struct edit_format edit_json;  /* JSON with comments and commas at the end */
extern const struct edit_format edit_toml;  /* the keys are a table's name, `value` its lines */
extern const struct edit_format edit_yaml;  /* block style at the place of the keys */
extern const struct edit_format edit_block; /* a marked block in Markdown; see edit_block.c */
extern const struct edit_format edit_whole; /* a file that is ours alone */

/* ---- for the editors ---- */

/* Size, UTF-8, no NUL. */
bool edit_readable(str text, struct err *e);

/* ERR_INPUT "line L, column C: ..." for the byte `at`; always false. */
bool edit_fail_at(str text, size_t at, struct err *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Nothing but white space and perhaps a byte order mark? */
bool edit_is_blank(str text);

/* "\r\n" where the text's first line ends so, else "\n". */
const char *edit_line_end(str text);

/* Where the line of the byte `at` begins; where it ends, before its \n or \r\n; behind that. */
size_t edit_line_start(str text, size_t at);
size_t edit_line_stop(str text, size_t at);
size_t edit_next_line(str text, size_t at);

/* The text with bytes [from, to) replaced. */
str edit_splice(struct arena *a, str text, size_t from, size_t to, str with);

/* `value` for a place `indent` deep in a text with these line ends, each of its levels `unit`. The
 * first line gets no indentation. */
str edit_indented(struct arena *a, str value, str indent, str unit, const char *line_end);

/* The text with `value` as a paragraph of its own at the end, which keeps its line end or has none
 * still. */
str edit_append(struct arena *a, str text, str value);

/* The text without the lines [from, to), and without the empty line that parted them from what
 * stands before, where nothing follows that needs it. */
str edit_remove_lines(struct arena *a, str text, size_t from, size_t to);

#endif
