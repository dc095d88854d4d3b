/* How much the facts of sources cost over plain parsing: reads names of files from stdin, parses
 * each with its grammar alone, then makes its facts, and prints both as MB/s with what was found.
 *
 *   git -C REPO ls-files | sed "s,^,REPO/," | build/source_bench [REPEATS]
 *
 * Built on demand: cmake --build build --target source_bench */
#include "parsers/languages.h"
#include "parsers/parsers.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct sum {
    double bytes, plain_s, facts_s;
    size_t files, symbols, references, chunks, errors, skipped;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static str read_file(struct arena *a, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return S("");
    char *bytes = arena_bytes(a, MAX_SOURCE_BYTES + 1);
    size_t length = fread(bytes, 1, MAX_SOURCE_BYTES + 1, file);
    fclose(file);
    return str_from(bytes, length);
}

static void parse_plainly(TSParser *parser, const struct language *language, str bytes)
{
    ts_parser_set_language(parser, language->grammar());
    ts_tree_delete(ts_parser_parse_string(parser, NULL, bytes.at, (uint32_t)bytes.len));
}

static void print_sum(const char *name, const struct sum *s)
{
    if (!s->files && !s->skipped)
        return;
    printf("%-12s %6zu files %6.2f MB  plain %6.1f MB/s  facts %6.1f MB/s  ratio %.2f  "
           "%zu symbols %zu references %zu windows, %zu with errors, %zu skipped\n",
           name, s->files, s->bytes / 1e6, s->bytes / 1e6 / s->plain_s, s->bytes / 1e6 / s->facts_s,
           s->facts_s / s->plain_s, s->symbols, s->references, s->chunks, s->errors, s->skipped);
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 1;
    size_t count = language_count();
    struct sum *sums = heap_alloc(count + 1, sizeof *sums);
    TSParser *parser = ts_parser_new();
    struct source_reader *reader = source_reader_open();
    char path[4096];
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = 0;
        const struct language *language = language_by_path(str_of(path));
        if (!language)
            continue;
        struct arena a = {0};
        struct sum *sum = &sums[language - language_at(0)];
        str bytes = read_file(&a, path);
        for (int i = 0; i < repeats; i++) {
            struct source_file file = {0};
            double before = now_s();
            source_facts(reader, &a, str_of(path), bytes, &file);
            double behind = now_s();
            if (file.skipped.len) {
                sum->skipped++;
                break;
            }
            parse_plainly(parser, language, bytes);
            sum->plain_s += now_s() - behind;
            sum->facts_s += behind - before;
            sum->bytes += (double)bytes.len;
            sum->files++;
            sum->symbols += file.facts.symbol_count;
            sum->references += file.facts.reference_count;
            sum->chunks += file.facts.chunk_count;
            sum->errors += file.facts.has_errors;
        }
        arena_free(&a);
    }
    for (size_t i = 0; i < count; i++)
        print_sum(language_at(i)->name, &sums[i]);
    source_reader_close(reader);
    ts_parser_delete(parser);
    heap_free(sums);
    return 0;
}
