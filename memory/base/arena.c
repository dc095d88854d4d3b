#include "memory/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK_BYTES = 64 * 1024, EXIT_NO_MEMORY = 70 };

struct arena_block {
    struct arena_block *next;
    size_t bytes;
    alignas(max_align_t) char data[];
};

static _Noreturn void out_of_memory(void)
{
    static const char text[] = "engram: out of memory\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    _exit(EXIT_NO_MEMORY);
}

static size_t product(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
        out_of_memory();
    return bytes;
}

static void add_block(struct arena *a, size_t need)
{
    size_t bytes = need > BLOCK_BYTES ? need : BLOCK_BYTES;
    struct arena_block *block = malloc(sizeof *block + bytes);
    if (!block)
        out_of_memory();
    block->next = a->blocks;
    block->bytes = bytes;
    a->blocks = block;
    a->at = block->data;
    a->end = block->data + bytes;
}

char *arena_bytes(struct arena *a, size_t n)
{
    if (!a->at || n > (size_t)(a->end - a->at))
        add_block(a, n);
    char *out = a->at;
    a->at += n;
    return out;
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
    size_t bytes = product(n, size), align = alignof(max_align_t);
    size_t pad = a->at ? (size_t)(-(uintptr_t)a->at & (align - 1)) : 0;
    if (!a->at || bytes + pad > (size_t)(a->end - a->at)) {
        add_block(a, bytes);
        pad = 0;
    }
    char *out = a->at + pad;
    a->at = out + bytes;
    return bytes ? memset(out, 0, bytes) : out;
}

str arena_str(struct arena *a, str s)
{
    return (str){arena_cstr(a, s), s.len};
}

char *arena_cstr(struct arena *a, str s)
{
    char *copy = arena_bytes(a, s.len + 1);
    if (s.len)
        memcpy(copy, s.at, s.len);
    copy[s.len] = '\0';
    return copy;
}

str arena_vprintf(struct arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t room = a->at ? (size_t)(a->end - a->at) : 0; /* most fit, and are formatted once */
    int length = vsnprintf(a->at, room, format, args);
    if (length < 0)
        length = 0;
    char *out = arena_bytes(a, (size_t)length + 1);
    if ((size_t)length >= room)
        vsnprintf(out, (size_t)length + 1, format, again);
    va_end(again);
    return (str){out, (size_t)length};
}

str arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str out = arena_vprintf(a, format, args);
    va_end(args);
    return out;
}

void arena_rewind(struct arena *a, struct arena mark)
{
    while (a->blocks && a->blocks != mark.blocks) {
        struct arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
    *a = mark;
}

void arena_free(struct arena *a)
{
    arena_rewind(a, (struct arena){0});
}

size_t arena_held_bytes(const struct arena *a)
{
    size_t sum = 0;
    for (const struct arena_block *block = a->blocks; block; block = block->next)
        sum += block->bytes;
    return sum;
}

void *heap_alloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *heap_resize(void *p, size_t n, size_t size)
{
    size_t bytes = product(n, size);
    void *bigger = realloc(p, bytes ? bytes : 1);
    if (!bigger)
        out_of_memory();
    return bigger;
}

char *heap_text(str s)
{
    return memcpy(heap_alloc(s.len + 1, 1), s.at, s.len);
}

void heap_free(void *p)
{
    free(p);
}
