/* Fits the linear ranker: listwise logistic regression (softmax over a question's candidates), each
 * group (a conversation, a half of a diary) left out once, and all together.
 *
 *   fit ROWS OUT-PREFIX [OFF,OFF...] [all]    OFF: names of features whose weight stays 0; all:
 * leave no group out
 *
 * ROWS: a line with the features' names, then for each candidate a line "group question label
 * values...", candidates of a question together, label 1 or 0. Writes OUT-PREFIX.GROUP.weights for
 * each group left out and OUT-PREFIX.all.weights, each a file that ENGRAM_WEIGHTS reads.
 * Deterministic. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FEATURES = 64, MAX_GROUPS = 64, MAX_LINE = 8192, STEPS = 200, MEMORY = 12 };

/* Ridge, per question: so small that it hardly holds back what only the smallest data set knows of
 * (1e-3 cost HotpotQA five points of R@5). */
static const double RIDGE = 2e-5;

struct question {
    int group;
    size_t from, to; /* rows */
    int positives;
};

static struct {
    int features, groups;
    char name[MAX_FEATURES][40], group[MAX_GROUPS][64];
    bool off[MAX_FEATURES];
    float *values;
    unsigned char *label;
    size_t rows, capacity;
    struct question *questions;
    size_t count, question_capacity;
} data;

static void stop(const char *why)
{
    fprintf(stderr, "fit: %s\n", why);
    exit(1);
}

static void *grow(void *p, size_t n, size_t size)
{
    void *bigger = realloc(p, n * size);
    if (!bigger)
        stop("out of memory");
    return bigger;
}

static int group_index(const char *name)
{
    for (int g = 0; g < data.groups; g++)
        if (strcmp(data.group[g], name) == 0)
            return g;
    if (data.groups == MAX_GROUPS)
        stop("too many groups");
    snprintf(data.group[data.groups], sizeof data.group[0], "%s", name);
    return data.groups++;
}

static void read_row(char *line, char *last_question)
{
    char *rest = line, *group = strtok_r(rest, " \n", &rest),
         *question = strtok_r(NULL, " \n", &rest);
    char *label = strtok_r(NULL, " \n", &rest);
    if (!label)
        stop("a short row");
    if (data.rows == data.capacity) {
        data.capacity = data.capacity ? data.capacity * 2 : 65536;
        data.values = grow(data.values, data.capacity * (size_t)data.features, sizeof *data.values);
        data.label = grow(data.label, data.capacity, 1);
    }
    for (int f = 0; f < data.features; f++) {
        char *value = strtok_r(NULL, " \n", &rest);
        if (!value)
            stop("a short row");
        data.values[data.rows * (size_t)data.features + (size_t)f] = strtof(value, NULL);
    }
    data.label[data.rows] = label[0] == '1';
    if (strcmp(question, last_question) != 0) {
        if (data.count == data.question_capacity) {
            data.question_capacity = data.question_capacity ? data.question_capacity * 2 : 1024;
            data.questions = grow(data.questions, data.question_capacity, sizeof *data.questions);
        }
        data.questions[data.count++] =
            (struct question){group_index(group), data.rows, data.rows, 0};
        snprintf(last_question, 64, "%s", question);
    }
    struct question *q = &data.questions[data.count - 1];
    q->to = ++data.rows;
    q->positives += data.label[q->to - 1];
}

static void read_rows(const char *path)
{
    char line[MAX_LINE], last_question[64] = "", *rest;
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file))
        stop("can't read the rows");
    rest = line;
    for (char *name; (name = strtok_r(rest, " \n", &rest)) && data.features < MAX_FEATURES;)
        snprintf(data.name[data.features++], sizeof data.name[0], "%s", name);
    while (fgets(line, sizeof line, file))
        read_row(line, last_question);
    fclose(file);
}

static double dot(const double *w, size_t row)
{
    const float *v = data.values + row * (size_t)data.features;
    double sum = 0;
    for (int f = 0; f < data.features; f++)
        sum += w[f] * v[f];
    return sum;
}

