#include "memory/provider/encoder.h"

#include "memory/base/hash.h"
#include "memory/base/unicode.h"
#include "memory/provider/encoder_weights.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WIDTH = ENCODER_DIMENSIONS,
    TOKEN_WIDTH = ENCODER_TOKEN_DIMENSIONS,
    MAX_ROWS = ENCODER_MAX_ROWS,
    WIDEST = MATH_MAX_IN, /* the inner layers; queries, keys and values need less */
    MAX_STRANGE_PERCENT = 30,
    /* What is behind so many bytes a piece isn't looked at. The longest one has 18 characters; the
     * rest is for indentation, which is none. */
    MAX_BYTES_PER_PIECE = 64,
};

static_assert((int)ENCODER_MAX_ROWS <= (int)MATH_MAX_ROWS, "a text's rows are multiplied at once");

struct encoder {
    const char *file;
    size_t file_bytes;
    str name;
    struct weights weights;
    enum math_path path;
    struct { /* a row for each piece and mark */
        float state[MAX_ROWS * WIDTH];
        float mixed[MAX_ROWS * WIDTH];
        float change[MAX_ROWS * WIDTH];
        float wide[MAX_ROWS * WIDEST];
        struct math_scratch scratch;
    } rows;
};

/* ---- the file ---- */

static bool is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

bool encoder_path(struct arena *a, str *out, struct err *e)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    str folder = str_from(self, length > 0 ? (size_t)length : 0);
    while (folder.len && folder.at[folder.len - 1] != '/')
        folder.len--;
    *out = arena_printf(a, "%.*s" ENCODER_FILE, FMT(folder));
    if (folder.len && is_file(out->at))
        return true;
    *out = S(ENGRAM_DATA_DIR "/" ENCODER_FILE);
    return is_file(out->at) || fail(e, ERR_NOT_FOUND,
                                    ENCODER_FILE " is neither in %.*s nor in %s: engram was built "
                                                 "without the encoder's weights",
                                    FMT(folder), ENGRAM_DATA_DIR);
}

static bool refuse(const char *path, const char *why, struct err *e)
{
    return fail(e, ERR_INPUT, "%s: %s; build or install engram again", path, why);
}

/* Maps a regular file that is large enough for a header. */
static bool map_file(struct encoder *en, const char *path, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path, strerror(errno));
    struct stat s;
    bool ok = fstat(fd, &s) == 0 || fail(e, ERR_IO, "%s: %s", path, strerror(errno));
    ok = ok && ((S_ISREG(s.st_mode) && s.st_size >= (off_t)sizeof(struct weights_header)) ||
                refuse(path, "not a file of encoder weights", e));
    if (ok) {
        void *file = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        ok = file != MAP_FAILED || fail(e, ERR_IO, "%s: %s", path, strerror(errno));
        en->file = ok ? file : NULL;
        en->file_bytes = (size_t)s.st_size;
    }
    close(fd);
    return ok;
}

static bool check_file(struct encoder *en, const char *path, struct err *e)
{
    const struct weights_header *header = (const void *)en->file;
    if (header->magic != WEIGHTS_MAGIC)
        return refuse(path, "not a file of encoder weights", e);
    if (header->version != WEIGHTS_VERSION ||
        (header->kind != WEIGHTS_BYTES && header->kind != WEIGHTS_FLOATS))
        return refuse(path, "encoder weights of another version", e);
    if (header->pieces <= LAST_PIECE || header->pieces > MAX_PIECES ||
        header->nodes > MAX_PIECE_NODES || header->file_bytes != en->file_bytes ||
        weights_place(header, NULL, &en->weights) != en->file_bytes)
        return refuse(path, "the encoder weights have the wrong size", e);
    size_t from = sizeof *header;
    if (hash64(str_from(en->file + from, en->file_bytes - from)) != header->checksum)
        return refuse(path, "the encoder weights are damaged (checksum)", e);
    weights_place(header, en->file, &en->weights);
    return wordpiece_valid(&en->weights.wordpiece) ||
           refuse(path, "the vocabulary of the encoder weights is damaged", e);
}

bool encoder_open(const char *path, struct encoder **out, struct err *e)
{
    struct encoder *en = heap_alloc(1, sizeof *en);
    if (!map_file(en, path, e) || !check_file(en, path, e)) {
        encoder_close(en);
        return false;
    }
    en->name = en->weights.token.bytes ? S("minilm-l6-3-int8") : S("minilm-l6-3-float32");
    en->path = math_best_path();
    *out = en;
    return true;
}

void encoder_close(struct encoder *en)
{
    if (en && en->file)
        munmap((void *)en->file, en->file_bytes);
    heap_free(en);
}

str encoder_model_name(const struct encoder *en)
{
    return en->name;
}

/* ---- the network ---- */

