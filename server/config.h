/* Every setting of engram in one table: name, type, default, help. Read from the environment and
 * the user's file
 * ($XDG_CONFIG_HOME/engram/config, lines NAME=VALUE; the environment wins), never from the project.
 */
#ifndef ENGRAM_CONFIG_H
#define ENGRAM_CONFIG_H

#include "memory/base/arena.h"
#include "memory/base/err.h"
#include "memory/provider/provider.h"

enum {
    MAX_CONFIG_BYTES = 64 * 1024,  /* of the user's file */
    MAX_SETTING_BYTES = 4096,      /* of one value */
    MAX_SETTING_NUMBER = 86400000, /* a day, for the settings in milliseconds */
    MAX_SETTING_COUNT = 1000000000,
};

/* Whose pages attach_document may fetch. */
enum config_urls { URLS_OFF, URLS_ON, URLS_LOOPBACK };

/* The models that may be set up, one for each enum provider_purpose: M(X, PURPOSE, field's and
 * setting's beginning, help), and the settings of each, in the order of enum model_part. */
#define CONFIG_MODELS(M, X)                                                                        \
    M(X, EMBED, embed, "whose model makes vectors, e.g. ollama (default: the local encoder)")      \
    M(X, RERANK, rerank, "whose model orders what recall found first, e.g. voyage")                \
    M(X, LLM, llm, "whose language model proposes entities and summaries, e.g. anthropic")
