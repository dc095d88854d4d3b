#include "server/setup/agents.h"

#include "embed_instructions.h"
#include "embed_plugin.h"
#include "memory/base/buf.h"

const char *const setup_part_name[PART_COUNT] = {"server", "hooks", "instructions"};

#define ROWS(array) .edits = array, .edit_count = sizeof(array) / sizeof((array)[0])

/* ---- servers ---- */

#define IN_JSON .own = "", .current = "$STRING"

static const struct edit_row claude_server[] = {{
    .keys = {"mcpServers", "engram"},
    .value = "{\n  \"type\": \"stdio\",\n  \"command\": $STRING,\n  \"args\": [\"serve\"]\n}",
    IN_JSON,
}};
static const struct edit_row plain_server[] = {{
    .keys = {"mcpServers", "engram"},
    .value = "{\n  \"command\": $STRING,\n  \"args\": [\"serve\"]\n}",
    IN_JSON,
}};
/* An editor starts the user's servers anywhere and tells its folders as roots; in a project's file
 * it can name the project itself. */
#define NAMED_ARGS "[\"serve\", \"--project\", \"${workspaceFolder}\"]"
static const struct edit_row cursor_server[] = {{
    .keys = {"mcpServers", "engram"},
    .value = "{\n  \"command\": $STRING,\n  \"args\": [\"serve\"]\n}",
    .project_value = "{\n  \"command\": $STRING,\n  \"args\": " NAMED_ARGS "\n}",
    IN_JSON,
}};
static const struct edit_row vscode_server[] = {{
    .keys = {"servers", "engram"},
    .value = "{\n  \"type\": \"stdio\",\n  \"command\": $STRING,\n  \"args\": [\"serve\"]\n}",
    .project_value =
        "{\n  \"type\": \"stdio\",\n  \"command\": $STRING,\n  \"args\": " NAMED_ARGS "\n}",
    IN_JSON,
}};
static const struct edit_row copilot_server[] = {{
    .keys = {"mcpServers", "engram"},
    .value = "{\n  \"type\": \"local\",\n  \"command\": $STRING,\n  \"args\": [\"serve\"],\n"
             "  \"env\": {},\n  \"tools\": [\"*\"]\n}",
    IN_JSON,
}};
static const struct edit_row opencode_server[] = {{
    .keys = {"mcp", "engram"},
    .value = "{\n  \"type\": \"local\",\n  \"command\": [$STRING, \"serve\"],\n"
             "  \"enabled\": true\n}",
    IN_JSON,
}};
static const struct edit_row zed_server[] = {{
    .keys = {"context_servers", "engram"},
    .value = "{\n  \"command\": $STRING,\n  \"args\": [\"serve\"],\n  \"env\": {}\n}",
    IN_JSON,
}};
static const struct edit_row cline_server[] = {{
    .keys = {"mcpServers", "engram"},
    .value = "{\n  \"command\": $STRING,\n  \"args\": [\"serve\"],\n  \"disabled\": false,\n"
             "  \"autoApprove\": []\n}",
    IN_JSON,
}};
static const struct edit_row amp_server[] = {{
    .keys = {"amp.mcpServers", "engram"},
    .value = "{\n  \"command\": $STRING,\n  \"args\": [\"serve\"]\n}",
    IN_JSON,
}};
static const struct edit_row codex_server[] = {{
    .keys = {"mcp_servers", "engram"},
    .value = "[mcp_servers.engram]\ncommand = $STRING\nargs = [\"serve\"]\n"
             "# Codex hands a server few variables; these decide where memories lie.\n"
             "env_vars = [\"ENGRAM_PROJECT\", \"XDG_DATA_HOME\", \"XDG_CONFIG_HOME\"]",
    .own = "",
    .current = "$STRING",
}};
static const struct edit_row continue_server[] = {{
    .keys = {"mcpServers"},
    .is_element = true,
    .value = "- name: engram\n  command: $SCALAR\n  args:\n    - serve",
    .own = "name: engram",
    .current = "command: $SCALAR",
}};
static const struct edit_row goose_server[] = {{
    .keys = {"extensions", "engram"},
    .value = "type: stdio\nname: engram\nenabled: true\ncmd: $SCALAR\nargs:\n  - serve\n"
             "envs: {}\ntimeout: 300",
    .own = "",
    .current = "cmd: $SCALAR",
}};

