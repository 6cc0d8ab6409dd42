#include "Pool.h"

#include <stdlib.h>
#include <string.h>

// Sizes are multiples of 16 bytes, as is what malloc aligns to; what is larger than the largest comes from malloc itself.
enum { unit = 16, classes = 32, slab_bytes = 32 * 1024 };

/// What stands before each piece, so that it can be given back without being told of its pool.
typedef struct header {
  union {
    pool *owner;
    struct header *next;
  };
  /// In units; 0 for one that malloc made.
  size_t units;
} header;

typedef struct slab {
  struct slab *next;
  // The first piece begins where malloc's alignment holds.
  size_t unused;
  char bytes[slab_bytes];
} slab;

struct pool {
  header *spare[classes + 1];
  slab *slabs;
  size_t left;
};

static _Thread_local pool *current;

pool *pool_new(void) { return calloc(1, sizeof(pool)); }

void pool_free(pool *owner) {
  while (owner->slabs) {
    slab *first = owner->slabs;
    owner->slabs = first->next;
    free(first);
  }
  if (current == owner) current = NULL;
  free(owner);
}

void pool_use(pool *owner) { current = owner; }

/// Never NULL: cmark ends the program as well where there is no memory, for it has no way to go on.
static void *or_end(void *memory) {
  if (!memory) abort();
  return memory;
}

static header *carve(pool *owner, size_t units) {
  const size_t bytes = sizeof(header) + units * unit;
  if (owner->left < bytes) {
    slab *first = or_end(malloc(sizeof(slab)));
    first->next = owner->slabs;
    owner->slabs = first;
    owner->left = slab_bytes;
  }
  header *piece = (header *)(owner->slabs->bytes + slab_bytes - owner->left);
  owner->left -= bytes;
  piece->units = units;
  return piece;
}

static void *take(size_t bytes) {
  const size_t units = bytes ? (bytes + unit - 1) / unit : 1;
  if (units > classes || !current) {
    header *piece = or_end(malloc(sizeof(header) + bytes));
    piece->units = 0;
    return piece + 1;
  }
  header *piece = current->spare[units];
  if (piece) current->spare[units] = piece->next; else piece = carve(current, units);
  piece->owner = current;
  return piece + 1;
}

static void give_back(void *memory) {
  if (!memory) return;
  header *piece = (header *)memory - 1;
  if (!piece->units) return free(piece);
  pool *owner = piece->owner;
  piece->next = owner->spare[piece->units];
  owner->spare[piece->units] = piece;
}

static void *take_cleared(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - sizeof(header)) abort();
  return memset(take(bytes), 0, bytes);
}

static void *resize(void *memory, size_t bytes) {
  if (bytes > SIZE_MAX - sizeof(header)) abort();
  if (!memory) return take(bytes);
  header *piece = (header *)memory - 1;
  if (!piece->units) return (header *)or_end(realloc(piece, sizeof(header) + bytes)) + 1;
  const size_t room = piece->units * unit;
  if (bytes <= room) return memory;
  void *larger = memcpy(take(bytes), memory, room);
  give_back(memory);
  return larger;
}

cmark_mem pool_memory = {take_cleared, resize, give_back};
