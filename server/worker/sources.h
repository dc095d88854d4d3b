/* Source files for a parse worker's parent: opens each below the root that it was given, and never
 * anything else; a reply a file. */
#ifndef ENGRAM_WORKER_SOURCES_H
#define ENGRAM_WORKER_SOURCES_H

#include "server/parse_wire.h"

/* Does a PARSE_SOURCES job and closes its descriptor. false: the parent is gone. */
bool answer_sources(struct arena *a, const struct parse_job *job);

#endif
