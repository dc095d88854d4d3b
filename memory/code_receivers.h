/* What calls are made on: the types that files say their variables are of, and what is known of
 * methods by that. Part of linking. */
#ifndef ENGRAM_CODE_RECEIVERS_H
#define ENGRAM_CODE_RECEIVERS_H

#include "memory/code_linker.h"

/* Reads what all files say; l->receivers lives until receivers_free. */
void receivers_build(struct linker *l);
void receivers_free(struct linker *l);

/* Does the file's language tell what its variables are? */
bool receivers_are_told(const struct linker *l, uint32_t file);

/* Parts "cart:Cart" into the receiver and its type. A receiver of which the file doesn't say it may
 * be a field of the type around the call, declared elsewhere: *type is that field's, else empty. */
void receiver_read(const struct linker *l, const struct asking *q, str qualifier, str *receiver,
                   str *type);

/* The symbol of a type that a file names so: its own, else one that it reaches, else any of its
 * family; NO_SYMBOL: none, so it is foreign. */
uint32_t receiver_type_symbol(const struct linker *l, uint32_t file, str type);

/* Is the name called on variables of foreign types somewhere (is_empty on a Vec)? Then it tells
 * nothing where the receiver's type isn't known. Only of languages whose variables tell types. */
bool receiver_name_is_foreign(const struct linker *l, uint32_t file, str name);

#endif
