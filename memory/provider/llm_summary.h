/* A language model writes the text of a consolidated memory from its members: Decisions, Facts,
 * Open questions, Context. Pure. Each line names the member that says it and quotes it; one whose
 * quote isn't there, or that holds a number which the member doesn't, is dropped. */
#ifndef ENGRAM_LLM_SUMMARY_H
#define ENGRAM_LLM_SUMMARY_H

#include "memory/provider/provider.h"

enum {
    MAX_SUMMARY_MEMBERS = 16,
    MAX_SUMMARY_MEMBER_BYTES = 2000, /* of one member's text that is sent */
    MAX_SUMMARY_LINES = 32,
    MAX_SUMMARY_LINE_BYTES = 400,
};

struct llm_member { /* in order of time */
    int64_t id;
    str text;
};

enum llm_section { LLM_DECISION, LLM_FACT, LLM_QUESTION, LLM_CONTEXT, LLM_SECTIONS };

struct llm_summary_line {
    enum llm_section section;
    int64_t member;
    str text, quote; /* on one line */
};
struct llm_summary {
    struct llm_summary_line *lines; /* in the order of the answer */
    size_t count;
    size_t dropped; /* made up, malformed, or beyond the bounds */
};

extern const char llm_summary_prompt[];

/* 1 to MAX_SUMMARY_MEMBERS members; those behind aren't sent. */
struct llm_ask llm_summary_ask(struct arena *a, const struct llm_member *members, size_t count);

bool llm_summary_read(struct arena *a, const struct llm_member *members, size_t count, str json,
                      struct llm_summary *out, struct err *e);

/* The lines as the text of a memory, as memory/consolidate_text.h draws it; empty where there are
 * none. */
str llm_summary_text(struct arena *a, const struct llm_summary *summary);

#endif
