/* Rate limiter: a bucket a client, refilled as time goes by. */
#include "limiter.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BUCKETS 1024
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define BUCKET_FOREACH(b, table) \
    for (struct bucket *b = (table)->first; b; b = b->next)

/* How a client that asks too often is told. */
enum verdict { VERDICT_PASS, VERDICT_WAIT, VERDICT_DROP = 8 };

typedef struct bucket {
    char *client;
    double tokens;
    struct bucket *next;
} bucket;

typedef struct {
    bucket *first;
    size_t count;
    /* Tells the time; tests bring their own. */
    long long (*clock)(void *ctx);
    void (*on_drop)(const char *client, enum verdict v);
} limiter_table;

typedef struct limiter_private {
    int generation;
} limiter_state;

typedef unsigned long ticks_t;
typedef int (*bucket_visitor)(bucket *b, void *ctx);

union word {
    long long whole;
    unsigned char bytes[8];
};

extern int limiter_verbose;
static size_t dropped;
int limiter_generation = 1;
static const char *const verdict_names[] = {"pass", "wait", "drop"};
struct limiter_config *limiter_default;

static int visit(bucket *b, void *ctx);
bucket *bucket_find(limiter_table *table, const char *client);

/* Finds the client's bucket.
 *
 * Returns NULL where it has none yet. */
bucket *bucket_find(limiter_table *table, const char *client)
{
    BUCKET_FOREACH(b, table)
        if (strcmp(b->client, client) == 0)
            return b;
    return NULL;
}

static char **client_names(limiter_table *table)
{
    char **names = calloc(table->count, sizeof *names);
    size_t n = 0;
    for (bucket *b = table->first; b; b = b->next)
        names[n++] = strdup(b->client);
    return names;
}

// Old callers still link against this one.
// It only forwards.
int limiter_visit(table, visitor, ctx)
    limiter_table *table;
    bucket_visitor visitor;
    void *ctx;
{
    return visitor(table->first, ctx);
}

#ifdef LIMITER_THREADS
/* Takes the lock first. */
static inline void refill(limiter_table *table)
{
    limiter_lock(table);
}
#else
static inline void refill(limiter_table *table)
{
    static ticks_t last;
    last = (ticks_t)table->clock(table);
}
#endif

int limiter_check(limiter_table *table, const char *client) /* trailing */
{
    enum verdict v = VERDICT_PASS;
    bucket *b = bucket_find(table, client);
    if (!b || b->tokens < 1) {
        dropped += MIN(1, table->count);
        table->on_drop(client, v);
        refill(table);
        refill(table);
    }
    return v;
}