#define CONFIG_MODEL(X, PURPOSE, purpose, help)                                                    \
    X(purpose##_provider, "ENGRAM_" #PURPOSE "_PROVIDER", TEXT, "", help)                          \
    X(purpose##_url, "ENGRAM_" #PURPOSE "_URL", TEXT, "",                                          \
      "where it is (default: the provider's own)")                                                 \
    X(purpose##_model, "ENGRAM_" #PURPOSE "_MODEL", TEXT, "",                                      \
      "its model (default: the provider's own)")                                                   \
    X(purpose##_key, "ENGRAM_" #PURPOSE "_KEY", SECRET, "", "its key")

/* X(field, environment name, type, default as text, help). Types: SWITCH (on|off), NUMBER, TEXT
 * (bad UTF-8 repaired), PATH (bytes as they are), TIME (RFC 3339), LEVEL (of the log), COUNT, URLS,
 * SECRET (visible ASCII; never shown, logged or handed on in an environment). An empty value counts
 * as none. */
#define CONFIG_SETTINGS(X)                                                                         \
    X(project, "ENGRAM_PROJECT", PATH, "",                                                         \
      "directory whose memory is used (default: found from the client)")                           \
    X(data_home, "XDG_DATA_HOME", PATH, "", "where databases lie (default: ~/.local/share)")       \
    X(config_home, "XDG_CONFIG_HOME", PATH, "",                                                    \
      "where the user's settings lie (default: ~/.config)")                                        \
    X(home, "HOME", PATH, "", "the user's home; refused as a project")                             \
    X(claude_project_dir, "CLAUDE_PROJECT_DIR", PATH, "", "set by Claude Code")                    \
    X(claude_session, "CLAUDE_CODE_SESSION_ID", TEXT, "", "set by Claude Code")                    \
    X(copilot_session, "COPILOT_AGENT_SESSION_ID", TEXT, "", "set by Copilot CLI")                 \
    X(now, "ENGRAM_NOW", TIME, "", "RFC 3339 time taken for now, for tests and simulations")       \
    X(log, "ENGRAM_LOG", LEVEL, "warn", "error, warn, info or debug, to stderr")                   \
    X(weights, "ENGRAM_WEIGHTS", PATH, "", "file with another set of ranking weights")             \
    X(ppr, "ENGRAM_PPR", SWITCH, "on", "the graph leg of recall (Personalized PageRank)")          \
    X(neighbours, "ENGRAM_NEIGHBOURS", SWITCH, "on", "neighbouring turns lend their score")        \
    X(ranker, "ENGRAM_RANKER", SWITCH, "on", "the fitted ranker")                                  \
    X(encoder, "ENGRAM_ENCODER", SWITCH, "on", "the local sentence encoder")                       \
    X(history, "ENGRAM_HISTORY", SWITCH, "on", "commits in the graph")                             \
    X(index, "ENGRAM_INDEX", SWITCH, "on", "reading of files and commits, HEAD checks")            \
    X(consolidate, "ENGRAM_CONSOLIDATE", SWITCH, "on", "consolidation by itself")                  \
    X(usage, "ENGRAM_USAGE", SWITCH, "on", "use counts and what follows from them")                \
    X(write_deadline_ms, "ENGRAM_WRITE_DEADLINE_MS", NUMBER, "30000",                              \
      "how long a write waits for other processes")                                                \
    X(attach_wait_ms, "ENGRAM_ATTACH_WAIT_MS", NUMBER, "20000",                                    \
      "how long attach_document waits before it answers pending")                                  \
    X(parse_deadline_ms, "ENGRAM_PARSE_DEADLINE_MS", NUMBER, "60000",                              \
      "how long one document may take to parse")                                                   \
    CONFIG_MODELS(CONFIG_MODEL, X)                                                                 \
    X(embed_ms, "ENGRAM_EMBED_MS", NUMBER, "1000", "how long recall waits for its query's vector") \
    X(rerank_ms, "ENGRAM_RERANK_MS", NUMBER, "300",                                                \
      "how long recall waits for the reranker's order")                                            \
    X(rerank_texts, "ENGRAM_RERANK_TEXTS", COUNT, "50", "how many candidates it orders, 2 to 100") \
    X(sampling_gap_ms, "ENGRAM_SAMPLING_GAP_MS", NUMBER, "60000",                                  \
      "with ENGRAM_LLM_PROVIDER=sampling: time between two questions to the client's model")       \
    X(sampling_ms, "ENGRAM_SAMPLING_MS", NUMBER, "120000", "how long its answer is waited for")    \
    X(sampling_daily, "ENGRAM_SAMPLING_DAILY", COUNT, "100", "questions to it a day (0: no cap)")  \
    X(llm_extract, "ENGRAM_LLM_EXTRACT", SWITCH, "on", "it reads entities and relations")          \
    X(llm_summarise, "ENGRAM_LLM_SUMMARISE", SWITCH, "on", "it writes consolidated memories")      \
    X(llm_contradict, "ENGRAM_LLM_CONTRADICT", SWITCH, "on", "it judges contradictions")           \
    X(llm_query, "ENGRAM_LLM_QUERY", SWITCH, "off",                                                \
      "it reads names, intent and time of a recall's query, which waits for it")                   \
    X(llm_query_ms, "ENGRAM_LLM_QUERY_MS", NUMBER, "1000", "how long recall waits for that")       \
    X(vendor_keys, "ENGRAM_VENDOR_KEYS", SWITCH, "off",                                            \
      "a missing key is taken from the vendor's usual variable, e.g. OPENAI_API_KEY")              \
    X(model_daily_tokens, "ENGRAM_MODEL_DAILY_TOKENS", COUNT, "5000000",                           \
      "tokens a day that models may use in the background (0: no cap)")                            \
    X(model_ms, "ENGRAM_MODEL_MS", NUMBER, "60000",                                                \
      "how long the background waits for one answer of a model")                                   \
    X(model_retry_ms, "ENGRAM_MODEL_RETRY_MS", NUMBER, "5000",                                     \
      "how long a model is left alone behind its first failure; doubled with each")                \
    X(model_jobs, "ENGRAM_MODEL_JOBS", COUNT, "4",                                                 \
      "how many requests the background has on their way to models, at most 16")                   \
    X(http_proxy, "ENGRAM_HTTP_PROXY", SECRET, "", "proxy for models and pages (default: none)")   \
    X(urls, "ENGRAM_URLS", URLS, "off",                                                            \
      "attach_document fetches pages: off, on (public ones), loopback (this machine's too, for "   \
      "tests)")

#define CONFIG_FIELD_SWITCH bool
#define CONFIG_FIELD_NUMBER int64_t
#define CONFIG_FIELD_TEXT str
#define CONFIG_FIELD_PATH str
#define CONFIG_FIELD_TIME str
#define CONFIG_FIELD_LEVEL str
#define CONFIG_FIELD_COUNT int64_t
#define CONFIG_FIELD_URLS enum config_urls
#define CONFIG_FIELD_SECRET str

struct config {
#define X(field, name, type, initial, help) CONFIG_FIELD_##type field;
    CONFIG_SETTINGS(X)
#undef X
};

/* Texts live in `a`. ERR_INPUT names the setting, the value seen and the values wanted. */
bool config_load(struct arena *a, struct config *out, struct err *e);

/* One setting by its name, with the checks of every other source: for a value that is to be written
 * into the settings file, which is one line. ERR_INPUT as above, also for control characters. */
bool config_set(struct arena *a, struct config *c, str name, str value, struct err *e);

/* ---- models ---- */

/* What says which model serves a purpose. */
enum model_part { PART_PROVIDER, PART_URL, PART_MODEL, PART_KEY, MODEL_PARTS };

struct config_model {
    const char *purpose; /* "embed" */
    struct config_part {
        const char *name; /* of the setting */
        size_t offset;    /* of its str in struct config */
    } parts[MODEL_PARTS];
};
extern const struct config_model config_models[PROVIDER_PURPOSES];

/* What is set; empty: nothing. */
str config_model_part(const struct config *c, enum provider_purpose purpose, enum model_part part);

/* As if no model was set up: for who has no time to ask. */
void config_clear_models(struct config *c);

/* ---- keys ---- */

/* Where the user wants it so: for each provider without a key its vendor's usual variable, unless
 * another host was set for it. */
bool config_take_vendor_keys(struct arena *a, struct config *c, struct err *e);

/* Is the value of a setting of this name a secret? */
bool config_is_secret(str name);

/* The secrets that are set, as lines NAME=VALUE: for a process of ours whose environment must not
 * hold them. And what such lines add there; ERR_INPUT for other ones. */
str config_secrets(struct arena *a, const struct config *c);
bool config_add_secrets(struct arena *a, struct config *c, str lines, struct err *e);

/* Keeps the memory of a process with secrets out of core dumps and from other processes. */
void config_hide_secrets(const struct config *c);

/* Path of the user's file, whether it is there or not; empty where neither HOME nor XDG_CONFIG_HOME
 * is set. */
str config_file_path(struct arena *a, const struct config *c);

/* Now by ENGRAM_NOW or the system clock. The only wall clock of the server. */
int64_t config_now_ms(const struct config *c);

/* Milliseconds that only grow; for deadlines. */
int64_t monotonic_ms(void);
void sleep_for_ms(int64_t ms);

/* One line a setting, for `engram help settings` and doctor: name, default, help. */
struct setting_help {
    const char *name, *initial, *help;
};
extern const struct setting_help config_help[];
extern const size_t config_help_count;

#endif
