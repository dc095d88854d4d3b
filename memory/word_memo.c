#include "memory/word_memo.h"

#include <assert.h>

/* Direct-mapped: one question about one word a slot, the newest stays. Words are padded with NULs
 * to a fixed size, so that two loads compare them. */
enum { MEMO_BITS = 12, MEMO_BYTES = 14, PADDED_BYTES = 16 };

struct memo {
    const void *question;
    char word[MEMO_BYTES];
    uint16_t answer;
};
static _Thread_local struct memo memos[1 << MEMO_BITS];

static bool pad(str word, char padded[PADDED_BYTES])
{
    memset(padded, 0, PADDED_BYTES);
    if (word.len == 0 || word.len > MEMO_BYTES)
        return false;
    memcpy(padded, word.at, word.len);
    return true;
}

static struct memo *memo_of(const void *question, const char padded[PADDED_BYTES])
{
    uint64_t low, high;
    memcpy(&low, padded, sizeof low);
    memcpy(&high, padded + sizeof low, sizeof high);
    uint64_t hash =
        low ^ (high * UINT64_C(0x9E3779B97F4A7C15)) ^ (uint64_t)(uintptr_t)question << 7;
    return &memos[hash * UINT64_C(0xD6E8FEB86659FD93) >> (64 - MEMO_BITS)];
}

bool word_recall(const void *question, str word, unsigned *answer)
{
    char padded[PADDED_BYTES];
    if (!pad(word, padded))
        return false;
    const struct memo *memo = memo_of(question, padded);
    *answer = memo->answer;
    return memo->question == question && memcmp(memo->word, padded, MEMO_BYTES) == 0;
}

void word_remember(const void *question, str word, unsigned answer)
{
    char padded[PADDED_BYTES];
    assert(answer <= MAX_WORD_ANSWER);
    if (!pad(word, padded))
        return;
    struct memo *memo = memo_of(question, padded);
    memo->question = question;
    memcpy(memo->word, padded, MEMO_BYTES);
    memo->answer = (uint16_t)answer;
}
