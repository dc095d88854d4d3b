#include "memory/document_prepare.h"

#include "memory/base/unicode.h"
#include "memory/cues.h"
#include "memory/terms.h"
#include "memory/text.h"
#include "memory/words.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    BATCH = 8,           /* passages that are prepared in one go, with one arena */
    AHEAD = 32,          /* batches before who stores them, which bounds the memory */
    AHEAD_ALONE = 6,     /* the same without a thread: any number of documents may wait so */
    STORED_AT_ONCE = 12, /* batches, about */
};

static atomic_int threads; /* of the process, or what they prepared waits still */

struct batch {
    enum { FREE, TAKEN, NAMED, READY } state; /* NAMED: without texts yet */
    struct arena arena;
    struct prepared passages[BATCH];
};

struct preparing {
    const struct fact_node *passages;
    const struct known_names *known;
    size_t count, batches;
    struct batch *ring; /* batch i is at i % ring_size */
    size_t ring_size;
    struct arena names;   /* of all passages, where they are all prepared before one is stored */
    size_t front;         /* a passage; only who stores them moves it */
    pthread_mutex_t lock; /* what follows, and states of batches */
    pthread_cond_t changed;
    size_t next, done; /* batches: the first that nobody took, the first that isn't stored */
    atomic_bool stop;  /* set under the lock, asked in the middle of a batch without it */
    bool has_thread;   /* to be joined */
    bool is_counted;   /* among `threads` */
    bool has_returned; /* the thread, or as good as */
    pthread_t thread;
};

/* ---- one passage ---- */

static bool is_everyday_word(str name)
{
    char folded[MAX_TOKEN_BYTES];
    for (size_t i = 1; i < name.len; i++)
        if (name.at[i] < 'a' || name.at[i] > 'z') /* SSH, IDs, paths, several words */
            return false;
    str word = str_from(folded, unicode_fold_word(name, folded, sizeof folded));
    return word_is_common(word) && !word_is_given_name(word) && !word_is_technology(word);
}

/* What the passage introduces, then what it names: there may be more names than are kept. A manual
 * has every word of the language somewhere as code, in bold or as a title: then it is known as a
 * name, and would be found wherever the word is used; everyday words are left out. */
static void join_names(struct arena *a, const struct fact_node *passage, const struct named *found,
                       size_t found_count, struct prepared *out)
{
    size_t term_count;
    struct found_entity *terms = terms_of(a, passage->heading, passage->body, &term_count);
    out->names = ARENA_ARRAY(a, struct named, MAX_ENTITIES_OF_PASSAGE);
    for (size_t i = 0; i < term_count && out->name_count < MAX_ENTITIES_OF_PASSAGE; i++)
        out->names[out->name_count++] =
            (struct named){.name = terms[i].name,
                           .type = terms[i].type,
                           .normal = text_normal_name(a, terms[i].name)};
    for (size_t i = 0; i < found_count && out->name_count < MAX_ENTITIES_OF_PASSAGE; i++)
        if (!is_everyday_word(found[i].name))
            out->names[out->name_count++] = found[i];
}

static bool tell_names(struct arena *a, struct memory *m, const struct known_names *known,
                       const struct fact_node *passage, struct prepared *out, struct err *e)
{
    struct named *found;
    size_t count;
    *out = (struct prepared){0};
    if (!names_in_text(m, a, passage->body, known, &found, &count, NULL, e))
        return false;
    join_names(a, passage, found, count, out);
    return true;
}

static void tell_texts(struct arena *a, const struct fact_node *passage, struct prepared *out)
{
    out->index[0] = index_text_of(a, passage->heading);
    out->index[1] = index_text_of(a, passage->body);
    out->cues = cues_told(passage->body);
    out->tokens = text_estimate_tokens(passage->body);
}

/* Without what it took to find them. */
static void copy_names(struct arena *a, struct prepared *told)
{
    struct named *copies = ARENA_ARRAY(a, struct named, told->name_count);
    for (size_t i = 0; i < told->name_count; i++) {
        const struct named *n = &told->names[i];
        copies[i] = (struct named){.name = arena_str(a, n->name),
                                   .type = arena_str(a, n->type),
                                   .normal = arena_str(a, n->normal),
                                   .is_known = n->is_known};
    }
    told->names = copies;
}

/* ---- batches ---- */

static struct batch *batch_of(const struct preparing *p, size_t batch)
{
    return &p->ring[batch % p->ring_size];
}

/* The lock is held. false: none may be taken now. */
static bool take_next(struct preparing *p, size_t *batch)
{
    if (p->next == p->batches || p->next == p->done + p->ring_size)
        return false;
    *batch = p->next++;
    batch_of(p, *batch)->state = TAKEN;
    return true;
}

static bool are_all_first(const struct preparing *p)
{
    return !p->known->known;
}

/* Where all are prepared first only the names are told now: the rest would be as much again as the
 * whole document, and is told when its passages are the next to be stored. */
static bool prepare(struct preparing *p, struct memory *m, size_t i, struct err *e)
{
    const struct fact_node *passage = &p->passages[i];
    struct arena *a = &batch_of(p, i / BATCH)->arena;
    struct prepared *out = &batch_of(p, i / BATCH)->passages[i % BATCH];
    if (!tell_names(a, m, p->known, passage, out, e))
        return false;
    if (are_all_first(p))
        copy_names(&p->names, out);
    else
        tell_texts(a, passage, out);
    return true;
}