/* Mean over questions of -1/|P| sum over positives of log softmax; its gradient into g. */
static double loss(const double *w, int left_out, double *g, double *scores)
{
    double total = 0;
    size_t used = 0;
    memset(g, 0, sizeof(double) * (size_t)data.features);
    for (size_t i = 0; i < data.count; i++) {
        const struct question *q = &data.questions[i];
        if (q->group == left_out || !q->positives)
            continue;
        double most = -INFINITY, z = 0;
        used++;
        for (size_t r = q->from; r < q->to; r++)
            most = fmax(most, scores[r] = dot(w, r));
        for (size_t r = q->from; r < q->to; r++)
            z += exp(scores[r] - most);
        for (size_t r = q->from; r < q->to; r++) {
            double p = exp(scores[r] - most) / z, target = data.label[r] ? 1.0 / q->positives : 0;
            const float *v = data.values + r * (size_t)data.features;
            if (data.label[r])
                total -= target * (scores[r] - most - log(z));
            for (int f = 0; f < data.features; f++)
                g[f] += (p - target) * v[f];
        }
    }
    for (int f = 0; f < data.features; f++) {
        g[f] = g[f] / (double)used + 2 * RIDGE * w[f];
        total += RIDGE * w[f] * w[f] * (double)used;
        if (data.off[f])
            g[f] = 0;
    }
    return total / (double)used;
}

static double product(const double *a, const double *b)
{
    double sum = 0;
    for (int f = 0; f < data.features; f++)
        sum += a[f] * b[f];
    return sum;
}

/* The last steps of a minimisation: how the weights moved and how the gradient changed. */
struct history {
    double step[MEMORY][MAX_FEATURES], change[MEMORY][MAX_FEATURES], inverse[MEMORY];
    int count;
};

/* The direction downhill that the history suggests: the two loops of L-BFGS (Nocedal, 1980). */
static void direction(const struct history *h, const double *g, double *d)
{
    double share[MEMORY];
    int first = h->count > MEMORY ? h->count - MEMORY : 0;
    memcpy(d, g, sizeof(double) * (size_t)data.features);
    for (int k = h->count - 1; k >= first; k--) {
        int m = k % MEMORY;
        share[m] = h->inverse[m] * product(h->step[m], d);
        for (int f = 0; f < data.features; f++)
            d[f] -= share[m] * h->change[m][f];
    }
    for (int k = first; k < h->count; k++) {
        int m = k % MEMORY;
        if (k == first) {
            int last = (h->count - 1) % MEMORY;
            double scale = 1 / (h->inverse[last] * product(h->change[last], h->change[last]));
            for (int f = 0; f < data.features; f++)
                d[f] *= scale;
        }
        double back = h->inverse[m] * product(h->change[m], d);
        for (int f = 0; f < data.features; f++)
            d[f] += h->step[m][f] * (share[m] - back);
    }
}

static void remember(struct history *h, const double *from, const double *to, const double *g,
                     const double *new_g)
{
    int m = h->count % MEMORY;
    for (int f = 0; f < data.features; f++) {
        h->step[m][f] = to[f] - from[f];
        h->change[m][f] = new_g[f] - g[f];
    }
    double curve = product(h->step[m], h->change[m]);
    if (curve <= 1e-14)
        return;
    h->inverse[m] = 1 / curve;
    h->count++;
}

/* L-BFGS, full batches, from nothing; each step is halved until it goes down. */
static double fit(int left_out, double *w, double *scores)
{
    double g[MAX_FEATURES], new_g[MAX_FEATURES], d[MAX_FEATURES], next[MAX_FEATURES];
    struct history h = {.count = 0};
    memset(w, 0, sizeof(double) * MAX_FEATURES);
    double last = loss(w, left_out, g, scores);
    for (int step = 0; step < STEPS; step++) {
        direction(&h, g, d);
        double slope = product(g, d), length = 1, now = last;
        for (int halved = 0; halved < 30; halved++, length /= 2) {
            for (int f = 0; f < data.features; f++)
                next[f] = w[f] - length * d[f];
            now = loss(next, left_out, new_g, scores);
            if (now <= last - 1e-4 * length * slope)
                break;
        }
        remember(&h, w, next, g, new_g);
        memcpy(w, next, sizeof next);
        memcpy(g, new_g, sizeof g);
        bool settled = last - now < 1e-7;
        last = now;
        if (settled)
            break;
    }
    return last;
}