static void embed(struct encoder *en, const uint16_t *pieces, size_t n)
{
    const struct matrix *m = &en->weights.embeddings;
    const float *position = en->weights.positions;
    float *out = en->rows.state;
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < m->in; i++) {
            size_t at = pieces[r] * m->in + i;
            float value = m->floats ? m->floats[at] : m->scales[pieces[r]] * (float)m->bytes[at];
            *out++ = value + *position++;
        }
    math_normalise(&en->weights.embedding_norm, en->rows.state, n, en->rows.state);
}

static void add_to(float *sum, const float *change, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += change[i];
}

static void multiply(struct encoder *en, const struct matrix *m, const float *in, size_t rows,
                     float *out)
{
    math_multiply(en->path, m, in, rows, out, &en->rows.scratch);
}

/* state = norm(state + change) */
static void add_and_normalise(struct encoder *en, const struct norm *norm, size_t rows)
{
    add_to(en->rows.state, en->rows.change, rows * WIDTH);
    math_normalise(norm, en->rows.state, rows, en->rows.state);
}

static void attend(struct encoder *en, const struct weights_layer *layer, size_t rows)
{
    multiply(en, &layer->qkv, en->rows.state, rows, en->rows.wide);
    math_attend(en->path, en->rows.wide, rows, WIDTH, WEIGHTS_HEADS, en->rows.mixed,
                &en->rows.scratch);
    multiply(en, &layer->attended, en->rows.mixed, rows, en->rows.change);
    add_and_normalise(en, &layer->attention_norm, rows);
}

static void feed_forward(struct encoder *en, const struct weights_layer *layer, size_t rows)
{
    float *wide = en->rows.wide;
    multiply(en, &layer->inner, en->rows.state, rows, wide);
    math_gelu(en->path, wide, rows * layer->inner.out);
    multiply(en, &layer->outer, wide, rows, en->rows.change);
    add_and_normalise(en, &layer->outer_norm, rows);
}

static void mean_row(const float *rows, size_t n, float *mean)
{
    memset(mean, 0, WIDTH * sizeof *mean);
    for (size_t r = 0; r < n; r++)
        add_to(mean, rows + r * WIDTH, WIDTH);
    for (size_t i = 0; i < WIDTH; i++)
        mean[i] /= (float)n;
}

/* false where the row has no length. */
static bool to_unit_length(float *row, size_t n)
{
    float squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += row[i] * row[i];
    float length = sqrtf(squares);
    if (!isfinite(length) || !(length > 0))
        return false;
    for (size_t i = 0; i < n; i++)
        row[i] /= length;
    return true;
}

/* ln(1 + e^x) */
static float softplus(float x)
{
    return x > 20 ? x : log1pf(math_exp(x));
}

/* The vocabulary has the letters of many scripts, of which the model, which learned English, makes
 * vectors that mean nothing. */
static bool mostly_strange(const struct encoder *en, const uint16_t *pieces, size_t n)
{
    size_t strange = 0;
    for (size_t i = 0; i < n; i++)
        strange += en->weights.strange[pieces[i]] != 0;
    return strange * 100 > n * MAX_STRANGE_PERCENT;
}

/* n is at most ENCODER_MAX_PIECES. The state then has a row for the mark before the text, then one
 * for each piece. */
static bool encode_pieces(struct encoder *en, const uint16_t *pieces, size_t n,
                          float out[ENCODER_DIMENSIONS])
{
    uint16_t marked[MAX_ROWS];
    if (n == 0 || mostly_strange(en, pieces, n))
        return false;
    marked[0] = FIRST_PIECE;
    memcpy(marked + 1, pieces, n * sizeof *pieces);
    marked[n + 1] = LAST_PIECE;
    size_t rows = n + 2;
    embed(en, marked, rows);
    for (size_t i = 0; i < WEIGHTS_LAYERS; i++) {
        attend(en, &en->weights.layers[i], rows);
        feed_forward(en, &en->weights.layers[i], rows);
    }
    mean_row(en->rows.state, rows, out);
    return to_unit_length(out, WIDTH);
}

/* ---- tokens ---- */

static struct encoder_tokens tokens_new(struct arena *a, size_t most)
{
    return (struct encoder_tokens){.at = arena_alloc(a, most + 1, sizeof(float[TOKEN_WIDTH])),
                                   .weight = ARENA_ARRAY(a, float, most + 1)};
}

static float weight_in_query(const struct encoder *en, const float *row)
{
    static const float STEEPNESS = .1f; /* as it was learned */
    const float *weight = en->weights.query_weight;
    float sum = 0;
    for (size_t i = 0; i < WIDTH; i++)
        sum += row[i] * weight[i];
    return softplus(STEEPNESS * sum + weight[WIDTH]);
}

