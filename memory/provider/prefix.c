#include "memory/provider/prefix.h"

#include "memory/base/unicode.h"

/* From the models' cards. The first row whose name occurs in the model's counts, so a longer name
 * stands above what it holds. */
#define INSTRUCT                                                                                   \
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
#define REPRESENT "Represent this sentence for searching relevant passages: "
static const struct {
    const char *name, *query, *document;
} rows[] = {
    {"nomic-embed", "search_query: ", "search_document: "},
    {"embeddinggemma", "task: search result | query: ", "title: none | text: "},
    {"mxbai-embed", REPRESENT, ""},
    {"snowflake-arctic-embed-m-v2", "query: ", ""},
    {"snowflake-arctic-embed-l-v2", "query: ", ""},
    {"snowflake-arctic-embed2", "query: ", ""},
    {"snowflake-arctic-embed", REPRESENT, ""},
    {"bge-m3", "", ""},
    {"bge-", REPRESENT, ""},
    {"e5-large-instruct", INSTRUCT " ", ""},
    {"e5-mistral", INSTRUCT " ", ""},
    {"e5-", "query: ", "passage: "},
    {"qwen3-embedding", INSTRUCT, ""},
};

str embed_prefix(str model, bool is_query)
{
    char folded[MAX_FOLD_WORD_BYTES];
    str name = {folded, unicode_fold_word(model, folded, sizeof folded)};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_find(name, str_of(rows[i].name), 0) < name.len)
            return str_of(is_query ? rows[i].query : rows[i].document);
    return S("");
}
