#pragma once
#include <cmark-gfm.h>
#include <stdbool.h>
#include <stddef.h>

// The memory of one document. A block has many small nodes, which all go when it was read, and as many come with the next
// one: what is freed here is allocated again, at a quarter of what malloc and free cost for it.
//
// A pool is used by one thread at a time, for freeing too; threads may take turns.

typedef struct pool pool;

/// NULL where there is no memory left.
pool *pool_new(void);

/// Frees the pool with all pieces of up to 512 bytes; larger ones must have been freed.
void pool_free(pool *owner);

/// Bytes that are allocated and were not freed.
size_t pool_used(const pool *owner);

/// The memory that cmark is given: it allocates from the pool that is this thread's at the moment, else from malloc. A piece
/// knows its pool, and is freed whatever that is.
extern cmark_mem pool_memory;

/// Makes a pool this thread's, and gives the one before, which is to be made so again: a pool that is left behind would be
/// used after it is gone.
pool *pool_enter(pool *owner);