/* ---- hooks ---- */

/* The shape of Claude Code, which Codex and Gemini share: groups with a matcher (or none). */
#define HOOK(event, matcher, timeout)                                                              \
    {                                                                                              \
        .keys = {"hooks", event}, .is_element = true, .own = "$TAIL hook " event "\"",             \
        .current = "\"$SHELL hook " event "\"",                                                    \
        .value = "{\n" matcher "  \"hooks\": [\n    {\n      \"type\": \"command\",\n"             \
                 "      \"command\": \"$SHELL hook " event "\",\n"                                 \
                 "      \"timeout\": " timeout "\n    }\n  ]\n}"                                   \
    }
#define MATCHER(pattern) "  \"matcher\": \"" pattern "\",\n"

/* Seconds; what an answer takes is far below, so these only bound a machine in trouble. */
static const struct edit_row claude_hooks[] = {
    HOOK("SessionStart", MATCHER("startup|resume|clear|compact"), "10"),
    HOOK("UserPromptSubmit", "", "5"),
    HOOK("PostToolUse", MATCHER("Edit|MultiEdit|Write|NotebookEdit"), "5"),
    HOOK("PreCompact", "", "10"),
    HOOK("Stop", "", "10"),
    HOOK("SessionEnd", "", "10"),
};
static const struct edit_row codex_hooks[] = {
    HOOK("SessionStart", MATCHER("startup|resume|clear|compact"), "10"),
    HOOK("UserPromptSubmit", "", "5"),
    HOOK("PostToolUse", MATCHER("apply_patch|Edit|Write"), "5"),
    HOOK("PreCompact", "", "10"),
    HOOK("Stop", "", "10"),
    HOOK("SessionEnd", "", "3"), /* Codex gives it no more */
};
/* Milliseconds. */
static const struct edit_row gemini_hooks[] = {
    HOOK("SessionStart", "", "10000"),
    HOOK("BeforeAgent", "", "5000"),
    HOOK("AfterTool", MATCHER("write_file|replace"), "5000"),
    HOOK("PreCompress", "", "10000"),
    HOOK("AfterAgent", "", "10000"),
    HOOK("SessionEnd", "", "10000"),
};

/* VS Code has no groups; the file is ours alone. */
#define FLAT_HOOK(event, timeout, comma)                                                           \
    "    \"" event "\": [\n      {\n        \"type\": \"command\",\n"                              \
    "        \"command\": \"$SHELL hook " event "\",\n        \"timeout\": " timeout "\n"          \
    "      }\n    ]" comma "\n"
#define FLAT_HOOKS                                                                                 \
    FLAT_HOOK("SessionStart", "10", ",")                                                           \
    FLAT_HOOK("UserPromptSubmit", "5", ",")                                                        \
    FLAT_HOOK("PostToolUse", "5", ",")                                                             \
    FLAT_HOOK("PreCompact", "10", ",")                                                             \
    FLAT_HOOK("Stop", "10", "")
static const struct edit_row vscode_hooks[] = {{
    .value = "{\n  \"hooks\": {\n" FLAT_HOOKS "  }\n}\n",
    .own = "$TAIL hook SessionStart\"",
    .current = "",
}};
static const struct edit_row opencode_hooks[] = {{
    .value = embed_agent_configs_opencode_engram_js,
    .own = "engram's plugin for OpenCode",
    .current = "",
}};

/* ---- instructions ---- */

static const struct edit_row instructions[] = {
    {.value = embed_agent_configs_instructions_md, .own = "", .current = ""}};

#define TEXT_FILES(user, moved_to, project)                                                        \
    {                                                                                              \
        .files = {user, project}, .moved = moved_to, .format = &edit_block, ROWS(instructions)     \
    }
