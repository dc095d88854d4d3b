#include "memory/word_memo.h"

/* Direct-mapped: one word a slot, the newest stays. Words are padded with NULs to a fixed size, so
 * that two loads compare them. */
enum { MEMO_BITS = 10, MEMO_BYTES = 16 };

struct memo {
    char word[MEMO_BYTES];
    uint8_t asked, yes; /* bits by enum memo_question */
};
static _Thread_local struct memo memos[1 << MEMO_BITS];

/* Of a word of at most MEMO_BYTES. */
static struct memo *memo_of(str word)
{
    char padded[MEMO_BYTES] = {0};
    uint64_t low, high;
    memcpy(padded, word.at, word.len);
    memcpy(&low, padded, sizeof low);
    memcpy(&high, padded + sizeof low, sizeof high);
    uint64_t hash = (low ^ (high * UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xD6E8FEB86659FD93);
    struct memo *memo = &memos[hash >> (64 - MEMO_BITS)];
    if (memcmp(memo->word, padded, MEMO_BYTES) != 0) {
        *memo = (struct memo){0};
        memcpy(memo->word, padded, MEMO_BYTES);
    }
    return memo;
}

bool word_remembered(enum memo_question question, bool (*is)(str word), str word)
{
    if (!word.len || word.len > MEMO_BYTES)
        return is(word);
    struct memo *memo = memo_of(word);
    uint8_t bit = (uint8_t)(1u << question);
    if (!(memo->asked & bit)) {
        memo->asked |= bit;
        memo->yes |= is(word) ? bit : 0;
    }
    return memo->yes & bit;
}
