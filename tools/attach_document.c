#include "tools/args.h"
#include "tools/ingest.h"
#include "tools/render.h"
#include "tools/rows.h"

#include "memory/base/hash.h"
#include "memory/base/unicode.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DOCUMENT_MIB = MAX_DOCUMENT_BYTES >> 20 };

/* What waits for the parse; lives in the order's arena. */
struct attach {
    struct document_input in;
    struct memory *memory;
    struct project_ref project;
    str name;
    struct document_put *put; /* while it is stored */
    struct page_order *page;  /* NULL: it isn't one */
    int64_t pending, ticket;  /* of the document that was answered as pending; 0: none */
    struct err why;           /* it is given up for this; ERR_NONE: it isn't */
};

/* ---- the bytes ---- */

/* And its size and time, where it is a file that is looked after. */
static bool hash_of(struct arena *a, int fd, struct document_input *in, struct err *e)
{
    struct stat status;
    if (fstat(fd, &status))
        return fail(e, ERR_IO, "reading the document: %s", strerror(errno));
    if (status.st_size > MAX_DOCUMENT_BYTES)
        return fail(e, ERR_LIMIT, "path: %lld bytes; wanted: at most %d (%d MiB)",
                    (long long)status.st_size, MAX_DOCUMENT_BYTES, MAX_DOCUMENT_MIB);
    struct buf bytes = {.max_bytes = MAX_DOCUMENT_BYTES + 1};
    ssize_t n = 0;
    while (buf_reserve(&bytes, 65536) || buf_reserve(&bytes, MAX_DOCUMENT_BYTES + 1 - bytes.len)) {
        size_t room = bytes.len + 65536 <= MAX_DOCUMENT_BYTES + 1
                          ? 65536
                          : MAX_DOCUMENT_BYTES + 1 - bytes.len;
        n = room ? pread(fd, bytes.at + bytes.len, room, (off_t)bytes.len) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        bytes.len += (size_t)n;
    }
    bool ok = n >= 0 ? true : fail(e, ERR_IO, "reading the document: %s", strerror(errno));
    if (ok && bytes.len > MAX_DOCUMENT_BYTES)
        ok = fail(e, ERR_LIMIT, "path: grew beyond %d bytes while it was read", MAX_DOCUMENT_BYTES);
    if (ok)
        in->hash = hash128_hex(a, buf_str(&bytes));
    if (ok && in->root.len) {
        in->bytes = (int64_t)status.st_size;
        in->mtime_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    }
    buf_free(&bytes);
    return ok;
}

