/* Which symbol a name means. A world is a text: files, what they define, what they refer to; then
 * the edges that must come of it. */
#include "memory/code_link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX_FILES = 8, MAX_WORLD_SYMBOLS = 40, MAX_WORLD_REFERENCES = 40 };

struct world {
    struct link_file files[MAX_FILES];
    struct link_symbol symbols[MAX_WORLD_SYMBOLS];
    struct source_reference references[MAX_FILES][MAX_WORLD_REFERENCES];
    size_t file_count, symbol_count;
};

static struct arena arena;

static uint32_t symbol_of(const struct world *w, str name)
{
    const struct link_file *file = &w->files[w->file_count - 1];
    for (uint32_t i = 0; i < file->symbol_count; i++)
        if (str_eq(w->symbols[file->first_symbol + i].name, name))
            return i;
    return NO_SYMBOL;
}

/* "Cart.add" stands in "Cart" where that is defined in the file. */
static uint32_t parent_of(const struct world *w, str name)
{
    size_t dot = name.len;
    while (dot > 0 && name.at[dot - 1] != '.')
        dot--;
    uint32_t parent = dot ? symbol_of(w, str_cut(name, 0, dot - 1)) : NO_SYMBOL;
    return parent == NO_SYMBOL ? parent : w->files[w->file_count - 1].first_symbol + parent;
}

static str word(str *rest)
{
    str w = S("");
    str_next_word(rest, &w);
    return str_eq(w, S("-")) ? S("") : w;
}

static bool read_reference(struct world *w, str kind, str rest)
{
    static const char *const kinds[] = {"call", "inherit", "use", "import"};
    struct link_file *file = &w->files[w->file_count - 1];
    for (int k = 0; k < REFERENCE_KIND_COUNT; k++)
        if (str_eq(kind, str_of(kinds[k]))) {
            struct source_reference *r = &w->references[w->file_count - 1][file->reference_count++];
            r->kind = (enum reference_kind)k;
            r->from = symbol_of(w, word(&rest));
            r->qualifier = word(&rest);
            r->name = word(&rest);
            r->alias = word(&rest);
            r->count = 1;
            return true;
        }
    return false;
}

/* file PATH LANGUAGE | KIND NAME [private] | call FROM QUALIFIER NAME | import - MODULE NAME ALIAS;
 * "-" is nothing */
static void read_line(struct world *w, str line)
{
    str rest = line, first = word(&rest);
    enum symbol_kind kind;
    if (!first.len)
        return;
    if (str_eq(first, S("file"))) {
        struct link_file *file = &w->files[w->file_count];
        file->id = 1000 + (int64_t)w->file_count;
        file->path = word(&rest);
        file->language = word(&rest);
        file->first_symbol = (uint32_t)w->symbol_count;
        file->references = w->references[w->file_count++];
    } else if (symbol_kind_parse(first, &kind)) {
        str name = word(&rest);
        w->symbols[w->symbol_count] =
            (struct link_symbol){.id = 1 + (int64_t)w->symbol_count,
                                 .name = name,
                                 .kind = kind,
                                 .parent = parent_of(w, name),
                                 .is_private = str_eq(word(&rest), S("private"))};
        w->symbol_count++;
        w->files[w->file_count - 1].symbol_count++;
    } else if (!read_reference(w, first, rest))
        fail_msg("bad line: %.*s", FMT(line));
}

static str name_of(const struct world *w, int64_t id)
{
    if (id >= 1000)
        return w->files[id - 1000].path;
    for (size_t f = 0; f < w->file_count; f++)
        if (id - 1 < (int64_t)(w->files[f].first_symbol + w->files[f].symbol_count))
            return arena_printf(&arena, "%.*s#%.*s", FMT(w->files[f].path),
                                FMT(w->symbols[id - 1].name));
    return S("?");
}

/* Every edge but the definitions, one a line: "from kind to", with its share where it is below .5.
 */
