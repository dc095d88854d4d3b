#include "server/setup/setup.h"

#include "memory/base/buf.h"
#include "memory/base/hash.h"
#include "server/setup/own_command.h"
#include "server/setup/target.h"
#include "server/setup/text_diff.h"

#include <stdlib.h>
#include <unistd.h>

/* One part of one agent on its way. */
struct task {
    struct arena *a;
    const struct setup_world *w;
    struct setup_state *state;
    const struct setup_wish *wish;
    const struct agent *agent;
    enum setup_part part;
    const struct agent_part *rows;
    str program; /* as the agent is to start it */
    str item;    /* "agent part", as the state has it */
    struct target target;
    struct setup_outcome *out;
};

/* ---- where things are ---- */

/* A path of the table; "" where the variable that moves it isn't set to an absolute path. */
static str user_path(struct arena *a, const struct setup_world *w, const char *path)
{
    str p = str_of(path);
    if (str_starts(p, S("$CONFIG/")))
        return arena_printf(a, "%.*s/%s", FMT(w->config_home), path + 8);
    return arena_printf(a, "%.*s/%s", FMT(w->home), path + 2);
}

static str path_of(const struct task *t)
{
    const char *file = t->rows->files[t->wish->scope];
    if (!file || !t->rows->edit_count)
        return S("");
    if (t->wish->scope == SCOPE_PROJECT)
        return arena_printf(t->a, "%.*s/%s", FMT(t->w->project), file);
    str moved = t->agent->variable && t->rows->moved ? t->w->variable(t->agent->variable) : S("");
    return str_starts(moved, S("/")) ? arena_printf(t->a, "%.*s/%s", FMT(moved), t->rows->moved)
                                     : user_path(t->a, t->w, file);
}

/* The program's path by PATH; empty where it isn't there. */
static str find_program(struct arena *a, str path, const char *name)
{
    for (size_t at = 0; name && at < path.len;) {
        size_t end = str_find_char(path, ':', at);
        str file = arena_printf(a, "%.*s/%s", FMT(str_cut(path, at, end)), name);
        struct stat info;
        if (path.at[at] == '/' && stat(file.at, &info) == 0 && S_ISREG(info.st_mode) &&
            access(file.at, X_OK) == 0)
            return file;
        at = end + 1;
    }
    return S("");
}