static size_t end_of(const struct preparing *p, size_t batch)
{
    return batch + 1 < p->batches ? (batch + 1) * BATCH : p->count;
}

/* The lock is held, but not meanwhile. Once it is stopped, nobody asks what is ready. */
static bool fill(struct preparing *p, struct memory *m, size_t batch, struct err *e)
{
    struct batch *b = batch_of(p, batch);
    bool ok = true;
    pthread_mutex_unlock(&p->lock);
    for (size_t i = batch * BATCH; ok && i < end_of(p, batch) && !p->stop; i++)
        ok = prepare(p, m, i, e);
    if (are_all_first(p))
        arena_free(&b->arena);
    pthread_mutex_lock(&p->lock);
    b->state = are_all_first(p) ? NAMED : READY;
    pthread_cond_broadcast(&p->changed);
    return ok;
}

/* The lock is held. Other documents may have a thread as soon as this one's is over and no more is
 * ahead than without one: its rest is only written. */
static void uncount(struct preparing *p)
{
    if (!p->is_counted || !p->has_returned || p->batches - p->done > AHEAD_ALONE)
        return;
    p->is_counted = false;
    atomic_fetch_sub(&threads, 1);
}

static void *work_ahead(void *ctx)
{
    struct preparing *p = ctx;
    struct err ignored = {0}; /* without a store nothing fails */
    pthread_mutex_lock(&p->lock);
    while (!p->stop && p->next < p->batches) {
        size_t batch;
        if (take_next(p, &batch))
            fill(p, NULL, batch, &ignored);
        else
            pthread_cond_wait(&p->changed, &p->lock);
    }
    p->has_returned = true;
    uncount(p);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* The lock is held: it waits until there is a ring. */
static bool start_thread(struct preparing *p)
{
    if (atomic_fetch_add(&threads, 1) < MAX_PREPARING_THREADS &&
        pthread_create(&p->thread, NULL, work_ahead, p) == 0)
        return true;
    atomic_fetch_sub(&threads, 1);
    return false;
}

/* ---- for who stores them ---- */

static size_t ring_size(const struct preparing *p, size_t ahead)
{
    return are_all_first(p) || p->batches < ahead ? p->batches + 1 : ahead;
}

int preparing_threads(void)
{
    return threads;
}

struct preparing *preparing_begin(const struct fact_node *passages, size_t count,
                                  const struct known_names *known)
{
    struct preparing *p = heap_alloc(1, sizeof *p);
    *p = (struct preparing){.passages = passages,
                            .known = known,
                            .count = count,
                            .batches = (count + BATCH - 1) / BATCH};
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    pthread_mutex_lock(&p->lock);
    p->has_thread = !are_all_first(p) && p->batches > 1 && start_thread(p);
    p->is_counted = p->has_thread;
    p->ring_size = ring_size(p, p->has_thread ? AHEAD : AHEAD_ALONE);
    p->ring = heap_alloc(p->ring_size, sizeof *p->ring);
    pthread_mutex_unlock(&p->lock);
    return p;
}

/* The lock is held. From the first that isn't stored. */
static size_t ready_batches(const struct preparing *p)
{
    size_t batch = p->done;
    while (batch < p->next && batch_of(p, batch)->state == READY)
        batch++;
    return batch - p->done;
}

/* Where all are prepared first, so there is no thread. false: its texts are told, or there is none.
 */
static bool add_texts(struct preparing *p, size_t batch)
{
    struct batch *b = batch_of(p, batch);
    if (batch == p->next || b->state != NAMED)
        return false;
    for (size_t i = batch * BATCH; i < end_of(p, batch); i++)
        tell_texts(&b->arena, &p->passages[i], &b->passages[i % BATCH]);
    b->state = READY;
    return true;
}

bool preparing_some(struct preparing *p, struct memory *m, enum preparing_next *next, struct err *e)
{
    size_t batch;
    bool ok = true;
    *next = PREPARING_MORE;
    pthread_mutex_lock(&p->lock);
    size_t ready = ready_batches(p);
    if (ready < STORED_AT_ONCE && take_next(p, &batch))
        ok = fill(p, m, batch, e);
    else if (ready >= STORED_AT_ONCE || !add_texts(p, p->done + ready))
        *next = ready || p->done == p->batches ? PREPARING_ENOUGH : PREPARING_WAITS;
    pthread_mutex_unlock(&p->lock);
    return ok;
}

const struct prepared *preparing_front(struct preparing *p)
{
    const struct batch *b = batch_of(p, p->front / BATCH);
    pthread_mutex_lock(&p->lock);
    bool is_ready = p->done < p->next && b->state == READY;
    pthread_mutex_unlock(&p->lock);
    return is_ready ? &b->passages[p->front % BATCH] : NULL;
}

void preparing_pass(struct preparing *p)
{
    struct batch *b = batch_of(p, p->front / BATCH);
    if (++p->front % BATCH)
        return;
    arena_free(&b->arena);
    pthread_mutex_lock(&p->lock);
    b->state = FREE;
    p->done++;
    uncount(p);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void preparing_stop(struct preparing *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void preparing_end(struct preparing *p)
{
    if (!p)
        return;
    preparing_stop(p);
    if (p->has_thread)
        pthread_join(p->thread, NULL);
    if (p->is_counted)
        atomic_fetch_sub(&threads, 1);
    for (size_t i = 0; i < p->ring_size; i++)
        arena_free(&p->ring[i].arena);
    arena_free(&p->names);
    heap_free(p->ring);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    heap_free(p);
}
