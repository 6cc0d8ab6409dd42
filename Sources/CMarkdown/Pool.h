#pragma once
#include <cmark-gfm.h>

// The memory of one document. A block has many small nodes, which all go when it was read, and as many come with the next
// one: what is given back here is handed out again, at a quarter of what malloc and free cost for it.

typedef struct pool pool;

/// NULL where there is no memory left.
pool *pool_new(void);

/// Frees what was ever taken from it.
void pool_free(pool *owner);

/// The memory that cmark is given: what this thread takes comes from the pool that it was told last. Anything may be given
/// back on any thread, but by one at a time.
extern cmark_mem pool_memory;
void pool_use(pool *owner);
