#include "server/askers.h"

#include "server/config.h"
#include "server/http_client.h"

#include <pthread.h>

struct asker {
    struct askers *of;
    pthread_t thread;
    const struct asking *asked; /* the thread's own; NULL: none */
};

struct askers {
    char *proxy;
    size_t most;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;
    struct asking *first, **end; /* in order of arrival */
    size_t free;                 /* threads that took nothing yet, or nothing since */
    bool ending;
    struct asker *threads;
    size_t count;
};

struct askers *askers_open(str proxy, size_t most)
{
    struct askers *s = heap_alloc(1, sizeof *s);
    *s = (struct askers){.proxy = heap_text(proxy), .most = most};
    s->end = &s->first;
    s->threads = heap_alloc(most, sizeof *s->threads);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    return s;
}

void askers_close(struct askers *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->count; i++)
        pthread_join(s->threads[i].thread, NULL);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    heap_free(s->threads);
    heap_free(s->proxy);
    heap_free(s);
}

/* ---- a thread ---- */

static bool is_unwanted(void *ctx)
{
    const struct asker *own = ctx;
    return own->asked->unwanted(own->asked);
}

/* The next one; NULL: the thread is to end. */
static struct asking *take(struct asker *own)
{
    struct askers *s = own->of;
    pthread_mutex_lock(&s->lock);
    s->free += own->asked != NULL; /* a new one is free from its start */
    while (!s->first && !s->ending)
        pthread_cond_wait(&s->work, &s->lock);
    s->free--;
    struct asking *a = s->first;
    if (a) {
        s->first = a->next;
        if (!a->next)
            s->end = &s->first;
    }
    pthread_mutex_unlock(&s->lock);
    return a;
}

static void *run(void *ctx)
{
    struct asker *own = ctx;
    struct http_client *client = http_client_open(str_of(own->of->proxy));
    struct transport transport = http_client_transport(client);
    http_client_watch(client, is_unwanted, own);
    for (struct asking *a; (a = take(own)) != NULL;) {
        own->asked = a;
        a->ask(a, a->unwanted(a) || monotonic_ms() > a->until_ms ? NULL : &transport);
    }
    http_client_close(client);
    return NULL;
}

/* ---- for the others ---- */

/* The lock is held. */
static size_t waiting(const struct askers *s)
{
    size_t count = 0;
    for (const struct asking *a = s->first; a; a = a->next)
        count++;
    return count;
}

/* The lock is held. One thread for each that waits, as far as there may be more and can be. */
static void start_threads(struct askers *s)
{
    size_t wanted = waiting(s);
    while (s->free < wanted && s->count < s->most) {
        struct asker *own = &s->threads[s->count];
        own->of = s;
        if (pthread_create(&own->thread, NULL, run, own) != 0)
            return;
        s->count++;
        s->free++;
    }
}

void askers_add(struct askers *s, struct asking *a)
{
    pthread_mutex_lock(&s->lock);
    a->next = NULL;
    *s->end = a;
    s->end = &a->next;
    start_threads(s);
    pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
}

/* One that waits and is to be given back; NULL: none. *due_ms: when the next of the others is. */
static struct asking *take_late(struct askers *s, int64_t now_ms, int64_t *due_ms)
{
    struct asking *late = NULL;
    *due_ms = INT64_MAX;
    pthread_mutex_lock(&s->lock);
    for (struct asking **at = &s->first; *at && !late;) {
        struct asking *a = *at;
        if (now_ms <= a->until_ms && !a->unwanted(a)) {
            *due_ms = a->until_ms < *due_ms ? a->until_ms + 1 : *due_ms;
            at = &a->next;
            continue;
        }
        *at = a->next;
        if (!a->next)
            s->end = at;
        late = a;
    }
    pthread_mutex_unlock(&s->lock);
    return late;
}

int64_t askers_tend(struct askers *s, int64_t now_ms)
{
    int64_t due_ms;
    pthread_mutex_lock(&s->lock);
    start_threads(s);
    pthread_mutex_unlock(&s->lock);
    for (struct asking *a; (a = take_late(s, now_ms, &due_ms)) != NULL;)
        a->ask(a, NULL);
    return due_ms;
}
