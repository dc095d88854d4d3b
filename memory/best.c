#include "memory/best.h"

#include <stdlib.h>

static int by_score(const void *x, const void *y)
{
    const struct scored *a = x, *b = y;
    return a->score != b->score ? (a->score < b->score) - (a->score > b->score)
                                : (a->at < b->at) - (a->at > b->at);
}

/* Quickselect with the middle as pivot (Hoare, "Algorithm 65: Find", 1961): afterwards the k best
 * stand in front, in any order. Invariant: what stands before `low` belongs there, what stands from
 * `high` on doesn't, unless k reaches it. */
static void select_best(struct scored *list, size_t count, size_t k)
{
    size_t low = 0, high = count;
    while (high - low > 1 && low < k && k < high) {
        struct scored pivot = list[low + (high - low) / 2];
        size_t i = low, j = high - 1;
        for (;;) {
            while (by_score(&list[i], &pivot) < 0)
                i++;
            while (by_score(&list[j], &pivot) > 0)
                j--;
            if (i >= j)
                break;
            struct scored other = list[i];
            list[i++] = list[j];
            list[j--] = other;
        }
        size_t cut = j + 1; /* [low, cut) is no worse than the pivot, [cut, high) no better */
        if (cut == high)
            cut--; /* the pivot was the worst and stands last */
        if (k <= cut)
            high = cut;
        else
            low = cut;
    }
}

size_t best_of(struct scored *list, size_t count, size_t k)
{
    if (count > k)
        select_best(list, count, k);
    return count < k ? count : k;
}

size_t best_first(struct scored *list, size_t count, size_t k)
{
    k = best_of(list, count, k);
    if (k)
        qsort(list, k, sizeof *list, by_score);
    return k;
}