#define ONLY_AGENTS_MD TEXT_FILES(NULL, NULL, "AGENTS.md")

/* ---- the table ---- */

#define NOTE_TRUST_HOOKS "Codex runs hooks only after you trusted them: type /hooks in it"

const struct agent setup_agents[] = {
    {
        .name = "claude-code",
        .title = "Claude Code",
        .program = "claude",
        .folders = {"~/.claude"},
        .variable = "CLAUDE_CONFIG_DIR",
        .add = {"claude", "mcp", "add", "--scope", "user", "engram", "--", "$PROGRAM", "serve"},
        .remove = {"claude", "mcp", "remove", "--scope", "user", "engram"},
        .parts = {{.files = {"~/.claude.json", ".mcp.json"},
                   .moved = ".claude.json",
                   .format = &edit_json,
                   ROWS(claude_server)},
                  {.files = {"~/.claude/settings.json", ".claude/settings.json"},
                   .moved = "settings.json",
                   .format = &edit_json,
                   ROWS(claude_hooks)},
                  TEXT_FILES("~/.claude/CLAUDE.md", "CLAUDE.md", "CLAUDE.md")},
    },
    {
        .name = "codex",
        .title = "Codex",
        .program = "codex",
        .folders = {"~/.codex"},
        .variable = "CODEX_HOME",
        .parts = {{.files = {"~/.codex/config.toml", ".codex/config.toml"},
                   .moved = "config.toml",
                   .format = &edit_toml,
                   ROWS(codex_server)},
                  {.files = {"~/.codex/hooks.json", ".codex/hooks.json"},
                   .moved = "hooks.json",
                   .format = &edit_json,
                   .note = NOTE_TRUST_HOOKS,
                   ROWS(codex_hooks)},
                  TEXT_FILES("~/.codex/AGENTS.md", "AGENTS.md", "AGENTS.md")},
    },
    {
        .name = "copilot",
        .title = "Copilot CLI",
        .program = "copilot",
        .folders = {"~/.copilot"},
        .parts = {{.files = {"~/.copilot/mcp-config.json", ".github/mcp.json"},
                   .format = &edit_json,
                   ROWS(copilot_server)},
                  [PART_INSTRUCTIONS] =
                      TEXT_FILES("~/.copilot/copilot-instructions.md", NULL, "AGENTS.md")},
    },
    {
        .name = "opencode",
        .title = "OpenCode",
        .program = "opencode",
        .folders = {"$CONFIG/opencode"},
        .parts = {{.files = {"$CONFIG/opencode/opencode.json", "opencode.json"},
                   .format = &edit_json,
                   .fresh = "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n",
                   ROWS(opencode_server)},
                  {.files = {"$CONFIG/opencode/plugins/engram.js", ".opencode/plugins/engram.js"},
                   .format = &edit_whole,
                   ROWS(opencode_hooks)},
                  TEXT_FILES("$CONFIG/opencode/AGENTS.md", NULL, "AGENTS.md")},
    },
    {
        .name = "gemini",
        .title = "Gemini CLI",
        .program = "gemini",
        .folders = {"~/.gemini"},
        .parts = {{.files = {"~/.gemini/settings.json", ".gemini/settings.json"},
                   .format = &edit_json,
                   .note = "Gemini CLI starts servers only in folders that you trust",
                   ROWS(plain_server)},
                  {.files = {"~/.gemini/settings.json", ".gemini/settings.json"},
                   .format = &edit_json,
                   ROWS(gemini_hooks)},
                  TEXT_FILES("~/.gemini/GEMINI.md", NULL, "GEMINI.md")},
    },
    {
        .name = "qwen",
        .title = "Qwen Code",
        .program = "qwen",
        .folders = {"~/.qwen"},
        .parts = {{.files = {"~/.qwen/settings.json", ".qwen/settings.json"},
                   .format = &edit_json,
                   ROWS(plain_server)},
                  [PART_INSTRUCTIONS] = TEXT_FILES("~/.qwen/QWEN.md", NULL, "QWEN.md")},
    },
    {
        .name = "cursor",
        .title = "Cursor",
        .program = "cursor",
        .folders = {"~/.cursor"},
        .is_desktop = true,
        .parts = {{.files = {"~/.cursor/mcp.json", ".cursor/mcp.json"},
                   .format = &edit_json,
                   ROWS(cursor_server)},
                  [PART_INSTRUCTIONS] = ONLY_AGENTS_MD},
    },
    {
        .name = "vscode",
        .title = "VS Code",
        .program = "code",
        .folders = {"$CONFIG/Code"},
        .is_desktop = true,
        .parts = {{.files = {"$CONFIG/Code/User/mcp.json", ".vscode/mcp.json"},
                   .format = &edit_json,
                   ROWS(vscode_server)},
                  {.files = {"~/.copilot/hooks/engram.json", ".github/hooks/engram.json"},
                   .format = &edit_whole,
                   ROWS(vscode_hooks)},
                  ONLY_AGENTS_MD},
    },
    {
        .name = "zed",
        .title = "Zed",
        .program = "zed",
        .folders = {"$CONFIG/zed"},
        .is_desktop = true,
        .parts = {{.files = {"$CONFIG/zed/settings.json", ".zed/settings.json"},
                   .format = &edit_json,
                   ROWS(zed_server)},
                  [PART_INSTRUCTIONS] = ONLY_AGENTS_MD},
    },
    {
        .name = "windsurf",
        .title = "Windsurf",
        .program = "windsurf",
        .folders = {"~/.codeium/windsurf"},
        .is_desktop = true,
        .parts = {{.files = {"~/.codeium/windsurf/mcp_config.json", NULL},
                   .format = &edit_json,
                   ROWS(plain_server)},
                  [PART_INSTRUCTIONS] = ONLY_AGENTS_MD},
    },
    {
        .name = "cline",
        .title = "Cline",
        .program = "cline",
        .folders = {"$CONFIG/Code/User/globalStorage/saoudrizwan.claude-dev"},
        .is_desktop = true,
        .parts = {{.files = {"$CONFIG/Code/User/globalStorage/saoudrizwan.claude-dev/settings/"
                             "cline_mcp_settings.json",
                             NULL},
                   .format = &edit_json,
                   ROWS(cline_server)},
                  [PART_INSTRUCTIONS] = ONLY_AGENTS_MD},
    },
    {
        .name = "continue",
        .title = "Continue",
        .program = "cn",
        .folders = {"~/.continue"},
        .is_desktop = true,
        .parts = {{.files = {"~/.continue/config.yaml", ".continue/mcpServers/engram.yaml"},
                   .format = &edit_yaml,
                   .fresh = "name: engram\nversion: 1.0.0\nschema: v1\n",
                   ROWS(continue_server)},
                  [PART_INSTRUCTIONS] = ONLY_AGENTS_MD},
    },
    {
        .name = "goose",
        .title = "Goose",
        .program = "goose",
        .folders = {"$CONFIG/goose"},
        .parts = {{.files = {"$CONFIG/goose/config.yaml", NULL},
                   .format = &edit_yaml,
                   ROWS(goose_server)},
                  [PART_INSTRUCTIONS] = TEXT_FILES("$CONFIG/goose/.goosehints", NULL, "AGENTS.md")},
    },
    {
        .name = "amp",
        .title = "Amp",
        .program = "amp",
        .folders = {"$CONFIG/amp"},
        .parts = {{.files = {"$CONFIG/amp/settings.json", ".amp/settings.json"},
                   .format = &edit_json,
                   ROWS(amp_server)},
                  [PART_INSTRUCTIONS] = TEXT_FILES("$CONFIG/amp/AGENTS.md", NULL, "AGENTS.md")},
    },
    {
        .name = "jetbrains",
        .title = "JetBrains (Junie)",
        .program = "junie",
        .folders = {"~/.junie", "$CONFIG/JetBrains"},
        .is_desktop = true,
        .parts = {{.files = {"~/.junie/mcp/mcp.json", ".junie/mcp/mcp.json"},
                   .format = &edit_json,
                   .note = "AI Assistant has a list of its own: import it there under Settings, "
                           "Tools, AI Assistant, MCP",
                   ROWS(plain_server)},
                  [PART_INSTRUCTIONS] = TEXT_FILES("~/.junie/AGENTS.md", NULL, "AGENTS.md")},
    },
};
const size_t setup_agent_count = sizeof(setup_agents) / sizeof(setup_agents[0]);

