#include "parsers/office.h"

#include <ctype.h>

enum { MAX_STYLES = 20000, MAX_PARENTS = 10, MAX_ELEMENT_BYTES = 4096 };

struct style *styles_put(struct style_list *list, str id)
{
    bool is_new;
    int64_t *place = map_put(&list->by_id, id, (int64_t)list->count, &is_new);
    if (is_new && list->count < MAX_STYLES) {
        HEAP_GROW(list->at, list->count, list->capacity);
        list->at[list->count++] = (struct style){.id = id};
    }
    return &list->at[*place < MAX_STYLES ? *place : MAX_STYLES - 1];
}

/* Without case and spaces, and without ODT's "_20_" for one. */
static str plain_name(str name, char out[64])
{
    size_t n = 0;
    for (size_t i = 0; i < name.len && n < 64; i++) {
        if (str_starts(str_cut(name, i, name.len), S("_20_")))
            i += 3;
        else if (name.at[i] != ' ')
            out[n++] = (char)tolower((unsigned char)name.at[i]);
    }
    return str_from(out, n);
}

static bool holds(str s, str part)
{
    return str_find(s, part, 0) < s.len;
}

static void add_effect(str name, struct style_effect *effect)
{
    char bytes[64];
    str s = plain_name(name, bytes);
    if (str_starts(s, S("heading")) && s.len == 8 && isdigit((unsigned char)s.at[7]))
        effect->level = (uint8_t)(s.at[7] - '0');
    effect->is_title |= str_eq(s, S("title"));
    effect->is_contents |= str_starts(s, S("toc")) || str_starts(s, S("contents"));
    effect->is_code |= holds(s, S("sourcecode")) || holds(s, S("preformatted")) ||
                       holds(s, S("codeblock")) || str_eq(s, S("code")) ||
                       str_eq(s, S("plaintext"));
    effect->is_item |= str_starts(s, S("listbullet")) || str_starts(s, S("listnumber"));
}

struct style_effect styles_effect(const struct style_list *list, str id)
{
    struct style_effect effect = {0};
    for (int i = 0; i < MAX_PARENTS && id.len; i++) {
        const int64_t *place = map_find(&list->by_id, id);
        const struct style *style =
            place && (size_t)*place < list->count ? &list->at[*place] : NULL;
        if (!effect.level)
            add_effect(style && style->name.len ? style->name : id, &effect);
        if (!effect.level && style)
            effect.level = style->level;
        id = style ? style->parent : S("");
    }
    return effect;
}

uint8_t office_level(const struct style_effect *effect, int64_t level, str title)
{
    if (effect->is_title)
        return 1;
    int64_t below = level && title.len ? level + 1 : level;
    return (uint8_t)(below > MAX_HEADING_LEVEL ? MAX_HEADING_LEVEL : below);
}

void styles_free(struct style_list *list)
{
    heap_free(list->at);
    map_free(&list->by_id);
}

/* ---- one element's text ---- */

struct element {
    str name;
    struct buf text;
    bool inside;
};

static void element_open(void *ctx, str name, const unsigned char **attributes)
{
    (void)attributes;
    struct element *x = ctx;
    x->inside |= str_eq(name, x->name);
}

static void element_close(void *ctx, str name)
{
    struct element *x = ctx;
    x->inside &= !str_eq(name, x->name);
}

static void element_text(void *ctx, str s)
{
    struct element *x = ctx;
    if (x->inside)
        buf_add(&x->text, s);
}

bool office_element(struct arena *a, struct archive *z, str part, str name, str *text)
{
    struct element x = {.name = name, .text = {.max_bytes = MAX_ELEMENT_BYTES}};
    struct buf xml = {0};
    struct err ignored = {0}; /* a document without a title is one all the same */
    bool ok =
        archive_read(z, part, &xml, &ignored) &&
        markup_read_xml(buf_str(&xml),
                        &(struct markup){&x, element_open, element_close, element_text}, &ignored);
    *text = arena_str(a, ok ? str_trim(buf_str(&x.text)) : S(""));
    buf_free(&xml);
    buf_free(&x.text);
    return text->len > 0;
}

void office_put_notes(struct flow *f, struct buf *notes)
{
    if (f->table_depth || !notes->len)
        return;
    flow_block(f, BLOCK_TEXT, 0, false, 1, buf_str(notes));
    buf_clear(notes);
}
