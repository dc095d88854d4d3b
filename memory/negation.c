#include "memory/negation.h"

#include "memory/text.h"
#include "memory/words.h"

/* As tokens are: folded, without apostrophes, stems. In byte order. */
static const char deniers[] =
    "against aint arent avoid cannot cant couldnt deni didnt doesnt dont except forbid forbidden "
    "hadnt"
    " hasnt havent instead isnt kein mustnt neither never nicht nie nobodi none nor not noth "
    "nowher ohn"
    " prohibit refus reject shouldnt unless unsupport wasnt werent without wont wouldnt";

struct search {
    bool found;
    bool no; /* the token before was "no" */
};

static bool look(void *ctx, const struct token *t)
{
    struct search *s = ctx;
    str word = str_from(t->text, t->len);
    /* "no" denies what follows ("no macros", "no longer"), at a sentence's end it may be a number.
     */
    s->found = s->no || word_list_has(str_from(deniers, sizeof deniers - 1), word);
    s->no = str_eq(word, S("no"));
    return !s->found;
}

bool text_negates(str text)
{
    struct search s = {0};
    text_tokens(str_cut(text, 0, MAX_NEGATION_BYTES), look, &s);
    return s.found;
}
