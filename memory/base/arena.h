/* Memory by lifetime instead of by free: an arena is filled, and dropped or rewound whole. The only
 * malloc of engram lives here; when the system has no more, the process ends cleanly (exit code 70)
 * instead of limping. */
#ifndef ENGRAM_BASE_ARENA_H
#define ENGRAM_BASE_ARENA_H

#include "memory/base/str.h"

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

/* A copy is a mark: `struct arena mark = *a; ... arena_rewind(a, mark);` Zero-initialised is empty
 * and ready. */
struct arena {
    char *at, *end;
    struct arena_block *blocks; /* newest first */
};

/* Zeroed, aligned for any type. n * size is checked for overflow. */
void *arena_alloc(struct arena *a, size_t n, size_t size);

/* Not zeroed, byte-aligned. */
char *arena_bytes(struct arena *a, size_t n);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), 1, sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), (n), sizeof(type)))

/* A copy of s, followed by a NUL that isn't counted. */
str arena_str(struct arena *a, str s);

/* A NUL-terminated copy. */
char *arena_cstr(struct arena *a, str s);

/* printf into the arena; NUL-terminated behind its end. */
str arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
str arena_vprintf(struct arena *a, const char *format, va_list args);

/* Gives everything since the mark back. Pointers from behind the mark are dead. */
void arena_rewind(struct arena *a, struct arena mark);

/* Gives everything back. */
void arena_free(struct arena *a);

/* Bytes held from the system by this arena. */
size_t arena_held_bytes(const struct arena *a);

/* For the few things with a lifetime of their own (growing arrays that outlive a request). Never
 * NULL; end the process cleanly when memory is out. heap_resize(NULL, ...) allocates; grown parts
 * are not zeroed. */
void *heap_alloc(size_t n, size_t size);
void *heap_resize(void *p, size_t n, size_t size);
void heap_free(void *p);
char *heap_text(str s); /* a copy that ends in NUL */

/* Makes room for one more in a heap array: GROW(array, count, capacity). Doubles. */
#define HEAP_GROW(array, count, capacity)                                                          \
    do {                                                                                           \
        if ((count) == (capacity)) {                                                               \
            (capacity) = (capacity) ? (capacity)*2 : 16;                                           \
            (array) = heap_resize((array), (capacity), sizeof *(array));                           \
        }                                                                                          \
    } while (0)

/* The same for an array in an arena (the old copy stays until the arena goes). */
#define ARENA_GROW(a, array, count, capacity)                                                      \
    do {                                                                                           \
        if ((count) == (capacity)) {                                                               \
            size_t grown_ = (capacity) ? (capacity)*2 : 16;                                        \
            void *bigger_ = arena_alloc((a), grown_, sizeof *(array));                             \
            if (count)                                                                             \
                memcpy(bigger_, (array), (count) * sizeof *(array));                               \
            (array) = bigger_;                                                                     \
            (capacity) = grown_;                                                                   \
        }                                                                                          \
    } while (0)

#endif
