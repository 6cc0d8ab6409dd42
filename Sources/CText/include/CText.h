#pragma once
#include <utf8proc.h>

// utf8proc's property is a bit field behind a pointer; one call that reads it is cheaper than an imported struct.

/// Cells of a scalar by the East Asian width tables: 0, 1 or 2. A spacing mark takes one, as in glibc, xterm, VTE and
/// tmux; utf8proc says none.
static inline int ctext_width(int32_t scalar) {
  const utf8proc_property_t *property = utf8proc_get_property(scalar);
  return property->category == UTF8PROC_CATEGORY_MC && property->charwidth == 0 ? 1 : property->charwidth;
}

/// Whether a scalar is a combining mark (general category M).
static inline int ctext_is_mark(int32_t scalar) {
  int category = utf8proc_get_property(scalar)->category;
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
}

/// Whether this version of the tables knows the scalar.
static inline int ctext_is_assigned(int32_t scalar) {
  return utf8proc_get_property(scalar)->category != UTF8PROC_CATEGORY_CN;
}

/// Whether a scalar neither joins nor is joined by a neighbour other than a mark (UAX 29).
static inline int ctext_stands_alone(int32_t scalar) {
  int class = utf8proc_get_property(scalar)->boundclass;
  return class == UTF8PROC_BOUNDCLASS_OTHER || class == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC ||
         class == UTF8PROC_BOUNDCLASS_LV || class == UTF8PROC_BOUNDCLASS_LVT;
}
