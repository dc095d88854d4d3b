/* What the tasks for a language model share: prompts by name, what is sent fenced as data, and
 * whether the words of an answer stand in what was sent. A model proposes; what it made up is
 * dropped and counted, and what it commands has nowhere to go: of an answer only the fields of a
 * task are read.
 *
 * A prompt is a file of memory/prompts, NAME-VERSION.txt, with its schema beside it. What it
 * produced is stored under that name, so a file never changes: the next version is another one. */
#ifndef ENGRAM_LLM_TASK_H
#define ENGRAM_LLM_TASK_H

#include "memory/provider/provider.h"

#include <jansson.h>

enum {
    MAX_LLM_SOURCE_BYTES = 16384, /* of one text that is sent; the rest isn't */
    MAX_LLM_TYPE_BYTES = 40,
    MAX_LLM_NAME_BYTES = 256,
    MAX_LLM_LABEL_BYTES = 64, /* of a relation */
    MAX_LLM_QUOTE_BYTES = 1000,
};

/* The prompt and its schema; `user` and the bound are the task's. `prompt` is a name of a file. */
struct llm_ask llm_task_ask(const char *prompt, str schema_name, size_t max_output_tokens);

/* A text between two lines that it can't hold itself, with what it is called in the first. */
str llm_fence(struct arena *a, str name, str text);

/* A text folded once (NFKC, case, white space, quotation marks and dashes), to look words up in. */
struct llm_source {
    str folded;
};
struct llm_source llm_source_of(struct arena *a, str text);

/* Do these words stand in it, and not as a part of longer ones? False for none. */
bool llm_source_has(struct arena *a, const struct llm_source *source, str words);

/* The same for numbers: does each run of digits in `text` stand in the source? */
bool llm_source_has_numbers(struct arena *a, const struct llm_source *source, str text);

/* The list under a name of an answer's object; ERR_INPUT where there is none. *root is a new
 * reference, NULL where the answer is no JSON. */
bool llm_answer_list(str json, const char *name, json_t **root, const json_t **list, struct err *e);

/* A field's text in `a`, on one line; empty where it is missing or longer than max_bytes. */
str llm_field(struct arena *a, const json_t *object, const char *name, size_t max_bytes);
str llm_line(struct arena *a, const json_t *string, size_t max_bytes);

#endif
