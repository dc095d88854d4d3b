#include "memory/index_text.h"

#include "memory/base/buf.h"

/* A token is a byte of its length, with a bit for sharing a place, then its bytes. */
enum { COLOCATED = 0x80 };
_Static_assert((int)MAX_TOKEN_BYTES < (int)COLOCATED, "a token's length and the bit fit one byte");

struct taking {
    struct index_text *to;
    struct buf tokens;
};

static bool take(void *ctx, const struct token *t)
{
    struct taking *taking = ctx;
    char head = (char)(t->len | (t->colocated ? COLOCATED : 0));
    taking->to->words += !t->colocated;
    taking->to->telling += !t->colocated && !t->stop;
    buf_add(&taking->tokens, (str){&head, 1});
    buf_add(&taking->tokens, str_from(t->text, t->len));
    return true;
}

struct index_text index_text_of(struct arena *a, str text)
{
    struct index_text made = {.text = text};
    struct taking taking = {.to = &made};
    text_tokens(text, take, &taking);
    made.tokens = arena_str(a, buf_str(&taking.tokens));
    buf_free(&taking.tokens);
    return made;
}

int index_text_each(const struct index_text *t, int (*visit)(void *ctx, str token, bool colocated),
                    void *ctx)
{
    int code = 0;
    for (size_t at = 0, len; at < t->tokens.len && !code; at += 1 + len) {
        unsigned char head = (unsigned char)t->tokens.at[at];
        len = head & (COLOCATED - 1);
        code = visit(ctx, str_cut(t->tokens, at + 1, at + 1 + len), head & COLOCATED);
    }
    return code;
}
