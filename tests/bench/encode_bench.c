/* The local encoder as a filter: a text a line in, its vector a line out. For a scripted provider
 * whose vectors must lead to the same answers (tests/bench/provided.py). */
#include "memory/memory_vectors.h"
#include "memory/provider/encoder.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    struct err e = {0};
    struct encoder *en;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    if (!memory_open_encoder(&en, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    while ((length = getline(&line, &room, stdin)) > 0) {
        struct arena scratch = {0};
        float vector[ENCODER_DIMENSIONS] = {0};
        str text = str_from(line, (size_t)length - (line[length - 1] == '\n'));
        if (!encoder_encode(en, &scratch, text, vector))
            vector[0] = 1e-6f; /* a provider has an answer for everything */
        for (int d = 0; d < ENCODER_DIMENSIONS; d++)
            printf("%s%.9g", d ? " " : "", (double)vector[d]);
        puts("");
        fflush(stdout);
        arena_free(&scratch);
    }
    free(line);
    memory_close_encoder(en);
    return 0;
}
