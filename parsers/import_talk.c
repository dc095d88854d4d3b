#include "parsers/import_talk.h"

#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"

static str keep(struct talk *t, str s, size_t most)
{
    return arena_str(t->reader->arena, utf8_prefix(s, most));
}

void talk_begin(struct talk *t, struct import_reader *r, str session, str project)
{
    *t = (struct talk){.reader = r};
    t->session = keep(t, session, MAX_TALK_NAME_BYTES);
    t->project = keep(t, project, MAX_TALK_NAME_BYTES);
}

void talk_entitle(struct talk *t, str title)
{
    t->title = keep(t, title, MAX_TALK_NAME_BYTES);
}

void talk_edited(struct talk *t, str path)
{
    str below = t->project;
    if (below.len && str_starts(path, below) && path.len > below.len && path.at[below.len] == '/')
        path = str_cut(path, below.len + 1, path.len);
    for (size_t i = 0; i < t->file_count; i++)
        if (str_eq(t->files[i], path))
            return;
    if (t->file_count < MAX_TALK_FILES && path.len && path.len <= MAX_TALK_NAME_BYTES)
        t->files[t->file_count++] = keep(t, path, MAX_TALK_NAME_BYTES);
}

/* What an agent puts first by itself tells nothing of the session. */
static bool is_lead(str text)
{
    return text.len && text.at[0] != '<' && !str_starts(text, S("# AGENTS.md")) &&
           !str_starts(text, S("Caveat:"));
}

bool talk_turn(struct talk *t, str key, bool by_user, int64_t at_ms, str text)
{
    text = str_trim(text);
    if (!text.len)
        return true;
    if (by_user && !t->lead.len && is_lead(text))
        t->lead = keep(t, text, MAX_TALK_LEAD_BYTES);
    t->prompts += by_user && is_lead(text);
    t->answers += !by_user;
    if (at_ms) {
        t->first_ms = t->first_ms ? t->first_ms : at_ms;
        t->last_ms = at_ms;
    }
    return import_give(t->reader, &(struct import_item){.what = IMPORT_TURN,
                                                        .by_user = by_user,
                                                        .has_at = at_ms != 0,
                                                        .at_ms = at_ms,
                                                        .key = key,
                                                        .text = text,
                                                        .session = t->session,
                                                        .project = t->project});
}

static void tell_counts(const struct talk *t, struct buf *out)
{
    struct arena scratch = {0};
    if (t->title.len)
        buf_printf(out, "%.*s; ", FMT(t->title));
    buf_printf(out, "session");
    if (t->first_ms)
        buf_printf(out, " of %.*s to %.*s", FMT(iso_format(&scratch, t->first_ms)),
                   FMT(iso_format(&scratch, t->last_ms)));
    buf_printf(out, ", %zu prompt%s, %zu answer%s", t->prompts, t->prompts == 1 ? "" : "s",
               t->answers, t->answers == 1 ? "" : "s");
    for (size_t i = 0; i < t->file_count; i++)
        buf_printf(out, "%s%.*s", i ? ", " : "; edited ", FMT(t->files[i]));
    arena_free(&scratch);
}

/* A single question without a name or an edit is no story: told at the next session's start it
 * would only stand before what matters. What was said in it that is worth keeping is kept by
 * itself. */
static bool is_story(const struct talk *t)
{
    return t->session.len && (t->prompts > 1 || (t->prompts && (t->title.len || t->file_count)));
}

bool talk_end(struct talk *t)
{
    struct buf text = {.max_bytes = MAX_IMPORT_TEXT_BYTES};
    if (!is_story(t))
        return true;
    tell_counts(t, &text);
    bool ok = import_give(
        t->reader,
        &(struct import_item){.what = IMPORT_EPISODE,
                              .has_at = t->first_ms != 0,
                              .at_ms = t->first_ms,
                              .key = arena_printf(t->reader->item, "session:%.*s", FMT(t->session)),
                              .text = buf_str(&text),
                              .lead = t->lead,
                              .session = t->session,
                              .project = t->project});
    buf_free(&text);
    return ok;
}