static int by_score(const void *x, const void *y)
{
    const double *a = x, *b = y;
    return (a[0] < b[0]) - (a[0] > b[0]);
}

static double rank_figures(const double *w, int group, double *r5, double *r20, double *mrr)
{
    double r10 = 0;
    size_t used = 0;
    *r5 = *r20 = *mrr = 0;
    for (size_t i = 0; i < data.count; i++) {
        const struct question *q = &data.questions[i];
        size_t count = q->to - q->from;
        if ((group >= 0 && q->group != group) || !q->positives)
            continue;
        used++;
        double(*own)[2] = grow(NULL, count + 1, sizeof *own);
        for (size_t r = 0; r < count; r++) {
            own[r][0] = dot(w, q->from + r);
            own[r][1] = data.label[q->from + r];
        }
        qsort(own, count, sizeof *own, by_score);
        bool first = true;
        for (size_t r = 0; r < count && r < 20; r++) {
            if (own[r][1] == 0)
                continue;
            *r5 += r < 5 ? 1.0 / q->positives : 0;
            r10 += r < 10 ? 1.0 / q->positives : 0;
            *r20 += 1.0 / q->positives;
            *mrr += first && r < 10 ? 1.0 / (double)(r + 1) : 0;
            first = false;
        }
        free(own);
    }
    double n = used ? (double)used : 1;
    *r5 = 100 * *r5 / n;
    *r20 = 100 * *r20 / n;
    *mrr /= n;
    return 100 * r10 / n;
}

static void write_weights(const char *prefix, const char *name, const double *w)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.%s.weights", prefix, name);
    FILE *file = fopen(path, "w");
    if (!file)
        stop("can't write the weights");
    for (int f = 0; f < data.features; f++)
        fprintf(file, "%s %.4f\n", data.name[f], w[f]);
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        stop("usage: fit ROWS OUT-PREFIX [OFF,OFF...] [all]");
    read_rows(argv[1]);
    for (char *rest = argc > 3 ? argv[3] : NULL, *name;
         rest && (name = strtok_r(rest, ",", &rest));)
        for (int f = 0; f < data.features; f++)
            data.off[f] |= strcmp(data.name[f], name) == 0;
    double w[MAX_FEATURES], r5, r20, mrr, *scores = grow(NULL, data.rows + 1, sizeof *scores);
    double sums[4] = {0};
    printf("%zu rows, %zu questions, %d groups; of the candidates' own recall\n", data.rows,
           data.count, data.groups);
    bool only_all = argc > 4 && strcmp(argv[4], "all") == 0;
    for (int g = 0; g < data.groups && !only_all; g++) {
        size_t n = 0;
        for (size_t i = 0; i < data.count; i++)
            n += data.questions[i].group == g && data.questions[i].positives;
        fit(g, w, scores);
        double r10 = rank_figures(w, g, &r5, &r20, &mrr);
        write_weights(argv[2], data.group[g], w);
        printf("left out %-20s R@5 %.1f R@10 %.1f R@20 %.1f MRR %.3f (%zu questions)\n",
               data.group[g], r5, r10, r20, mrr, n);
        sums[0] += r5 * (double)n;
        sums[1] += r10 * (double)n;
        sums[2] += r20 * (double)n;
        sums[3] += mrr * (double)n;
    }
    size_t all = 0;
    for (size_t i = 0; i < data.count; i++)
        all += data.questions[i].positives > 0;
    double n_all = all ? (double)all : 1;
    if (!only_all)
        printf("held out, all              R@5 %.1f R@10 %.1f R@20 %.1f MRR %.3f\n",
               sums[0] / n_all, sums[1] / n_all, sums[2] / n_all, sums[3] / n_all);
    double last = fit(-1, w, scores);
    double r10 = rank_figures(w, -1, &r5, &r20, &mrr);
    write_weights(argv[2], "all", w);
    printf("fitted on all              R@5 %.1f R@10 %.1f R@20 %.1f MRR %.3f, loss %.4f\n", r5, r10,
           r20, mrr, last);
    for (int f = 0; f < data.features; f++)
        printf("  %-12s %8.4f\n", data.name[f], w[f]);
    return 0;
}
