/* A conversation on its way in: its turns, and one episode that tells what it was. Private to
 * parsers/. */
#ifndef ENGRAM_IMPORT_TALK_H
#define ENGRAM_IMPORT_TALK_H

#include "parsers/import.h"

enum {
    MAX_TALK_FILES = 8,
    MAX_TALK_LEAD_BYTES = 16 << 10,
    MAX_TALK_NAME_BYTES = 256,
};

struct talk {
    struct import_reader *reader;
    str session, project, title, lead; /* title may be empty */
    int64_t first_ms, last_ms;         /* 0: unknown */
    size_t prompts, answers;
    str files[MAX_TALK_FILES]; /* that were edited */
    size_t file_count;
};

/* Names are copied, cut at MAX_TALK_NAME_BYTES. */
void talk_begin(struct talk *t, struct import_reader *r, str session, str project);
void talk_entitle(struct talk *t, str title);
void talk_edited(struct talk *t, str path);

/* `key`: what makes the turn the same again. at_ms 0: unknown. false: reading ends. */
bool talk_turn(struct talk *t, str key, bool by_user, int64_t at_ms, str text);

/* Gives the episode of a conversation of more than one prompt, or that has a title or an edit. */
bool talk_end(struct talk *t);

#endif
