/* The encoder's file: what is refused, and where it is looked for. */
#include "memory/provider/encoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/built_encoder.h"

static char *read_all(struct arena *a, const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(f);
    rewind(f);
    char *all = arena_alloc(a, *bytes, 1);
    assert_int_equal(fread(all, 1, *bytes, f), *bytes);
    fclose(f);
    return all;
}

static void write_all(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void assert_refused(const char *path, enum err_code code, const char *why)
{
    struct err e = {0};
    struct encoder *en = NULL;
    if (encoder_open(path, &en, &e))
        fail_msg("opened, wanted \"%s\"", why);
    assert_null(en);
    assert_int_equal(e.code, code);
    if (!strstr(e.text, why))
        fail_msg("\"%s\", wanted \"%s\"", e.text, why);
}

static void damaged_and_foreign_files_are_refused(void **state)
{
    (void)state;
    struct arena a = {0};
    size_t n;
    const char *built = at(&a, "ENGRAM_BUILD_DIR", ENCODER_FILE);
    if (access(built, R_OK) != 0)
        skip();
    char *file = read_all(&a, built, &n);
    const struct {
        size_t bytes, flip; /* a byte is changed unless it is 0 */
        const char *why;
    } cases[] = {
        {0, 0, "not a file of encoder weights"},
        {sizeof(struct weights_header) - 1, 0, "not a file of encoder weights"},
        {sizeof(struct weights_header), 0, "wrong size"},
        {n / 2, 0, "wrong size"},
        {n - 1, 0, "wrong size"},
        {n, 1, "not a file of encoder weights"},
        {n, offsetof(struct weights_header, version), "another version"},
        {n, offsetof(struct weights_header, kind), "another version"},
        {n, offsetof(struct weights_header, file_bytes), "wrong size"},
        {n, offsetof(struct weights_header, pieces), "wrong size"},
        {n, offsetof(struct weights_header, pieces) + 3, "wrong size"},
        {n, offsetof(struct weights_header, nodes) + 3, "wrong size"},
        {n, offsetof(struct weights_header, checksum), "damaged"},
        {n, sizeof(struct weights_header), "damaged"},
        {n, n / 2, "damaged"},
        {n, n - 1, "damaged"},
    };
    char path[] = "/tmp/engram-encoder-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].flip)
            file[cases[i].flip] ^= 0x55;
        write_all(path, file, cases[i].bytes);
        assert_refused(path, ERR_INPUT, cases[i].why);
        if (cases[i].flip)
            file[cases[i].flip] ^= 0x55;
    }
    write_all(path, file, n);
    struct err e = {0};
    struct encoder *en;
    assert_true(encoder_open(path, &en, &e));
    encoder_close(en);
    unlink(path);
    arena_free(&a);
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/engram-encoder-XXXXXX";
    close(mkstemp(path));
    unlink(path);
    assert_refused(path, ERR_NOT_FOUND, path);
    assert_refused("/tmp", ERR_INPUT, "not a file of encoder weights");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(path, ERR_INPUT, "not a file of encoder weights");
    unlink(path);
}

static void the_file_is_looked_for_beside_the_executable_first(void **state)
{
    (void)state;
    struct arena a = {0};
    struct err e = {0};
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    strrchr(self, '/')[1] = '\0';
    str beside = arena_printf(&a, "%s" ENCODER_FILE, self), path;
    write_all(beside.at, "", 0);
    bool found = encoder_path(&a, &path, &e);
    unlink(beside.at);
    assert_true(found && str_eq(path, beside));
    if (encoder_path(&a, &path, &e)) {
        assert_true(str_eq(path, S(ENGRAM_DATA_DIR "/" ENCODER_FILE)));
    } else {
        assert_int_equal(e.code, ERR_NOT_FOUND);
        assert_non_null(strstr(e.text, ENGRAM_DATA_DIR));
    }
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_and_foreign_files_are_refused),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(the_file_is_looked_for_beside_the_executable_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