const struct agent *setup_agent_find(str name)
{
    for (size_t i = 0; i < setup_agent_count; i++)
        if (str_eq(name, str_of(setup_agents[i].name)))
            return &setup_agents[i];
    return NULL;
}

/* ---- templates ---- */

static str json_escaped(struct arena *a, str text)
{
    struct buf out = {0};
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == '"' || c == '\\')
            buf_printf(&out, "\\%c", c);
        else if ((unsigned char)c < ' ')
            buf_printf(&out, "\\u%04x", c);
        else
            buf_add_char(&out, c);
    }
    str escaped = arena_str(a, buf_str(&out));
    buf_free(&out);
    return escaped;
}

/* A word that neither a shell nor YAML reads as anything else. */
static bool is_plain(str word)
{
    for (size_t i = 0; i < word.len; i++) {
        char c = word.at[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              strchr("/._-+", c)))
            return false;
    }
    return word.len > 0;
}

/* 'it'\''s' */
static str shell_word(struct arena *a, str word)
{
    if (is_plain(word))
        return word;
    struct buf out = {0};
    buf_add_char(&out, '\'');
    for (size_t i = 0; i < word.len; i++)
        buf_add(&out, word.at[i] == '\'' ? S("'\\''") : str_cut(word, i, i + 1));
    buf_add_char(&out, '\'');
    str quoted = arena_str(a, buf_str(&out));
    buf_free(&out);
    return quoted;
}

