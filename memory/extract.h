/* Entities and relations found in a text by rule, and the kind of a memory inferred from its words.
 * Pure; no model. */
#ifndef ENGRAM_EXTRACT_H
#define ENGRAM_EXTRACT_H

#include "memory/base/arena.h"
#include "memory/facts.h"

enum { MAX_RULE_ENTITIES = 64 }; /* of one text; the first ones count */

struct found_entity {
    str name; /* as written, trimmed of punctuation, on one line; borrows from the text */
    str type; /* identifier, path, issue, url, version, commit, acronym, name, technology, quoted,
                 mention, email */
    size_t from, to; /* bytes in the text */
};

/* In order of first appearance, each normal form once. Rules: identifiers (snake_case, CamelCase,
 * kebab-case with 3+ parts, a.b.c, ns::name, name(), oauth2), paths and file names with a known
 * ending, #123 and GH-123 and ABC-123 issue keys, URLs, versions (v1.2.3, 1.2.3-rc1), commit hashes
 * (7 to 40 hex digits with a digit and a letter), ACRONYMS of 2 to 8 letters, runs of capitalised
 * words not at a sentence's start alone (at a start only when the word is no common English word),
 * with inner "of", "the", "and" joined ("Bank of America"), technologies that are known in lower
 * case too (redis), quoted or `backticked` phrases of at most 6 words, @mentions, emails. Generic
 * words, stop words, pronouns, weekdays and months alone, and plain numbers are left out. "and"
 * joins everyday words ("Pride and Prejudice"), else it parts two names. A number belongs to the
 * name before it ("Apollo 11"), but not to a technology ("PostgreSQL 16" is PostgreSQL), a year to
 * none. Linear in text.len. */
struct found_entity *extract_entities(struct arena *a, str text, size_t *count);

/* decision ("we decided", "chose X over Y", "will use", "instead of", "let's go with", ...),
 * preference ("I prefer", "always use", "never", "likes"...), identity ("my name is", "I am a", "I
 * work at"), question (ends in ? or "open question", "TODO: decide"), context ("currently working
 * on", "in progress"), else fact. By rule, documented in the .c as a table of phrases. */
enum memory_kind extract_kind(str text);

struct found_relation {
    str from, relation, to; /* names as written; relation as snake_case label (works_on, depends_on,
                               owned_by, uses, replaces, ...) */
};

/* Plain "A <verb phrase> B" sentences where A and B are found entities (or capitalised names) and
 * the verb phrase is a row of the table in the .c (works on, depends on, is owned by, uses,
 * replaces, was caused by, impacts, mitigates, reports to, belongs to, is part of, calls, deploys
 * to, runs on, manages, maintains, ...), and "A -> relation -> B" / "A --relation--> B" chains. "A
 * and B use C and D" gives all four. `entities` come from extract_entities over the same text. At
 * most MAX_RULE_RELATIONS. */
enum { MAX_RULE_RELATIONS = 32 };
struct found_relation *extract_relations(struct arena *a, str text,
                                         const struct found_entity *entities, size_t entity_count,
                                         size_t *count);

#endif
