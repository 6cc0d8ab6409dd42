#include "Pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Sizes are multiples of a granule, which is what malloc aligns to; what is larger than the largest class comes from malloc.
enum { granule = 16, slab_bytes = 32 * 1024 };

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_CHECKED 1
#endif
#endif
#ifdef IS_CHECKED
// What is freed can be told from what is in use by malloc alone.
enum { classes = 0 };
#else
enum { classes = 32 };
#endif

/// What stands before each piece.
typedef struct header {
  union {
    /// NULL for a piece that was allocated without a pool.
    pool *owner;
    struct header *next;
  };
  size_t granules;
} header;

typedef struct slab {
  struct slab *next;
  _Alignas(granule) char bytes[slab_bytes];
} slab;

_Static_assert(sizeof(header) % granule == 0, "a piece is aligned as its header is");

struct pool {
  /// Of each class, by its granules.
  header *free_list[classes + 1];
  slab *slabs;
  /// Bytes of the first slab that were never allocated.
  size_t left;
  size_t used;
};

static _Thread_local pool *current;

pool *pool_new(void) { return calloc(1, sizeof(pool)); }

void pool_free(pool *owner) {
  while (owner->slabs) {
    slab *first = owner->slabs;
    owner->slabs = first->next;
    free(first);
  }
  free(owner);
}

size_t pool_used(const pool *owner) { return owner->used; }

pool *pool_enter(pool *owner) {
  pool *before = current;
  current = owner;
  return before;
}

/// Never NULL: cmark ends the program as well where there is no memory, for it has no way to go on.
static void *or_end(void *memory) {
  if (!memory) abort();
  return memory;
}

static bool is_pooled(const pool *owner, size_t granules) { return owner && granules <= classes; }

static header *carve(pool *owner, size_t granules) {
  const size_t bytes = sizeof(header) + granules * granule;
  if (owner->left < bytes) {
    slab *first = or_end(malloc(sizeof(slab)));
    first->next = owner->slabs;
    owner->slabs = first;
    owner->left = slab_bytes;
  }
  header *piece = (header *)(owner->slabs->bytes + slab_bytes - owner->left);
  owner->left -= bytes;
  return piece;
}

static void *allocate(size_t bytes) {
  if (bytes > SIZE_MAX / 2) abort();
  const size_t granules = bytes ? (bytes + granule - 1) / granule : 1;
  header *piece;
  if (!is_pooled(current, granules)) {
    piece = or_end(malloc(sizeof(header) + granules * granule));
  } else if ((piece = current->free_list[granules])) {
    current->free_list[granules] = piece->next;
  } else {
    piece = carve(current, granules);
  }
  piece->owner = current;
  piece->granules = granules;
  if (current) current->used += granules * granule;
  return piece + 1;
}

static void release(void *memory) {
  if (!memory) return;
  header *piece = (header *)memory - 1;
  pool *owner = piece->owner;
  if (owner) owner->used -= piece->granules * granule;
  if (!is_pooled(owner, piece->granules)) return free(piece);
  piece->next = owner->free_list[piece->granules];
  owner->free_list[piece->granules] = piece;
}

static void *allocate_cleared(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) abort();
  return memset(allocate(bytes), 0, bytes);
}

static void *reallocate(void *memory, size_t bytes) {
  if (!memory) return allocate(bytes);
  const size_t room = ((header *)memory - 1)->granules * granule;
  if (bytes <= room) return memory;
  void *larger = memcpy(allocate(bytes), memory, room);
  release(memory);
  return larger;
}

cmark_mem pool_memory = {allocate_cleared, reallocate, release};
