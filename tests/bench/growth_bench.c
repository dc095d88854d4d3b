/* CPU time of the pure parts of tending at 100,000 nodes: near names, PageRank, communities. The
 * names are two words of syllables, one in twenty a slip of an earlier one; the graph has 100,000
 * memories and entities, four mentions a memory, by preference to what is mentioned already. */
#include "memory/base/buf.h"
#include "memory/louvain.h"
#include "memory/near_names.h"
#include "memory/topology.h"

#include <stdio.h>
#include <time.h>

enum { NAMES = 100000, NODES = 100000, ENTITIES = 30000, MENTIONS = 4 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dULL;
}

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static str make_name(struct arena *a, uint64_t *rng)
{
    static const char *const syllables[] = {"ba", "ce", "di", "fo", "gu",  "ha",  "je",  "ki",
                                            "lo", "mu", "na", "pe", "qi",  "ro",  "su",  "ta",
                                            "ve", "wi", "xo", "yu", "bri", "clo", "dre", "fla"};
    struct buf text = {0};
    for (int word = 0; word < 2; word++) {
        buf_add(&text, word ? S(" ") : S(""));
        for (uint64_t left = 2 + next_random(rng) % 3; left--;)
            buf_add(&text, str_of(syllables[next_random(rng) % 24]));
    }
    str out = arena_str(a, buf_str(&text));
    buf_free(&text);
    return out;
}

static void bench_names(void)
{
    struct arena a = {0};
    uint64_t rng = 1;
    struct near_name *names = ARENA_ARRAY(&a, struct near_name, NAMES);
    struct near_pair *pairs;
    size_t count;
    for (size_t i = 0; i < NAMES; i++) {
        str name = make_name(&a, &rng);
        if (i % 20 == 19) { /* a letter of the one before goes */
            name = names[i - 1].normal;
            size_t at = next_random(&rng) % name.len;
            name = arena_printf(&a, "%.*s%.*s", (int)at, name.at, (int)(name.len - at - 1),
                                name.at + at + 1);
        }
        names[i] = (struct near_name){(int64_t)i + 1, name};
    }
    double from = cpu_s();
    near_names_find(&a, names, NAMES, &pairs, &count);
    size_t slips = 0;
    for (size_t i = 0; i < count; i++)
        slips += pairs[i].b == pairs[i].a + 1 && pairs[i].b % 20 == 0;
    printf("near names of %d: %.2f s, %zu pairs, %zu of %d slips\n", NAMES, cpu_s() - from, count,
           slips, NAMES / 20);
    arena_free(&a);
}

static void bench_graph(void)
{
    struct arena a = {0};
    struct topo_graph graph;
    uint64_t rng = 2;
    size_t count = 0;
    struct topo_edge *edges = ARENA_ARRAY(&a, struct topo_edge, (size_t)NODES * MENTIONS);
    double *pi = ARENA_ARRAY(&a, double, NODES);
    uint32_t *community = ARENA_ARRAY(&a, uint32_t, NODES);
    for (uint32_t n = ENTITIES; n < NODES; n++)
        for (int k = 0; k < MENTIONS; k++) {
            bool follows = count > 100 && next_random(&rng) % 3;
            uint32_t to = follows ? edges[next_random(&rng) % count].b
                                  : (uint32_t)(next_random(&rng) % ENTITIES);
            edges[count++] = (struct topo_edge){n, to, 1, 1};
        }
    double from = cpu_s();
    topo_build(&a, NODES, edges, count, &graph);
    topo_pagerank(&graph, pi);
    printf("PageRank of %d nodes, %zu edges: %.2f s\n", NODES, count, cpu_s() - from);
    from = cpu_s();
    uint32_t communities = louvain(NODES, edges, count, community);
    printf("communities: %.2f s, %u, modularity %.3f\n", cpu_s() - from, communities,
           louvain_modularity(NODES, edges, count, community));
    arena_free(&a);
}

int main(void)
{
    bench_names();
    bench_graph();
    return 0;
}
