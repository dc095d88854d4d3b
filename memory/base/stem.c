#include "memory/base/stem.h"

#include "memory/base/arena.h"

#include <libstemmer.h>
#include <threads.h>

/* A stem costs libstemmer some 300 ns, a text repeats a few thousand words. The cache is
 * direct-mapped: one word a slot, the newest stays. Words are padded with NULs to a fixed size, so
 * that two loads compare them. */
enum { CACHE_BITS = 12, SHORT_BYTES = 16 };
enum answer { UNASKED, NO, YES };

struct slot {
    char word[SHORT_BYTES], stem[SHORT_BYTES];
    unsigned char len;    /* of the stem; 0 for an empty slot */
    unsigned char answer; /* to stem_english_asking's question */
};

struct stemmer {
    struct sb_stemmer *snowball;
    struct slot slots[1 << CACHE_BITS];
};

static once_flag once = ONCE_FLAG_INIT;
static tss_t owner; /* frees a thread's stemmer when the thread ends */
static _Thread_local struct stemmer *mine;

static void free_stemmer(void *p)
{
    struct stemmer *stemmer = p;
    sb_stemmer_delete(stemmer->snowball);
    heap_free(stemmer);
}

static void make_owner(void)
{
    tss_create(&owner, free_stemmer);
}

static struct stemmer *of_this_thread(void)
{
    if (!mine) {
        call_once(&once, make_owner);
        mine = heap_alloc(1, sizeof *mine);
        mine->snowball = sb_stemmer_new("english", "UTF_8");
        tss_set(owner, mine);
    }
    return mine;
}

static size_t stem(struct sb_stemmer *snowball, str word, char *out)
{
    const sb_symbol *stem =
        snowball ? sb_stemmer_stem(snowball, (const sb_symbol *)word.at, (int)word.len) : NULL;
    int len = stem ? sb_stemmer_length(snowball) : 0;
    if (len <= 0 || len > MAX_STEM_BYTES) {
        memmove(out, word.at, word.len);
        return word.len;
    }
    memcpy(out, stem, (size_t)len);
    return (size_t)len;
}

static struct slot *slot_of(struct stemmer *stemmer, const char padded[SHORT_BYTES])
{
    uint64_t low, high;
    memcpy(&low, padded, sizeof low);
    memcpy(&high, padded + sizeof low, sizeof high);
    uint64_t hash = (low ^ (high * UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xD6E8FEB86659FD93);
    return &stemmer->slots[hash >> (64 - CACHE_BITS)];
}

static void fill(struct stemmer *stemmer, struct slot *slot, const char padded[SHORT_BYTES],
                 str word)
{
    char result[MAX_STEM_BYTES];
    size_t len = stem(stemmer->snowball, word, result);
    memcpy(slot->word, padded, SHORT_BYTES);
    memset(slot->stem, 0, SHORT_BYTES);
    /* A stem is never longer than its word; were it so, it would be cut here for good. */
    slot->len = (unsigned char)(len < SHORT_BYTES ? len : SHORT_BYTES);
    memcpy(slot->stem, result, slot->len);
    slot->answer = UNASKED;
}

/* The slot that holds the word of at most SHORT_BYTES. */
static struct slot *look_up(struct stemmer *stemmer, str word)
{
    char padded[SHORT_BYTES] = {0};
    memcpy(padded, word.at, word.len);
    struct slot *slot = slot_of(stemmer, padded);
    if (!slot->len || memcmp(slot->word, padded, SHORT_BYTES) != 0)
        fill(stemmer, slot, padded, word);
    return slot;
}

size_t stem_english(str word, char *out)
{
    struct stemmer *stemmer = of_this_thread();
    word = str_cut(word, 0, MAX_STEM_BYTES);
    if (word.len == 0 || word.len > SHORT_BYTES)
        return stem(stemmer->snowball, word, out);
    const struct slot *slot = look_up(stemmer, word);
    memcpy(out, slot->stem, SHORT_BYTES);
    return slot->len;
}

size_t stem_english_asking(str word, char *out, bool (*is)(str word), bool *yes)
{
    if (word.len == 0 || word.len > SHORT_BYTES) {
        *yes = is(word);
        return stem_english(word, out);
    }
    struct slot *slot = look_up(of_this_thread(), word);
    if (slot->answer == UNASKED)
        slot->answer = is(word) ? YES : NO;
    *yes = slot->answer == YES;
    memcpy(out, slot->stem, SHORT_BYTES);
    return slot->len;
}