static bool is_same_file(struct arena *a, str one, str other)
{
    struct stat x, y;
    return one.len && stat(arena_cstr(a, one), &x) == 0 && stat(arena_cstr(a, other), &y) == 0 &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* How the agent is to call us: by name where its PATH leads here, else by path. A project's file is
 * others' too, whose path isn't ours. */
static str program_for(const struct task *t)
{
    bool by_name = t->wish->scope == SCOPE_PROJECT ||
                   (!t->agent->is_desktop &&
                    is_same_file(t->a, find_program(t->a, t->w->path, "engram"), t->w->program));
    return by_name ? S("engram") : t->w->program;
}

bool setup_is_installed(struct arena *a, const struct setup_world *w, const struct agent *agent)
{
    bool found = find_program(a, w->path, agent->program).len > 0;
    for (size_t i = 0; i < sizeof agent->folders / sizeof *agent->folders; i++)
        if (agent->folders[i])
            found |= access(user_path(a, w, agent->folders[i]).at, F_OK) == 0;
    str moved = agent->variable ? w->variable(agent->variable) : S("");
    return found || (moved.len && access(arena_cstr(a, moved), F_OK) == 0);
}

/* ---- texts ---- */

static bool put_all(const struct task *t, str text, str *out, struct err *e)
{
    *out = text.at ? text : S("");
    for (size_t i = 0; i < t->rows->edit_count; i++) {
        struct edit edit =
            setup_edit_fill(t->a, t->rows, &t->rows->edits[i], t->wish->scope, t->program);
        if (!t->rows->format->put(t->a, *out, &edit, out, e))
            return false;
    }
    return true;
}

static bool take_all(const struct task *t, str text, str before, str *out, struct err *e)
{
    *out = text;
    for (size_t i = 0; i < t->rows->edit_count; i++) {
        struct edit edit =
            setup_edit_fill(t->a, t->rows, &t->rows->edits[i], t->wish->scope, t->program);
        if (!t->rows->format->take(t->a, *out, before, &edit, out, e))
            return false;
    }
    return true;
}

/* Without white space. */
static str squeezed(struct arena *a, str text)
{
    struct buf out = {0};
    str word;
    while (str_next_word(&text, &word))
        buf_add(&out, word);
    str s = arena_str(a, buf_str(&out));
    buf_free(&out);
    return s;
}

/* Is what is left no more than a new file's beginning? */
static bool is_bare(const struct task *t, str text)
{
    str left = squeezed(t->a, text);
    return !left.len || str_eq(left, S("{}")) ||
           str_eq(left, squeezed(t->a, str_of(t->rows->fresh)));
}

static str hash_of(const struct task *t, str text)
{
    return text.at ? hash128_hex(t->a, text) : S("none");
}

static void show(struct task *t, str after)
{
    t->out->diff = text_diff(t->a, t->target.text, after, t->out->file);
}

/* ---- an agent's own commands ---- */

/* Runs `words` where the agent has them for this part and its program is there, then reads the file
 * anew. false: it has none, or what it did isn't `wanted`, and an edit must do it. */
static bool run_own(struct task *t, const char *const *words, bool (*is_done)(struct task *t))
{
    const char *filled[MAX_OWN_WORDS + 1] = {NULL};
    if (!t->out->by.len)
        return false;
    for (size_t i = 0; i < MAX_OWN_WORDS && words[i]; i++)
        filled[i] = strcmp(words[i], "$PROGRAM") == 0 ? arena_cstr(t->a, t->program) : words[i];
    struct err why = {0}, ignored = {0};
    bool ran = own_command_run(t->a, find_program(t->a, t->w->path, words[0]), filled, &why);
    struct target now;
    if (!ran)
        t->out->instead_of = arena_str(t->a, str_of(why.text));
    if (!target_read(t->a, t->out->file, S(""), &now, &ignored))
        return false;
    t->target = now;
    return ran && is_done(t);
}

/* The command as the user would type it; empty where none will be run. */
static str own_command(const struct task *t, const char *const *words)
{
    if (t->part != PART_SERVER || t->wish->scope != SCOPE_USER || !words[0] ||
        !find_program(t->a, t->w->path, words[0]).len)
        return S("");
    str line = S("");
    for (size_t i = 0; i < MAX_OWN_WORDS && words[i]; i++) {
        str word = strcmp(words[i], "$PROGRAM") == 0 ? t->program : str_of(words[i]);
        line = arena_printf(t->a, "%.*s%s%.*s", FMT(line), i ? " " : "", FMT(word));
    }
    return line;
}

static bool is_put(struct task *t)
{
    struct err ignored = {0};
    str after;
    return t->target.text.at && put_all(t, t->target.text, &after, &ignored) &&
           str_eq(after, t->target.text);
}

static bool is_taken(struct task *t)
{
    struct err ignored = {0};
    str after;
    return !t->target.text.at || (take_all(t, t->target.text, (str){NULL, 0}, &after, &ignored) &&
                                  str_eq(after, t->target.text));
}

/* ---- putting ---- */

/* Did another agent's setup put the same part into the same file? */
static bool is_shared(const struct task *t, const struct setup_record *r)
{
    str part = arena_printf(t->a, " %s", setup_part_name[t->part]);
    for (size_t i = 0; r && i < r->item_count; i++)
        if (str_ends(r->items[i], part) && !str_eq(r->items[i], t->item))
            return true;
    return false;
}

/* What another agent's setup put there is this one's too: it goes with the last of them. */
static bool share(struct task *t, struct err *e)
{
    struct setup_record *r = setup_state_find(t->state, t->target.real);
    if (t->wish->dry_run || !is_shared(t, r))
        return true;
    setup_record_add_item(t->a, r, t->item);
    return setup_state_save(t->a, t->state, e);
}

/* The record, with the copy from before made and saved: from here on a crash loses nothing. */
static struct setup_record *begin_record(struct task *t, struct err *e)
{
    struct setup_record *r = setup_state_find(t->state, t->target.real);
    if (!r) {
        r = setup_state_add(t->a, t->state, t->target.real);
        if (!setup_state_keep_backup(t->a, t->state, r, t->target.text, e)) {
            setup_state_drop(t->state, r);
            return NULL;
        }
    } else if (!str_eq(r->written, hash_of(t, t->target.text))) {
        r->exact = false;
    }
    return r;
}

static bool has_item(const struct setup_record *r, str item)
{
    for (size_t i = 0; i < r->item_count; i++)
        if (str_eq(r->items[i], item))
            return true;
    return false;
}

static bool write_put(struct task *t, str after, struct err *e)
{
    struct setup_record *r = begin_record(t, e);
    if (!r)
        return false;
    bool is_new = !r->item_count, had = has_item(r, t->item);
    str was = r->written;
    size_t folders = 0;
    setup_record_add_item(t->a, r, t->item);
    r->written = hash_of(t, after);
    if (!setup_state_save(t->a, t->state, e))
        return false;
    bool ok = true;
    if (run_own(t, t->agent->add, is_put)) {
        r->written = hash_of(t, t->target.text);
    } else {
        t->out->by = S("");
        /* The command may have written without putting it. */
        ok = put_all(t, t->target.text, &after, e) &&
             target_write(t->a, &t->target, after, t->wish->scope == SCOPE_USER, &folders, e);
        r->written = hash_of(t, after);
        r->folders += (int64_t)folders;
    }
    if (r->backup.len)
        t->out->backup = arena_printf(t->a, "%.*s/%.*s", FMT(t->state->folder), FMT(r->backup));
    if (!ok && is_new) {
        setup_state_drop(t->state, r);
    } else if (!ok) { /* the file is as it was, and so is what is known of it */
        r->written = was;
        if (!had)
            setup_record_drop_item(r, t->item);
    }
    struct err ignored = {0};
    return setup_state_save(t->a, t->state, ok ? e : &ignored) && ok;
}

static bool put_part(struct task *t, struct err *e)
{
    str after;
    if (!put_all(t, t->target.text, &after, e))
        return fail_context(e, "%.*s", FMT(t->out->file));
    if (t->target.text.at && str_eq(after, t->target.text)) {
        t->out->status = SETUP_ALREADY;
        return share(t, e);
    }
    t->out->by = own_command(t, t->agent->add);
    show(t, after);
    t->out->status = SETUP_DONE;
    return t->wish->dry_run || write_put(t, after, e);
}

/* ---- taking ---- */

/* Is this part the last of ours in a file that nobody else touched? */
static bool is_restorable(const struct task *t, const struct setup_record *r)
{
    return r && r->exact && r->item_count == 1 && str_eq(r->items[0], t->item) &&
           str_eq(r->written, hash_of(t, t->target.text));
}

/* What the file shall be: *after has at == NULL where it shall go. */
static bool plan_take(struct task *t, const struct setup_record *r, str *after, struct err *e)
{
    str before = {NULL, 0};
    if (r && !setup_state_read_backup(t->a, t->state, r, &before, e))
        return false;
    if (is_restorable(t, r)) {
        *after = before;
        t->out->status = SETUP_RESTORED;
        return true;
    }
    bool was_absent = r && !before.at;
    if (!take_all(t, t->target.text, was_absent ? S("") : before, after, e))
        return fail_context(e, "%.*s", FMT(t->out->file));
    bool is_last = r && r->item_count == 1 && str_eq(r->items[0], t->item);
    bool is_gone =
        (was_absent && is_last && is_bare(t, *after)) || (!after->len && t->target.text.len);
    t->out->status = str_eq(*after, t->target.text) ? SETUP_ABSENT : SETUP_TAKEN;
    if (is_gone && t->out->status == SETUP_TAKEN)
        *after = (str){NULL, 0};
    return true;
}

static bool write_take(struct task *t, const struct setup_record *r, str after, struct err *e)
{
    size_t ignored;
    if (t->out->status == SETUP_TAKEN && run_own(t, t->agent->remove, is_taken))
        return true;
    t->out->by = S("");
    return after.at ? target_write(t->a, &t->target, after, true, &ignored, e)
                    : target_remove(t->a, &t->target, r ? (size_t)r->folders : 0, e);
}

/* The record without this part; it goes with the last one. */
static bool end_record(struct task *t, struct setup_record *r, bool was_ours, str after,
                       struct err *e)
{
    if (!r)
        return true;
    setup_record_drop_item(r, t->item);
    if (!was_ours)
        r->exact = false;
    r->written = hash_of(t, after);
    if (!r->item_count)
        setup_state_drop(t->state, r);
    return setup_state_save(t->a, t->state, e);
}

static bool take_part(struct task *t, struct err *e)
{
    struct setup_record *r = setup_state_find(t->state, t->target.real);
    bool was_ours = r && str_eq(r->written, hash_of(t, t->target.text));
    str after = t->target.text;
    t->out->status = SETUP_ABSENT;
    if (is_shared(t, r))
        t->out->status = SETUP_SHARED;
    else if (t->target.text.at && !plan_take(t, r, &after, e))
        return false;
    bool changes = t->out->status == SETUP_TAKEN || t->out->status == SETUP_RESTORED;
    if (changes) {
        t->out->by = t->out->status == SETUP_TAKEN ? own_command(t, t->agent->remove) : S("");
        show(t, after);
    }
    if (t->wish->dry_run)
        return true;
    if (changes && !write_take(t, r, after, e))
        return false;
    bool by_own = t->out->by.len > 0;
    return end_record(t, r, was_ours, by_own ? t->target.text : after, e);
}

/* ---- one part ---- */

void setup_part_run(struct arena *a, const struct setup_world *w, struct setup_state *state,
                    const struct setup_wish *wish, const struct agent *agent, enum setup_part part,
                    struct setup_outcome *out)
{
    *out = (struct setup_outcome){.status = SETUP_NOTHING};
    struct task t = {.a = a,
                     .w = w,
                     .state = state,
                     .wish = wish,
                     .agent = agent,
                     .part = part,
                     .rows = &agent->parts[part],
                     .out = out};
    out->file = path_of(&t);
    if (!out->file.len)
        return;
    t.program = program_for(&t);
    t.item = arena_printf(a, "%s %s", agent->name, setup_part_name[part]);
    str below = wish->scope == SCOPE_PROJECT ? w->project : S("");
    bool ok = target_read(a, out->file, below, &t.target, &out->err) &&
              (wish->uninstall ? take_part(&t, &out->err) : put_part(&t, &out->err));
    if (!ok)
        out->status = SETUP_FAILED;
}

/* ---- what is there ---- */

bool setup_entry_find(struct arena *a, const struct setup_world *w, const struct agent *agent,
                      str *file, str *entry, struct err *e)
{
    struct setup_wish wish = {.scope = SCOPE_USER};
    struct task t = {.a = a,
                     .w = w,
                     .wish = &wish,
                     .agent = agent,
                     .part = PART_SERVER,
                     .rows = &agent->parts[PART_SERVER]};
    *entry = S("");
    *file = path_of(&t);
    if (!file->len)
        return true;
    t.program = w->program;
    struct edit edit = setup_edit_fill(a, t.rows, &t.rows->edits[0], SCOPE_USER, t.program);
    if (!target_read(a, *file, S(""), &t.target, e))
        return false;
    return !t.target.text.at || t.rows->format->find(a, t.target.text, &edit, entry, e);
}

str setup_program_find(struct arena *a, const struct setup_world *w, str name)
{
    const char *path = arena_cstr(a, name);
    if (str_find_char(name, '/', 0) == name.len)
        return find_program(a, w->path, path);
    return access(path, X_OK) == 0 ? name : S("");
}
