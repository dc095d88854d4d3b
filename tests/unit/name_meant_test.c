/* What names in texts mean. */
#include "memory/name_meant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "memory/code_name.h"

static const struct {
    const char *path, *name;
    enum symbol_kind kind;
} sources[] = {
    {"src/cart.c", "cart_total", SYMBOL_FUNCTION},
    {"src/sync/notify.rs", "Notify.notified", SYMBOL_METHOD},
    {"src/sync/notify.rs", "Notify.enable", SYMBOL_METHOD},
    {"src/sync/notify.rs", "OwnedNotified.enable", SYMBOL_METHOD},
    {"src/fs/copy.rs", "copy", SYMBOL_FUNCTION},
    {"src/fs/copy.rs", "copy~2", SYMBOL_FUNCTION},
    {"src/io/util/copy.rs", "copy", SYMBOL_FUNCTION},
    {"src/task/id.rs", "Id", SYMBOL_STRUCT},
    {"src/time/clock.rs", "pause", SYMBOL_FUNCTION},
    {"src/time/clock.rs", "Clock.pause", SYMBOL_METHOD},
    {"lib/response.js", "res.send", SYMBOL_FUNCTION},
    {"lib/response.js", "links", SYMBOL_FUNCTION},
    {"package.json", "dependencies.send", SYMBOL_KEY},
    {"src/server.h", "robj", SYMBOL_TYPE},
    {"src/net.c", "acquireMany", SYMBOL_FUNCTION},
    {"tests/net_test.c", "acquireMany", SYMBOL_FUNCTION},
    {"tests/help.tcl", "start_server", SYMBOL_FUNCTION},
    {"tokio-util/src/either.rs", "Either", SYMBOL_ENUM},
    {"src/object.c", "refcount", SYMBOL_FIELD},
    {"src/lists.c", "memchr", SYMBOL_FUNCTION},
    {"src/texts.c", "memchr", SYMBOL_FUNCTION},
    {"README.md", "Internals.server.c", SYMBOL_HEADING},
};
enum { SOURCE_COUNT = sizeof sources / sizeof *sources };

/* A name as texts have it -> path#name, or nothing. */
static const char *const symbols[][2] = {
    {"cart_total", "src/cart.c#cart_total"},
    {"cart_total(lines, 2)", "src/cart.c#cart_total"},
    {"cart.cart_total", "src/cart.c#cart_total"},
    {"shop.cart_total", ""},                                /* of something else */
    {"Notify::enable", "src/sync/notify.rs#Notify.enable"}, /* by the type around it */
    {"sync::Notify::notified", "src/sync/notify.rs#Notify.notified"},
    {"enable", ""}, /* a word, and two of them */
    {"x.enable", ""},
    {"fs::copy", "src/fs/copy.rs#copy"}, /* by the folder; twice in one file */
    {"io::copy", "src/io/util/copy.rs#copy"},
    {"copy", ""},
    {"task::Id", "src/task/id.rs#Id"},
    {"time::pause", "src/time/clock.rs#pause"}, /* not the member */
    {"Clock::pause", "src/time/clock.rs#Clock.pause"},
    {"self.pause", ""},
    {"res.send(body, status)", "lib/response.js#res.send"}, /* no key of a configuration */
    {"res.links", "lib/response.js#links"},                 /* res: response */
    {"connect.static.send", ""},
    {"robj", "src/server.h#robj"}, /* the only type of that name */
    {"refcount", ""},              /* a member by a plain word */
    {"memchr", ""},
    {"acquireMany", "src/net.c#acquireMany"}, /* not its test */
    {"start_server", "tests/help.tcl#start_server"},
    {"tokio_util::Either<L, R>", "tokio-util/src/either.rs#Either"},
    {"server.c", ""}, /* a heading is no symbol */
    {"cart-total", ""},
    {"1.2.3", ""},
    {"a.", ""},
    {"::", ""},
    {"", ""},
    {"a::b::c::d::e::f::g::h::cart_total", ""},
};

static size_t called_so(str simple, struct name_candidate *out)
{
    size_t count = 0;
    for (size_t i = 0; i < SOURCE_COUNT; i++)
        if (str_eq(code_name_simple(str_of(sources[i].name)), simple))
            out[count++] = (struct name_candidate){(int64_t)i, str_of(sources[i].name),
                                                   str_of(sources[i].path), sources[i].kind};
    return count;
}

static void a_name_means_the_symbol_that_alone_fits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        struct written_name name;
        struct name_candidate found[SOURCE_COUNT];
        char got[128] = "";
        if (name_read(str_of(symbols[i][0]), &name)) {
            size_t count = called_so(name.parts[name.count - 1], found);
            size_t meant = name_symbol_meant(&name, found, count);
            if (meant < count)
                snprintf(got, sizeof got, "%.*s#%.*s", FMT(found[meant].path),
                         FMT(found[meant].name));
        }
        if (strcmp(got, symbols[i][1]) != 0)
            fail_msg("%s: %s, not %s", symbols[i][0], got, symbols[i][1]);
    }
}

static const char *const files[] = {"README.md",    "src/cart.c",     "src/net/cart.h",
                                    "src/mod.rs",   "src/net/mod.rs", "tests/fixtures/user.html",
                                    "tests/mod.rs", "docs/README.md", ".github/TEMPLATE.md",
                                    "tests/cart.h"};
enum { FILE_COUNT = sizeof files / sizeof *files };

static const char *const paths[][2] = {
    {"cart.c", "src/cart.c"},
    {"./src/cart.c:120", "src/cart.c"},
    {"../../src/cart.c#L20", "src/cart.c"},
    {"net/mod.rs", "src/net/mod.rs"},
    {"mod.rs", ""},               /* which? */
    {"cart.h", "src/net/cart.h"}, /* not the test's */
    {"README.md", "README.md"},
    {"user.html", ""}, /* an example's name in a text */
    {"fixtures/user.html", "tests/fixtures/user.html"},
    {"/.github/TEMPLATE.md", ".github/TEMPLATE.md"},
    {"/etc/cart.c", ""},
    {"src/", ""},
    {"src/*.c", ""},
    {"art.c", ""},
    {"", ""},
};

static void a_path_means_the_file_that_alone_ends_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct name_candidate found[FILE_COUNT];
        size_t count = 0;
        str path = name_path(str_of(paths[i][0]));
        for (size_t k = 0; k < FILE_COUNT; k++)
            if (path.len && str_eq(str_file_name(str_of(files[k])), str_file_name(path)))
                found[count++] =
                    (struct name_candidate){.id = (int64_t)k, .path = str_of(files[k])};
        size_t meant = name_path_meant(path, found, count);
        str got = meant < count ? found[meant].path : S("");
        if (!str_eq(got, str_of(paths[i][1])))
            fail_msg("%s: %.*s, not %s", paths[i][0], FMT(got), paths[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_means_the_symbol_that_alone_fits),
        cmocka_unit_test(a_path_means_the_file_that_alone_ends_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
