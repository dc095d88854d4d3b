/* What recall saw being used, kept until a write takes it along: recall itself writes nothing. An
 * answer counts a little for what it gave first, more for what was then expanded by id or reused.
 * The same question counts once, however often it is asked, and no question alone ties two memories
 * together: what an answer gave can't make that answer its own reason. Bounded: what is over the
 * bounds is not counted. One thread. */
#ifndef ENGRAM_USAGE_LOG_H
#define ENGRAM_USAGE_LOG_H

#include "memory/store.h"

enum {
    MAX_LOGGED_USES = 256,
    MAX_LOGGED_ANSWERS = 32,
    MAX_ANSWER_ITEMS = 10,
    MAX_TIED_ITEMS = 5,  /* of an answer: the first, with each other */
    MAX_FRESH_ITEMS = 3, /* of an answer: the first aren't dormant */
    MAX_LOGGED_CYCLES = 8,
};

struct usage_log {
    struct logged_use {
        int64_t id, used_ms;
        int uses;
    } uses[MAX_LOGGED_USES];
    size_t use_count;
    struct logged_answer {
        uint64_t hash;
        int64_t at_ms;
        size_t count;
        struct {
            int64_t id;
            bool taken_up;
        } items[MAX_ANSWER_ITEMS];
    } answers[MAX_LOGGED_ANSWERS];
    size_t answer_count;
    int64_t cycles[MAX_LOGGED_CYCLES]; /* a time in each */
    size_t cycle_count;
    int64_t noted; /* the last cycle that was stored, so that it isn't again with each write */
};

bool usage_log_is_empty(const struct usage_log *log);

/* Something was stored or recalled. */
void usage_log_activity(struct usage_log *log, int64_t now_ms);

/* What a question was answered with, best first. Only memories and passages count. */
void usage_log_answer(struct usage_log *log, str question, const struct item *items, size_t count,
                      int64_t now_ms);

/* What was asked for by id, or reused: a use each; among the items of the last answers that hold
 * them they were the ones that mattered. */
void usage_log_taken_up(struct usage_log *log, const int64_t *ids, size_t count, int64_t now_ms);

/* Stores what was logged; empties the log. Inside a write. */
bool usage_log_flush(struct usage_log *log, struct store *s, struct err *e);

#endif
