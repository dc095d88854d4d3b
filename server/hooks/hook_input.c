#include "server/hooks/hook_input.h"

#include "memory/base/unicode.h"

#include <jansson.h>

/* Claude Code's names, which Codex, VS Code and our plugin for OpenCode share, then Gemini's. */
static const struct {
    const char *name;
    enum hook_deed deed;
    bool now;
} events[] = {
    {"SessionStart", HOOK_BRIEF, false}, {"UserPromptSubmit", HOOK_ANSWER, false},
    {"PostToolUse", HOOK_EDITED, false}, {"Stop", HOOK_CAPTURE, false},
    {"PreCompact", HOOK_CAPTURE, true},  {"SessionEnd", HOOK_CAPTURE, true},
    {"BeforeAgent", HOOK_ANSWER, false}, {"AfterTool", HOOK_EDITED, false},
    {"AfterAgent", HOOK_CAPTURE, false}, {"PreCompress", HOOK_CAPTURE, true},
};

static str text_of(struct arena *a, const json_t *object, const char *const *names, size_t most)
{
    for (; *names; names++) {
        const json_t *value = json_object_get(object, *names);
        if (json_is_string(value) && json_string_length(value))
            return arena_str(
                a,
                utf8_prefix(str_from(json_string_value(value), json_string_length(value)), most));
    }
    return S("");
}

/* A path that would be cut is none. */
static str path_of(struct arena *a, const json_t *object, const char *const *names)
{
    str path = text_of(a, object, names, MAX_HOOK_PATH_BYTES);
    return path.len < MAX_HOOK_PATH_BYTES ? path : S("");
}

struct hook_input hook_input_read(struct arena *a, str event, str json)
{
    static const char *const event_names[] = {"hook_event_name", "hookEventName", NULL};
    static const char *const sessions[] = {"session_id", "sessionId", NULL};
    static const char *const folders[] = {"cwd", NULL};
    static const char *const prompts[] = {"prompt", "user_prompt", NULL};
    static const char *const transcripts[] = {"transcript_path", "transcriptPath", NULL};
    static const char *const paths[] = {"file_path", "filePath", "notebook_path", "path", NULL};
    static const char *const sources[] = {"source", NULL};
    enum { MAX_NAME_BYTES = 256 };
    struct hook_input in = {.event = event};
    json_t *object = json_loadb(json.at, json.len, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(object)) {
        str named = text_of(a, object, event_names, MAX_NAME_BYTES);
        in.event = named.len ? named : event;
        in.session = text_of(a, object, sessions, MAX_NAME_BYTES);
        in.cwd = path_of(a, object, folders);
        in.prompt = text_of(a, object, prompts, MAX_HOOK_PROMPT_BYTES);
        in.transcript = path_of(a, object, transcripts);
        in.path = path_of(a, json_object_get(object, "tool_input"), paths);
        str source = text_of(a, object, sources, MAX_NAME_BYTES);
        in.fresh = str_eq(source, S("compact")) || str_eq(source, S("clear")) ||
                   str_eq(source, S("startup"));
        for (size_t i = 0; i < sizeof events / sizeof *events; i++)
            if (str_eq(in.event, str_of(events[i].name))) {
                in.deed = events[i].deed;
                in.now = events[i].now;
            }
    }
    json_decref(object);
    return in;
}