struct filling {
    str string, scalar, shell, tail, constant;
};

static str filled(struct arena *a, const char *template, const struct filling *f)
{
    const struct {
        str mark, text;
    } marks[] = {{S("$STRING"), f->string},
                 {S("$SCALAR"), f->scalar},
                 {S("$SHELL"), f->shell},
                 {S("$TAIL"), f->tail},
                 {S("const PROGRAM = \"engram\""), f->constant}};
    /* From the front, once: what was put in is not looked at again, whatever the path holds. */
    str text = str_of(template), out = S("");
    size_t done = 0;
    for (size_t at = 0; at < text.len; at++)
        for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
            if (str_starts(str_cut(text, at, text.len), marks[m].mark)) {
                out = arena_printf(a, "%.*s%.*s%.*s", FMT(out), (int)(at - done), text.at + done,
                                   FMT(marks[m].text));
                done = at + marks[m].mark.len;
                at = done - 1;
                break;
            }
    return arena_printf(a, "%.*s%.*s", FMT(out), (int)(text.len - done), text.at + done);
}

struct edit setup_edit_fill(struct arena *a, const struct agent_part *part,
                            const struct edit_row *row, enum setup_scope scope, str program)
{
    str escaped = json_escaped(a, program), shell = json_escaped(a, shell_word(a, program));
    str string = arena_printf(a, "\"%.*s\"", FMT(escaped));
    struct filling f = {string, is_plain(program) ? program : string, shell, str_file_name(shell),
                        arena_printf(a, "const PROGRAM = %.*s", FMT(string))};
    const char *value =
        scope == SCOPE_PROJECT && row->project_value ? row->project_value : row->value;
    return (struct edit){
        .keys = row->keys,
        .is_element = row->is_element,
        .value = filled(a, value, &f),
        .own = filled(a, row->own, &f),
        .current = filled(a, row->current, &f),
        .fresh = str_of(part->fresh),
    };
}
