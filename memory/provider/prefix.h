/* What some embedding models want in front of a text so that questions find answers. The vendors'
 * own services add it by themselves; a model that runs at the user's does not. */
#ifndef ENGRAM_PREFIX_H
#define ENGRAM_PREFIX_H

#include "memory/base/str.h"

/* By the model's name; empty where nothing is known of it. */
str embed_prefix(str model, bool is_query);

#endif