/* Of the pieces `from` to `to` of those encoded last. */
static void take_tokens(struct encoder *en, size_t from, size_t to, struct encoder_tokens *t)
{
    static const struct norm plain = {.n = WIDTH};
    if (from >= to)
        return;
    float *rows = en->rows.mixed, *out = t->at[t->count];
    math_normalise(&plain, en->rows.state + (from + 1) * WIDTH, to - from, rows);
    multiply(en, &en->weights.token, rows, to - from, out);
    for (size_t r = 0; r < to - from; r++, out += TOKEN_WIDTH) {
        if (!to_unit_length(out, TOKEN_WIDTH))
            memset(out, 0, TOKEN_WIDTH * sizeof *out);
        t->weight[t->count++] = weight_in_query(en, rows + r * WIDTH);
    }
}

/* ---- texts ---- */

/* The first `wanted` pieces, or all. */
static size_t cut(struct encoder *en, struct arena *a, str text, size_t wanted, uint16_t **pieces)
{
    text = utf8_prefix(text, wanted * MAX_BYTES_PER_PIECE);
    return wordpiece_encode(&en->weights.wordpiece, a, text, wanted, pieces);
}

bool encoder_encode(struct encoder *en, struct arena *scratch, str text,
                    float out[ENCODER_DIMENSIONS])
{
    struct arena mark = *scratch;
    uint16_t *pieces;
    size_t n = cut(en, scratch, text, ENCODER_MAX_PIECES, &pieces);
    bool ok = encode_pieces(en, pieces, n, out);
    arena_rewind(scratch, mark);
    return ok;
}

bool encoder_encode_tokens(struct encoder *en, struct arena *a, str text,
                           float out[ENCODER_DIMENSIONS], struct encoder_tokens *tokens)
{
    uint16_t *pieces;
    size_t n = cut(en, a, text, ENCODER_MAX_PIECES, &pieces);
    *tokens = tokens_new(a, n);
    bool ok = encode_pieces(en, pieces, n, out);
    if (ok)
        take_tokens(en, 0, n, tokens);
    return ok;
}

/* A window of a text behind its lead. */
struct windows {
    uint16_t lead[ENCODER_LEAD_PIECES];
    size_t lead_count, size, count;
};

/* Over n pieces; the last one reaches the end. */
static void plan_windows(struct windows *w, size_t n)
{
    size_t room = ENCODER_MAX_PIECES - w->lead_count;
    bool whole = n <= room;
    w->size = whole ? n : room < ENCODER_WINDOW_PIECES ? room : ENCODER_WINDOW_PIECES;
    w->count = whole ? n > 0 : 1 + (n - w->size + ENCODER_WINDOW_STEP - 1) / ENCODER_WINDOW_STEP;
}

static void cut_lead(struct encoder *en, struct arena *a, str lead, struct windows *w)
{
    enum { MOST_BYTES = 32 * ENCODER_LEAD_PIECES };
    struct arena mark = *a;
    uint16_t *pieces;
    if (lead.len > MOST_BYTES)
        lead = str_cut(lead, lead.len - MOST_BYTES, lead.len);
    size_t n = cut(en, a, lead, MOST_BYTES, &pieces);
    w->lead_count = n < ENCODER_LEAD_PIECES ? n : ENCODER_LEAD_PIECES;
    memcpy(w->lead, pieces + n - w->lead_count, w->lead_count * sizeof *pieces);
    arena_rewind(a, mark);
}

size_t encoder_windows(struct encoder *en, struct arena *a, str lead, str text, size_t max,
                       float (**out)[ENCODER_DIMENSIONS], struct encoder_tokens *tokens)
{
    max = max < ENCODER_MAX_WINDOWS ? max : ENCODER_MAX_WINDOWS;
    float(*vectors)[ENCODER_DIMENSIONS] = arena_alloc(a, max, sizeof *vectors);
    *out = vectors;
    if (tokens)
        *tokens = tokens_new(a, ENCODER_MAX_PIECES + max * ENCODER_WINDOW_STEP);
    struct arena mark = *a;
    struct windows w = {0};
    uint16_t *pieces, window[ENCODER_MAX_PIECES];
    if (lead.len)
        cut_lead(en, a, lead, &w);
    size_t n = cut(en, a, text, ENCODER_MAX_PIECES + max * ENCODER_WINDOW_STEP, &pieces), found = 0;
    plan_windows(&w, n);
    memcpy(window, w.lead, w.lead_count * sizeof *window);
    size_t tokens_end = 0; /* pieces whose tokens are there */
    for (size_t i = 0; i < w.count && i < max; i++) {
        size_t from = i * ENCODER_WINDOW_STEP, left = n - from < w.size ? n - from : w.size;
        memcpy(window + w.lead_count, pieces + from, left * sizeof *window);
        if (!encode_pieces(en, window, w.lead_count + left, vectors[found]))
            continue;
        size_t known = tokens_end > from ? tokens_end - from : 0;
        if (tokens && !found)
            tokens->lead_count = w.lead_count;
        if (tokens)
            take_tokens(en, found ? w.lead_count + known : 0, w.lead_count + left, tokens);
        tokens_end = from + left;
        found++;
    }
    arena_rewind(a, mark);
    return found;
}
