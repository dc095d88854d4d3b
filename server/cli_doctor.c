#include "server/cli_agents.h"

#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"
#include "memory/code.h"
#include "server/confine.h"
#include "server/http_client.h"
#include "server/model_settings.h"
#include "server/model_try.h"
#include "server/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { LOW_SPACE_MIB = 100, MAX_PROBLEMS_SHOWN = 10 };

enum verdict { VERDICT_OK, VERDICT_WARN, VERDICT_FAIL };
static const char *const verdict_name[] = {"ok", "warn", "fail"};

/* What one check found: `text` says it, `remedy` what to do (empty when ok). */
struct finding {
    enum verdict verdict;
    str text, remedy;
};

static struct finding ok(str text)
{
    return (struct finding){VERDICT_OK, text, S("")};
}

static struct finding failed(struct cli *c, const struct err *e, const char *remedy)
{
    return (struct finding){VERDICT_FAIL, arena_str(&c->arena, str_of(e->text)), str_of(remedy)};
}

static struct finding check_settings(struct cli *c)
{
    struct err e = {0};
    if (!cli_configure(c, &e))
        return failed(c, &e, "correct this setting");
    str path = config_file_path(&c->arena, &c->config);
    bool there = path.len && access(arena_cstr(&c->arena, path), F_OK) == 0;
    return ok(
        arena_printf(&c->arena, "%.*s %s", FMT(path.len ? path : S("no settings file")),
                     there ? "is read" : "isn't there, the environment and the defaults hold"));
}

static struct finding check_space(struct cli *c, str folder)
{
    struct statvfs fs;
    if (statvfs(arena_cstr(&c->arena, folder), &fs) != 0)
        return ok(folder);
    unsigned long long mib = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
    str text = arena_printf(&c->arena, "%.*s, %llu MiB free", FMT(folder), mib);
    if (mib < LOW_SPACE_MIB)
        return (struct finding){VERDICT_WARN, text,
                                S("free some space; a full disk refuses every write")};
    return ok(text);
}

static struct finding check_data(struct cli *c)
{
    struct err e = {0};
    str folder;
    if (!projects_home(c->projects, &c->arena, &folder, &e))
        return failed(c, &e, "set XDG_DATA_HOME or HOME");
    int fd = open(arena_cstr(&c->arena, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return ok(arena_printf(&c->arena, "%.*s will be made at the first use", FMT(folder)));
    if (fd < 0) {
        fail(&e, ERR_IO, "%.*s: %s", FMT(folder), strerror(errno));
        return failed(c, &e, "make it a folder of your own, or set XDG_DATA_HOME");
    }
    bool safe = registry_folder_is_safe(fd, folder, &e);
    bool writable =
        safe && (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) == 0 ||
                 fail(&e, ERR_IO, "%.*s can't be written: %s", FMT(folder), strerror(errno)));
    close(fd);
    return writable ? check_space(c, folder)
                    : failed(c, &e, "make it a folder of your own with mode 0700");
}

static struct finding check_project(struct cli *c)
{
    struct err e = {0};
    struct place p;
    if (!projects_place(c->projects, &c->arena, &p, &e))
        return failed(c, &e, "run it in the project, or give --project DIR");
    str at = p.branch.len ? p.branch : p.head.len ? S("detached") : S("");
    return ok(arena_printf(&c->arena, "%.*s (%.*s) at %.*s, by %s%s%.*s", FMT(p.name), FMT(p.id),
                           FMT(utf8_repair(&c->arena, p.root)), p.source, at.len ? ", on " : "",
                           FMT(at)));
}

static struct finding problems_found(struct cli *c, const str *problems, size_t count)
{
    struct buf list = {0};
    for (size_t i = 0; i < count && i < MAX_PROBLEMS_SHOWN; i++)
        buf_printf(&list, "%s%.*s", i ? "; " : "", FMT(problems[i]));
    if (count > MAX_PROBLEMS_SHOWN)
        buf_printf(&list, "; and %zu more", count - MAX_PROBLEMS_SHOWN);
    str text = arena_str(&c->arena, buf_str(&list));
    buf_free(&list);
    return (struct finding){VERDICT_FAIL, text,
                            S("keep a copy of the folder, then `engram export` what can be read, "
                              "and import it elsewhere")};
}

static struct finding check_database(struct cli *c)
{
    struct err e = {0};
    str folder;
    if (!projects_directory(c->projects, &c->arena, &folder, &e))
        return failed(c, &e, "see the lines above");
    str path = arena_printf(&c->arena, "%.*s/memory.db", FMT(folder));
    if (access(path.at, F_OK) != 0 && errno == ENOENT)
        return ok(arena_printf(&c->arena, "%.*s will be made at the first use", FMT(path)));

