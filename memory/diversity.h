/* Texts that say what one chosen before them says already: a list of ten items is to hold ten
 * things. Only what adds nothing is told, so that nothing is lost by leaving it out: a text with
 * another name, number or denial is another text, however many words it shares. Pure. */
#ifndef ENGRAM_DIVERSITY_H
#define ENGRAM_DIVERSITY_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

enum {
    MAX_DIVERSE_BYTES = 2000, /* longer texts are repeats only byte for byte */
    MAX_DIVERSE_WORDS = 200,  /* so are texts of more words */
};

/* What was chosen so far. Zeroed but for the arena, in which it grows, it is empty. */
struct diversity {
    struct arena *a;
    struct chosen_text *chosen;
    size_t count, capacity;
};

/* Does one of the chosen texts say as much? That is: of the same kind (any number) and speaker,
 * with every word of this one but articles and their like, in whatever form, mostly in the same
 * order and with little beside, and denying something if this one does. Texts of less than three
 * words repeat only byte for byte. */
bool diversity_repeats(const struct diversity *d, int kind, str speaker, str text);

/* Adds a text; speaker and text are borrowed. */
void diversity_choose(struct diversity *d, int kind, str speaker, str text);

#endif
