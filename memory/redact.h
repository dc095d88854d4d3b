/* Secrets out of a text before anything stores, logs or sends it. Linear in its length. */
#ifndef ENGRAM_REDACT_H
#define ENGRAM_REDACT_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum { MAX_REDACT_RULES = 64 };

struct redaction {
    const char *rule; /* aws-access-key, github-token, ..., private-block, entropy is NOT used:
                         precise rules only */
    size_t count;
};

struct redactor; /* compiled rules; heap, process lifetime, one thread at a time */
struct redactor *redactor_open(struct err *e);
void redactor_close(struct redactor *r);

/* text with each secret replaced by [REDACTED:rule] (text itself where none was found); *counts in
 * `a`, one per rule that hit. Bad UTF-8 is repaired first. What was redacted once is not redacted
 * again. Rules, a row each (name, keyword that must occur for the rule to run, pattern): AWS access
 * key and secret, GitHub (ghp_, gho_, ghu_, ghs_, ghr_, github_pat_), GitLab (glpat- and kin),
 * Slack (xox?-, hooks.slack.com), Stripe (sk_live_, rk_live_, sk_test_), Google (AIza, GOCSPX-,
 * service account), OpenAI/Anthropic keys (sk-..., sk-ant-...), npm, PyPI, Docker, SendGrid,
 * Twilio, Telegram, Discord, some 60 further services whose tokens have a prefix of their own, JWT,
 * PEM private key blocks (whole block, also unterminated to the end of text), passwords in URLs
 * (scheme://user:password@), Authorization: Bearer/Basic, `password = "..."`-like assignments with
 * a literal of 8+ bytes that isn't a placeholder, and <private>...</private> blocks (unterminated:
 * to the end). Where two rules meet, the more particular one names the whole. */
str redact(struct arena *a, struct redactor *r, str text, struct redaction **counts, size_t *count);

/* The rules in their order, for documentation and tests; NULL behind the last. */
const char *redact_rule_name(size_t index);

#endif