/* Content becomes a descriptor like any file, so that the parse worker has one way in. */
static int content_fd(str content, struct err *e)
{
    int fd = memfd_create("engram-content", MFD_CLOEXEC);
    for (size_t at = 0; fd >= 0 && at < content.len;) {
        ssize_t n = write(fd, content.at + at, content.len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            close(fd);
            fd = -1;
            break;
        }
        at += (size_t)n;
    }
    if (fd < 0)
        fail(e, ERR_IO, "keeping the content: %s", strerror(errno));
    else
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static bool open_path(struct request *r, struct arena *a, str path, struct attach *s, int *fd,
                      struct err *e)
{
    str relative;
    if (!r->services->open_file(r->services->ctx, r->arena, path, fd, &relative, e))
        return fail_context(e, "path");
    s->in.path = arena_str(a, relative);
    s->in.source = arena_printf(a, "file:%.*s", FMT(relative));
    s->in.root = s->project.root;
    s->name = s->in.path;
    return true;
}

static bool open_content(struct arena *a, str content, str name, struct attach *s, int *fd,
                         struct err *e)
{
    if (!str_trim(name).len)
        return fail(e, ERR_INPUT,
                    "name: missing; wanted: a file name for the content, such as notes.md");
    if (!str_trim(content).len)
        return fail(e, ERR_INPUT, "content: empty; wanted: the text of the document");
    s->name = arena_str(a, str_file_name(str_trim(name)));
    s->in.source = arena_printf(a, "content:%.*s", FMT(str_trim(name)));
    *fd = content_fd(content, e);
    return *fd >= 0;
}

/* Without what only a browser uses. The bytes come later. */
static bool open_page(struct request *r, struct arena *a, str url, struct attach *s, struct err *e)
{
    struct document_page known;
    if (!r->services->fetches)
        return fail(e, ERR_INPUT,
                    "url: pages are not fetched; wanted: ENGRAM_URLS=on in the user's settings, or "
                    "path, or content with name");
    url = str_trim(url);
    url = arena_str(a, str_cut(url, 0, str_find_char(url, '#', 0)));
    s->name = s->in.path = url;
    s->in.source = arena_printf(a, "url:%.*s", FMT(url));
    if (!memory_document_page(s->memory, r->arena, &s->in, &known, e))
        return false;
    s->page = ARENA_NEW(a, struct page_order);
    s->page->url = url;
    s->in.hash = arena_str(a, known.hash);
    if (!s->in.title.len) { /* another title needs the passages again */
        s->page->etag = arena_str(a, known.etag);
        s->page->modified = arena_str(a, known.modified);
    }
    return true;
}

/* The same content under a path where nothing is any more: the file was moved, and its document
 * with it. */
static bool follow_move(struct request *r, struct attach *s, struct err *e)
{
    struct document_file *files;
    size_t count;
    if (!s->in.root.len)
        return true;
    if (!memory_document_files(s->memory, r->arena, s->in.hash, &files, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        int fd;
        str relative;
        struct err gone = {0};
        bool moved;
        if (!str_eq(files[i].root, s->in.root) || str_eq(files[i].path, s->in.path))
            continue;
        if (r->services->open_file(r->services->ctx, r->arena, files[i].path, &fd, &relative,
                                   &gone))
            close(fd);
        else if (gone.code == ERR_NOT_FOUND)
            return memory_document_move(s->memory, r->arena, files[i].id, &s->in, &moved, e);
    }
    return true;
}

/* ---- the reply ---- */

static bool answer(struct request *r, const struct attach *s, const struct document_result *out,
                   struct tool_reply *reply)
{
    static const char *const words[] = {"attached", "unchanged", "replaced", "pending"};
    struct arena *a = r->arena;
    json_t *json = json_object(), *warnings = json_array();
    set_new(json, "id", json_id(a, NODE_DOCUMENT, out->id));
    set_new(json, "status", json_string(words[out->status]));
    set_new(json, "title", json_str(a, out->title));
    set_new(json, "media_type", json_str(a, out->media_type));
    set_new(json, "passages", json_integer((json_int_t)out->passages));
    set_new(json, "entities", json_integer((json_int_t)out->entities));
    set_new(json, "tokens", json_integer((json_int_t)out->tokens));
    for (size_t i = 0; i < out->warning_count; i++)
        json_array_append_new(warnings, json_str(a, out->warnings[i]));
    set_new(json, "warnings", warnings);
    set_new(json, "project", json_project(a, &s->project));
    reply->structured = json;
    reply->text = render_lines(a, json);
    return true;
}

/* ---- the steps ---- */

static bool check_sources(const json_t *args, struct err *e)
{
    bool path = arg_str(args, "path").len, content = json_object_get(args, "content") != NULL,
         url = arg_str(args, "url").len;
    if (url && (path || content))
        return fail(e, ERR_INPUT, "url: given beside %s; wanted: one of the two",
                    path ? "path" : "content");
    if (path && content)
        return fail(e, ERR_INPUT, "content: given beside path; wanted: one of the two");
    if (!path && !content && !url)
        return fail(e, ERR_INPUT, "path: missing; wanted: path, or content with name, or url");
    return true;
}

/* Copies into the order's arena: the request is gone when the parse is done. */
static struct attach *make_state(struct request *r, struct arena *a, const json_t *args)
{
    struct attach *s = ARENA_NEW(a, struct attach);
    s->in.from =
        (struct provenance){r->origin, r->now_ms, arena_str(a, r->branch), arena_str(a, r->head)};
    s->in.title = arena_str(a, unicode_squeeze(r->arena, arg_str(args, "title")));
    s->in.session = arena_str(a, r->session);
    s->in.path = S("");
    return s;
}

static bool begin(struct request *r, struct arena *a, const json_t *args, struct attach *s, int *fd,
                  struct tool_reply *reply, struct err *e)
{
    struct document_result out;
    struct project_ref project;
    bool known;
    if (!r->services->project(r->services->ctx, S(""), &s->memory, &project, e))
        return false;
    s->project = (struct project_ref){arena_str(a, project.id), arena_str(a, project.name),
                                      arena_str(a, project.root)};
    if (arg_str(args, "url").len)
        return open_page(r, a, arg_str(args, "url"), s, e);
    bool opened = arg_str(args, "path").len
                      ? open_path(r, a, arg_str(args, "path"), s, fd, e)
                      : open_content(a, arg_str(args, "content"), arg_str(args, "name"), s, fd, e);
    if (!opened || !hash_of(a, *fd, &s->in, e) || !follow_move(r, s, e) ||
        !memory_document_known(s->memory, r->arena, &s->in, &known, &out, e))
        return false;
    return !known || (memory_document_seen(s->memory, r->arena, out.id, &s->in, e) &&
                      answer(r, s, &out, reply));
}

bool tool_attach(struct request *r, const json_t *args, struct tool_reply *reply, struct err *e)
{
    if (!check_sources(args, e))
        return false;
    struct arena *a = heap_alloc(1, sizeof *a);
    struct attach *s = make_state(r, a, args);
    int fd = -1;
    if (begin(r, a, args, s, &fd, reply, e) && !reply->structured) {
        struct parse_order *order = ARENA_NEW(a, struct parse_order);
        *order = (struct parse_order){
            .fd = fd, .name = s->name, .hash = s->in.hash, .page = s->page, .state = s, .arena = a};
        reply->order = order;
        return true;
    }
    if (fd >= 0)
        close(fd);
    arena_free(a);
    heap_free(a);
    return e->code == ERR_NONE;
}

/* One step of taking out what was begun; true: there is more. */
static bool take_out(struct attach *s)
{
    struct err ignored = {0};
    bool over = true;
    if (s->put && !memory_document_end(s->memory, s->put, str_of(s->why.text)))
        return true;
    s->put = NULL;
    if (s->pending && /* of the call that waited; a later ticket of `put` makes this do nothing */
        memory_document_abandon(s->memory, s->pending, s->ticket, str_of(s->why.text), &over,
                                &ignored) &&
        !over)
        return true;
    s->pending = 0;
    return false;
}

/* What was begun is taken out again, with other calls in between, and then the call fails with the
 * error that is there the first time. */
static bool give_up(struct attach *s, struct tool_reply *reply, struct err *e)
{
    if (s->why.code == ERR_NONE)
        s->why = *e;
    *e = (struct err){0};
    reply->again = take_out(s);
    if (!reply->again)
        *e = s->why;
    return reply->again;
}

static bool store_some(struct attach *s, struct request *r, struct parse_order *order,
                       const struct facts *facts, struct tool_reply *reply, struct err *e)
{
    struct document_result out;
    bool done;
    if (!s->put && !ingest_begin(order->arena, &s->in, facts, &s->put, e))
        return give_up(s, reply, e);
    if (!memory_document_step(s->memory, s->put, &done, &out, e))
        return give_up(s, reply, e);
    reply->again = !done;
    if (!done)
        return true;
    memory_document_end(s->memory, s->put, S(""));
    s->put = NULL;
    return answer(r, s, &out, reply);
}

/* What came is what is stored already, as its server or its bytes say. *done with the reply. */
static bool take_page(struct attach *s, struct request *r, struct tool_reply *reply, bool *done,
                      struct err *e)
{
    struct document_result out;
    const struct page_order *page = s->page;
    if (!page->is_unchanged)
        s->in.hash = page->hash;
    s->in.etag = page->etag;
    s->in.modified = page->modified;
    if (!memory_document_known(s->memory, r->arena, &s->in, done, &out, e))
        return false;
    if (!*done) /* forgotten meanwhile, though it was there when it was asked for */
        return !page->is_unchanged || fail(e, ERR_CONFLICT, "the document was forgotten meanwhile");
    return memory_document_seen(s->memory, r->arena, out.id, &s->in, e) &&
           answer(r, s, &out, reply);
}

/* The memory can't be had any more, and the order's arena ends with the call: whoever prepares
 * passages reads there. */
static void let_go(struct attach *s)
{
    if (s->put)
        memory_document_drop(s->put);
    s->put = NULL;
}

bool tool_attach_resume(struct request *r, struct parse_order *order, const struct facts *facts,
                        const struct err *parse_error, struct tool_reply *reply, struct err *e)
{
    struct attach *s = order->state;
    /* The memory may have been closed and opened again while the parse ran. */
    if (!r->services->project(r->services->ctx, s->project.id, &s->memory, &(struct project_ref){0},
                              e)) {
        let_go(s);
        if (s->why.code != ERR_NONE) /* the first error, as give_up has it */
            *e = s->why;
        return false;
    }
    bool is_done = false;
    if (s->why.code != ERR_NONE)
        return give_up(s, reply, e);
    if (facts && s->page && !s->put && !take_page(s, r, reply, &is_done, e))
        return give_up(s, reply, e);
    if (is_done)
        return true;
    if (facts)
        return store_some(s, r, order, facts, reply, e);
    if (s->page && s->page->hash.len)
        s->in.hash = s->page->hash;
    ingest_failure(s->memory, &s->in, order->name, order->strike, parse_error, e);
    return give_up(s, reply, e);
}

bool tool_attach_pend(struct request *r, struct parse_order *order, struct tool_reply *reply,
                      struct err *e)
{
    struct attach *s = order->state;
    struct document_result out;
    if (!r->services->project(r->services->ctx, s->project.id, &s->memory, &(struct project_ref){0},
                              e))
        return false;
    if (s->put) { /* it is claimed already */
        memory_document_pend(s->put, &out);
        return answer(r, s, &out, reply);
    }
    if (!memory_document_pending(s->memory, r->arena, &s->in, &out, e))
        return false;
    s->pending = out.id;
    s->ticket = out.ticket;
    return answer(r, s, &out, reply);
}