    struct memory *memory;
    struct project_ref ref;
    str *problems;
    size_t count;
    if (!cli_memory(c, &memory, &ref, &e) ||
        !memory_check(memory, &c->arena, &problems, &count, &e))
        return failed(c, &e, "keep a copy of the folder before you change anything in it");
    return count ? problems_found(c, problems, count)
                 : ok(arena_printf(&c->arena, "%.*s is sound", FMT(path)));
}

/* The project's memory, where it was made before. */
static bool find_memory(struct cli *c, struct memory **out)
{
    struct err ignored = {0};
    struct project_ref ref;
    str folder;
    return projects_directory(c->projects, &c->arena, &folder, &ignored) &&
           access(arena_printf(&c->arena, "%.*s/memory.db", FMT(folder)).at, F_OK) == 0 &&
           cli_memory(c, out, &ref, &ignored);
}

/* What is indexed of the caller's worktree. */
static struct finding check_sources(struct cli *c)
{
    struct err ignored = {0};
    struct memory *memory;
    struct place place;
    struct code_worktree *all;
    size_t count;
    if (!c->config.index)
        return ok(S("ENGRAM_INDEX is off: no source file is read"));
    if (find_memory(c, &memory) && projects_place(c->projects, &c->arena, &place, &ignored) &&
        memory_code_worktrees(memory, &c->arena, &all, &count, &ignored))
        for (size_t i = 0; i < count; i++)
            if (str_eq(all[i].root, place.root))
                return ok(arena_printf(&c->arena, "%zu files are indexed, %zu left out%s%s%.*s",
                                       all[i].files, all[i].skipped,
                                       all[i].is_whole ? "" : "; not all are read yet",
                                       all[i].note.len ? "; " : "", FMT(all[i].note)));
    return ok(S("no file is indexed yet; a server's first call or `engram index` begins it"));
}

/* The lines of the memory's status that tell a version. */
static struct finding check_versions(struct cli *c)
{
    struct buf list = {0};
    buf_printf(&list, "engram %s", ENGRAM_VERSION);
    struct err ignored = {0};
    struct memory *memory;
    struct status_line *lines;
    size_t count;
    if (find_memory(c, &memory) &&
        memory_status(memory, &c->arena, c->request.now_ms, &lines, &count, &ignored))
        for (size_t i = 0; i < count; i++) {
            str name = lines[i].name;
            if (str_find(name, S("version"), 0) == name.len &&
                str_find(name, S("sqlite"), 0) == name.len &&
                str_find(name, S("schema"), 0) == name.len)
                continue;
            if (lines[i].text.len)
                buf_printf(&list, ", %.*s %.*s", FMT(name), FMT(lines[i].text));
            else
                buf_printf(&list, ", %.*s %lld", FMT(name), (long long)lines[i].number);
        }
    str text = arena_str(&c->arena, buf_str(&list));
    buf_free(&list);
    return ok(text);
}

static struct finding check_worker(struct cli *c)
{
    struct err e = {0};
    str path;
    if (!spawn_worker_path(&c->arena, &path, &e))
        return failed(
            c, &e, "install engram-worker beside engram; without it no document can be attached");
    if (access(arena_cstr(&c->arena, path), X_OK) != 0) {
        fail(&e, ERR_IO, "%.*s: %s", FMT(path), strerror(errno));
        return failed(c, &e,
                      "make engram-worker executable; without it no document can be attached");
    }
    return ok(path);
}

/* ---- models: each is asked something, so that a wrong key or a dead endpoint is seen here ---- */

static struct finding check_model(struct cli *c, enum provider_purpose purpose)
{
    struct models m;
    struct err e = {0};
    str said;
    if (!model_settings(&c->arena, &c->config, &m, &e))
        return failed(c, &e, "correct this setting");
    const struct provider_settings *s = &m.of[purpose];
    if (!s->row)
        return ok(S("none is set up"));
    struct http_client *client = http_client_open(c->config.http_proxy);
    struct transport t = http_client_transport(client);
    bool answers = model_try(&c->arena, &t, s, purpose, &said, &e);
    http_client_close(client);
    str host = provider_place(s);
    str name = arena_printf(&c->arena, "%s, %.*s%s%.*s", s->row->name,
                            FMT(provider_model(s, purpose)), host.len ? " at " : "", FMT(host));
    if (answers)
        return ok(arena_printf(&c->arena, "%.*s: %.*s", FMT(name), FMT(said)));
    return (struct finding){VERDICT_WARN, arena_printf(&c->arena, "%.*s: %s", FMT(name), e.text),
                            S("everything else works without it; `engram setup-model` sets it up")};
}

static struct finding check_embeddings(struct cli *c)
{
    return check_model(c, PROVIDER_EMBED);
}

static struct finding check_reranking(struct cli *c)
{
    return check_model(c, PROVIDER_RERANK);
}

static struct finding check_llm(struct cli *c)
{
    return check_model(c, PROVIDER_LLM);
}

/* The last hook that an agent ran, since hooks themselves say nothing of what went wrong. */
static struct finding check_hooks(struct cli *c)
{
    enum { MAX_NOTE_BYTES = 4096 };
    struct err e = {0};
    str folder, text;
    if (!projects_home(c->projects, &c->arena, &folder, &e))
        return failed(c, &e, "set XDG_DATA_HOME or HOME");
    str path = arena_printf(&c->arena, "%.*s/last_hook.json", FMT(folder));
    int fd = open(path.at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return ok(S("no agent has run one yet"));
    bool read = read_fd(&c->arena, fd, MAX_NOTE_BYTES, &text, &e);
    close(fd);
    json_t *note = read ? json_loadb(text.at, text.len, 0, NULL) : NULL;
    const char *event = "", *trouble = "";
    json_int_t at_ms = 0, took_ms = 0;
    bool whole = json_unpack(note, "{s:s, s:I, s:I, s:s}", "event", &event, "at_ms", &at_ms,
                             "took_ms", &took_ms, "trouble", &trouble) == 0;
    str at = iso_format(&c->arena, at_ms);
    str said = arena_printf(&c->arena, "%s ran at %.*s and took %lld ms%s%s", event, FMT(at),
                            (long long)took_ms, trouble[0] ? ": " : "", trouble);
    struct finding f = ok(S("the note on the last one can't be read"));
    if (whole)
        f = (struct finding){trouble[0] ? VERDICT_WARN : VERDICT_OK, said,
                             trouble[0] ? S("the same command by hand may tell more") : S("")};
    json_decref(note);
    return f;
}

/* What agents start by their own settings, started and spoken to. */
static struct finding check_agents(struct cli *c)
{
    struct arena *a = &c->arena;
    struct err e = {0};
    struct agents_found found;
    if (!cli_agents_ask(c, &found, &e))
        return failed(c, &e, "set HOME");
    if (found.bad.len)
        return (struct finding){VERDICT_FAIL,
                                arena_printf(a, "%.*s%s%.*s", FMT(found.bad),
                                             found.good.len ? "; well: " : "", FMT(found.good)),
                                arena_printf(a, "engram setup %.*s", FMT(found.bad_names))};
    return found.good.len ? ok(arena_printf(a, "%.*s", FMT(found.good)))
                          : ok(S("none is set up for you; `engram setup AGENT` does it"));
}

static const struct check {
    const char *name;
    struct finding (*run)(struct cli *c);
} checks[] = {
    {"settings", check_settings},     {"data directory", check_data}, {"project", check_project},
    {"database", check_database},     {"versions", check_versions},   {"worker", check_worker},
    {"sources", check_sources},       {"hooks", check_hooks},         {"agents", check_agents},
    {"embeddings", check_embeddings}, {"reranking", check_reranking}, {"language model", check_llm},
};
enum { CHECK_COUNT = sizeof(checks) / sizeof(checks[0]) };

static void print_finding(struct cli *c, const char *name, const struct finding *f)
{
    cli_print(c, arena_printf(&c->arena, "%-4s  %-15s %.*s", verdict_name[f->verdict], name,
                              FMT(f->text)));
    if (f->remedy.len)
        cli_print(c, arena_printf(&c->arena, "%23s%.*s", "-> ", FMT(f->remedy)));
}

static void print_findings_json(struct cli *c, const struct finding *findings, size_t count,
                                bool healthy)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        str text = unicode_visible(&c->arena, findings[i].text);
        json_t *row = json_pack("{s:s, s:s, s:s%}", "name", checks[i].name, "status",
                                verdict_name[findings[i].verdict], "text", text.at, text.len);
        if (findings[i].remedy.len)
            json_object_set_new(row, "remedy",
                                json_stringn(findings[i].remedy.at, findings[i].remedy.len));
        json_array_append_new(list, row);
    }
    json_t *json = json_pack("{s:b, s:o}", "ok", healthy, "checks", list);
    cli_print_json(json);
    json_decref(json);
}

static int run_doctor(struct cli *c)
{
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    struct finding findings[CHECK_COUNT];
    size_t count = 0;
    bool healthy = true;
    /* Nothing can be checked with settings that don't hold. */
    for (size_t i = 0; i < CHECK_COUNT && (i == 0 || findings[0].verdict == VERDICT_OK); i++) {
        if (i == 1)
            c->projects = projects_open(&c->config);
        findings[count++] = checks[i].run(c);
        healthy = healthy && findings[i].verdict != VERDICT_FAIL;
    }
    if (c->json)
        print_findings_json(c, findings, count, healthy);
    for (size_t i = 0; i < count && !c->json; i++)
        print_finding(c, checks[i].name, &findings[i]);
    return healthy ? CLI_DONE : CLI_NOTHING;
}

const struct command command_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "Check that everything works here; exit code 1 where something doesn't.",
    .help = "It changes nothing. Run it in the project, or with --project DIR.\n",
    .run = run_doctor,
};