static str edges_of(const char *text)
{
    struct world *w = heap_alloc(1, sizeof *w);
    str rest = str_of(text), line;
    struct buf out = {0};
    struct link_edge *edges;
    size_t count;
    while (str_next_line(&rest, &line))
        read_line(w, line);
    code_link(&arena, w->files, w->file_count, w->symbols, w->symbol_count, &edges, &count);
    for (size_t i = 0; i < count; i++)
        if (edges[i].kind != EDGE_DEFINES)
            buf_printf(&out, "%.*s %s %.*s%s\n", FMT(name_of(w, edges[i].src)),
                       edge_name[edges[i].kind], FMT(name_of(w, edges[i].dst)),
                       edges[i].weight < 0.5f ? " ~" : "");
    str all = arena_str(&arena, buf_str(&out));
    buf_free(&out);
    heap_free(w);
    return all;
}

static const struct {
    const char *says, *world, *edges;
} worlds[] = {
    {"a function of the same file is meant before one elsewhere",
     "file a.c c\n function main\n function help private\n call main - help\n"
     "file b.c c\n function help\n",
     "a.c#main calls a.c#help\n"},
    {"a private function of another file is never meant",
     "file a.c c\n function main\n call main - help\n"
     "file b.c c\n function help private\n",
     ""},
    {"an included file's function is meant before another's",
     "file src/a.c c\n function main\n import - util/b.h - -\n call main - help\n"
     "file src/util/b.h c\n function help\n"
     "file other/c.c c\n function help\n",
     "src/a.c#main calls src/util/b.h#help\n"
     "src/a.c imports src/util/b.h\n"},
    {"an imported name is the module's, whatever else has that name",
     "file app/main.py python\n function run\n import - .cart add put\n call run - put\n"
     "file app/cart.py python\n function add\n"
     "file app/put.py python\n function put\n",
     "app/main.py#run calls app/cart.py#add\n"
     "app/main.py imports app/cart.py\n"},
    {"a module's function behind its alias",
     "file app/main.py python\n function run\n import - app.cart - c\n call run c add\n"
     "file app/cart.py python\n function add\n"
     "file other.py python\n function add\n",
     "app/main.py#run calls app/cart.py#add\n"
     "app/main.py imports app/cart.py\n"},
    {"a module that is taken from its package",
     "file app/main.py python\n function run\n import - app cart -\n call run cart add\n"
     "file app/cart.py python\n function add\n"
     "file app/__init__.py python\n function add\n",
     "app/main.py#run calls app/cart.py#add\n"
     "app/main.py imports app/cart.py\n"},
    {"self is the type around, not another one with such a method",
     "file a.py python\n class Cart\n method Cart.total\n method Cart.pay\n call Cart.pay self "
     "total\n"
     "file b.py python\n class Bill\n method Bill.total\n",
     "a.py#Cart.pay calls a.py#Cart.total\n"},
    {"a variable named after its type",
     "file a.js javascript\n function pay\n call pay cart settle\n"
     "file b.js javascript\n class Cart\n method Cart.settle\n"
     "file c.js javascript\n class Bill\n method Bill.settle\n",
     "a.js#pay calls b.js#Cart.settle\n"},
    {"a foreign package's function is nobody's here",
     "file a.js javascript\n function pay\n import - fs - -\n call pay fs openFile\n"
     "file b.js javascript\n class Store\n method Store.openFile\n",
     ""},
    {"two that fit equally get half each",
     "file a.rb ruby\n method go\n call go order dispatch_all\n"
     "file b.rb ruby\n class One\n method One.dispatch_all\n"
     "file c.rb ruby\n class Two\n method Two.dispatch_all\n",
     "a.rb#go calls b.rb#One.dispatch_all ~\n"
     "a.rb#go calls c.rb#Two.dispatch_all ~\n"},
    {"a name that half of all types have is not guessed",
     "file a.rb ruby\n method go\n call go order get\n"
     "file b.rb ruby\n class One\n method One.get\n",
     ""},
    {"a package's files see each other; relative imports start at the file",
     "file srv/a.go go\n function Run\n call Run - open\n"
     "file srv/b.go go\n function open\n"
     "file cli/c.go go\n function open\n"
     "file web/x/page.ts typescript\n function page\n import - ../lib/http get -\n call page - "
     "get\n"
     "file web/lib/http.ts typescript\n function get\n"
     "file lib/http.ts typescript\n function get\n",
     "srv/a.go#Run calls srv/b.go#open\n"
     "web/x/page.ts#page calls web/lib/http.ts#get\n"
     "web/x/page.ts imports web/lib/http.ts\n"},
    {"a Go package is its folder, by the tail of its name",
     "file main.go go\n function main\n import - github.com/me/shop/cart - -\n call main cart Add\n"
     "file cart/add.go go\n function Add\n"
     "file bill/add.go go\n function Add\n",
     "main.go#main calls cart/add.go#Add\n"
     "main.go imports cart/add.go\n"},
    {"crate paths and folders with an index file",
     "file src/main.rs rust\n function main\n import - crate.sync mpsc -\n call main mpsc channel\n"
     "file src/sync/mpsc/mod.rs rust\n function channel\n"
     "file src/other.rs rust\n function channel\n",
     "src/main.rs#main calls src/sync/mpsc/mod.rs#channel\n"
     "src/main.rs imports src/sync/mpsc/mod.rs\n"},
    {"bases and types are types, not functions of that name",
     "file a.ts typescript\n class Dog\n import - ./animal Animal -\n inherit Dog - Animal\n use "
     "Dog - Bone\n"
     "file animal.ts typescript\n class Animal\n"
     "file b.ts typescript\n function Animal\n interface Bone\n",
     "a.ts#Dog inherits animal.ts#Animal\n"
     "a.ts#Dog uses b.ts#Bone\n"
     "a.ts imports animal.ts\n"},
    {"a variable is its type's by the type's last word or beginning, where the file names it",
     "file a.java java\n method read\n use read - JsonReader\n call read reader peek\n"
     "file b.java java\n class JsonReader\n method JsonReader.peek\n"
     "file c.java java\n class TreeReader\n method TreeReader.peek\n"
     "file d.go go\n function Run\n use Run - Context\n call Run c String\n"
     "file e.go go\n struct Context\n method Context.String\n"
     "file f.go go\n struct errorMsgs\n method errorMsgs.String\n",
     "a.java#read uses b.java#JsonReader\n"
     "a.java#read calls b.java#JsonReader.peek\n"
     "d.go#Run uses e.go#Context\n"
     "d.go#Run calls e.go#Context.String\n"},
    {"a method of a type that nothing speaks of is not guessed",
     "file a.py python\n function go\n call go sock fileno\n call go () fileno\n"
     "file b.py python\n class Store\n method Store.fileno\n",
     ""},
    {"a type's name before a method means no other type",
     "file a.java java\n method go\n call go Value newBuilder\n"
     "file b.java java\n class Builder\n method Builder.newBuilder\n",
     ""},
    {"what comes from a foreign module is not what is named the same here",
     "file tests/a.py python\n function go\n import - urllib3.exceptions Timeout Late\n"
     " call go - Late\n"
     "file src/exceptions.py python\n class Timeout\n",
     ""},
    {"the repository's own package by its name, though its folder is not the module's",
     "file examples/a.ts typescript\n function go\n import - @me/toolkit nanoid -\n"
     " call go - nanoid\n"
     "file packages/toolkit/src/nanoid.ts typescript\n function nanoid\n",
     "examples/a.ts#go calls packages/toolkit/src/nanoid.ts#nanoid\n"},
    {"a package hands on what its files have",
     "file tests/a.py python\n function go\n import - requests - -\n call go requests Session\n"
     "file src/requests/__init__.py python\n"
     "file src/requests/sessions.py python\n class Session\n method Session.get\n",
     "tests/a.py#go calls src/requests/sessions.py#Session\n"
     "tests/a.py imports src/requests/__init__.py\n"},
    {"a module's bare name that it doesn't import is global, not another file's",
     "file test/a.js javascript\n function go\n import - ../lib/b - -\n call go - before\n"
     "file lib/b.js javascript\n function add\n"
     "file examples/c.js javascript\n function before\n",
     "test/a.js imports lib/b.js\n"},
    {"another file's local function or test is never meant",
     "file a.rb ruby\n method go\n call go - helper\n call go - check\n"
     "file b.rb ruby\n function outer\n function outer.helper\n test check\n",
     ""},
    {"a bare name is no other type's member, but a base's",
     "file a.java java\n class Sub\n method Sub.go\n inherit Sub - Base\n call Sub.go - panic\n"
     " call Sub.go - settle\n"
     "file b.java java\n class JoinError\n method JoinError.panic\n"
     "file x/c.java java\n class Base\n method Base.settle\n",
     "a.java#Sub inherits x/c.java#Base\n"
     "a.java#Sub.go calls x/c.java#Base.settle\n"},
    {"super is the base's, self an inherited one's, and neither a stranger's",
     "file a.py python\n class Sub\n method Sub.settle\n inherit Sub - Base\n"
     " call Sub.settle super settle\n call Sub.settle self log_it\n call Sub.settle self "
     "stranger_s\n"
     "file b.py python\n class Base\n method Base.settle\n inherit Base - Root\n"
     "file c.py python\n class Root\n method Root.log_it\n"
     "file d.py python\n class Other\n method Other.stranger_s\n",
     "a.py#Sub inherits b.py#Base\n"
     "a.py#Sub.settle calls b.py#Base.settle\n"
     "a.py#Sub.settle calls c.py#Root.log_it\n"
     "b.py#Base inherits c.py#Root\n"},
    {"a header's static function is its includers'",
     "file src/a.c c\n function main\n import - sds.h - -\n call main - sdslen\n"
     "file src/sds.h c\n function sdslen private\n"
     "file src/b.c c\n function sdslen private\n",
     "src/a.c#main calls src/sds.h#sdslen\n"
     "src/a.c imports src/sds.h\n"},
    {"the standard library's names are nobody's here",
     "file a.cpp cpp\n function go\n call go std move\n"
     "file b.cpp cpp\n class Buffer\n method Buffer.move\n",
     ""},
    {"overloads share the call, however many they are",
     "file a.java java\n method go\n call go gson fromJson\n"
     "file b.java java\n class Gson\n method Gson.fromJson\n method Gson.fromJson~2\n"
     " method Gson.fromJson~3\n method Gson.fromJson~4\n method Gson.fromJson~5\n",
     "a.java#go calls b.java#Gson.fromJson ~\n"
     "a.java#go calls b.java#Gson.fromJson~2 ~\n"
     "a.java#go calls b.java#Gson.fromJson~3 ~\n"
     "a.java#go calls b.java#Gson.fromJson~4 ~\n"
     "a.java#go calls b.java#Gson.fromJson~5 ~\n"},
    {"tests and sources of one Java package are one package",
     "file m/src/test/java/x/ATest.java java\n class ATest\n call ATest - Reader\n"
     "file m/src/main/java/x/Reader.java java\n class Reader\n"
     "file m/src/main/java/y/Reader.java java\n class Reader\n",
     "m/src/test/java/x/ATest.java#ATest calls m/src/main/java/x/Reader.java#Reader\n"},
    {"a Go method calls its own type's before an interface's",
     "file r/a.go go\n struct Page\n method Page.Render\n call Page.Render r WriteHead\n"
     " method Page.WriteHead\n"
     "file r/b.go go\n interface Render\n method Render.WriteHead\n",
     "r/a.go#Page.Render calls r/a.go#Page.WriteHead\n"},
    {"a module that is imported in part gives no other names",
     "file a.py python\n function go\n import - .compat urlparse -\n call go - str\n"
     "file compat.py python\n function urlparse\n variable str\n"
     "file b.py python\n function go\n import - .compat * -\n call go - str\n",
     "a.py imports compat.py\n"
     "b.py#go calls compat.py#str\n"
     "b.py imports compat.py\n"},
    {"what stands in a repeated name is not named like it",
     "file a.ts typescript\n function go\n call go - View\n function View\n function View~2\n"
     " function View~2.abort\n",
     "a.ts#go calls a.ts#View ~\n"
     "a.ts#go calls a.ts#View~2 ~\n"},
    {"a crate's root hands on what its files have, and a variable of two letters has no type's "
     "name",
     "file tests/a.rs rust\n function go\n call go tokio spawn\n call go tx is_closed\n"
     "file tokio/src/task/spawn.rs rust\n function spawn\n"
     "file tokio/src/runtime.rs rust\n struct Runtime\n method Runtime.spawn\n"
     "file tokio/src/chan.rs rust\n struct Tx\n method Tx.is_closed\n"
     "file tokio/src/oneshot.rs rust\n struct Sender\n method Sender.is_closed\n",
     "tests/a.rs#go calls tokio/src/task/spawn.rs#spawn\n"},
    {"a module itself among what is taken of it, and its functions before methods in its file",
     "file tests/a.rs rust\n function go\n import - tokio.sync.mpsc self -\n"
     " call go mpsc channel\n call go mpsc finish\n"
     "file tokio/src/sync/mpsc/mod.rs rust\n struct Lock\n method Lock.finish\n"
     "file tokio/src/sync/mpsc/bounded.rs rust\n function channel\n",
     "tests/a.rs#go calls tokio/src/sync/mpsc/bounded.rs#channel\n"
     "tests/a.rs imports tokio/src/sync/mpsc/mod.rs\n"},
    {"a bare name in a file is none of its types' methods",
     "file a.rs rust\n function go\n call go - drop\n struct Lock\n method Lock.drop\n", ""},
    {"a namespace's function is no member of a variable",
     "file a.cpp cpp\n function go\n call go sub_sink should_log\n"
     "file b.h cpp\n namespace spdlog\n function spdlog.should_log\n"
     "file c.h cpp\n class sink\n method sink.should_log\n",
     "a.cpp#go calls c.h#sink.should_log ~\n"},
    {"a path from the crate's name, and an interface that is made on the spot",
     "file tests/a.rs rust\n function go\n call go tokio.task yield_now\n"
     "file tokio/src/task/yield_now.rs rust\n function yield_now\n"
     "file a.java java\n method go\n call go - Strategy\n"
     "file b.java java\n interface Strategy\n",
     "tests/a.rs#go calls tokio/src/task/yield_now.rs#yield_now\n"
     "a.java#go calls b.java#Strategy\n"},
    {"a variable's type is asked, whatever the variable is called; a foreign one's members are not "
     "ours",
     "file a.rs rust\n function go\n call go cart:Order add\n call go order:Vec add\n"
     " call go order:std.sync.Order add\n"
     "file b.rs rust\n struct Order\n method Order.add\n struct Cart\n method Cart.add\n",
     "a.rs#go calls b.rs#Order.add\n"},
    {"a typed variable has its type's bases' members, too",
     "file a.cpp cpp\n function go\n call go sink:file_sink flush\n"
     "file b.h cpp\n class base_sink\n method base_sink.flush\n class file_sink\n"
     " inherit file_sink - base_sink\n class sink\n method sink.flush\n",
     "a.cpp#go calls b.h#base_sink.flush\n"
     "b.h#file_sink inherits b.h#base_sink\n"},
    {"what foreign types have tells nothing of a variable without a type",
     "file a.rs rust\n function go\n call go list:Vec drain_all\n call go buffer drain_all\n"
     " call go buffer refill_all\n"
     "file b.rs rust\n struct Buffer\n method Buffer.drain_all\n method Buffer.refill_all\n",
     "a.rs#go calls b.rs#Buffer.refill_all\n"},
    {"a field that is declared elsewhere tells its type",
     "file a.cpp cpp\n method cart.add\n call cart.add items_ push\n"
     "file cart.h cpp\n class cart\n field cart.items_\n use cart.items_ - basket\n"
     "file basket.h cpp\n class basket\n method basket.push\n class other\n method other.push\n",
     "a.cpp#cart.add calls basket.h#basket.push\n"
     "cart.h#cart.items_ uses basket.h#basket\n"},
    {"a namespace that a macro opens is known by its name elsewhere",
     "file a.cpp cpp\n function go\n call go detail write_it\n"
     "file b.h cpp\n namespace detail\n function detail.other\n"
     "file c.h cpp\n function write_it\n",
     "a.cpp#go calls c.h#write_it\n"},
    {"a module in the file takes what is above it",
     "file a.rs rust\n struct Walk\n method Walk.new\n module tests\n function tests.go\n"
     " import - super Walk -\n call tests.go Walk new\n",
     "a.rs#tests.go calls a.rs#Walk.new\n"},
    {"languages don't meet by name",
     "file a.py python\n function run\n call run - settle\n"
     "file b.go go\n function settle\n",
     ""},
};

static void every_world_gives_its_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        str found = edges_of(worlds[i].world);
        if (!str_eq(found, str_of(worlds[i].edges)))
            fail_msg("%s\nwanted:\n%sfound:\n%.*s", worlds[i].says, worlds[i].edges, FMT(found));
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_world_gives_its_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
