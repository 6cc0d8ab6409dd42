#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <utf8proc.h>

// utf8proc's property is a bit field behind a pointer; one call that reads it is cheaper than an imported struct.

/// Cells of a scalar by the East Asian width tables: 0, 1 or 2. A spacing mark takes one, as in glibc, xterm, VTE and
/// tmux; utf8proc says none.
static inline int ctext_width(int32_t scalar) {
  const utf8proc_property_t *property = utf8proc_get_property(scalar);
  return property->category == UTF8PROC_CATEGORY_MC && property->charwidth == 0 ? 1 : property->charwidth;
}

/// Cells of a scalar that makes a grapheme of its own beside others of this kind, or 0 for scalars that need the tables. It
/// covers what most text is made of.
static inline int ctext_simple_width(uint32_t scalar) {
  if (scalar < 0x530) {
    return (scalar >= 0x20 && scalar <= 0x7E) || (scalar >= 0xA1 && scalar <= 0x2FF && scalar != 0xAD) ||
           (scalar >= 0x370 && scalar <= 0x482) || scalar >= 0x48A;
  }
  if (scalar < 0x3000) {
    return (scalar >= 0x2010 && scalar <= 0x2027) || (scalar >= 0x2030 && scalar <= 0x205E) ||
           (scalar >= 0x2500 && scalar <= 0x259F);
  }
  return (scalar >= 0x4E00 && scalar <= 0x9FFF) || (scalar >= 0xAC00 && scalar <= 0xD7A3) ||
                 (scalar >= 0x3041 && scalar <= 0x3096) || (scalar >= 0x309B && scalar <= 0x30FF) ||
                 (scalar >= 0x3001 && scalar <= 0x3029) || (scalar >= 0x3400 && scalar <= 0x4DBF) ||
                 (scalar >= 0xFF01 && scalar <= 0xFF60)
             ? 2
             : 0;
}

/// Where the printable ASCII from a place on ends.
static inline size_t ctext_printable_end(const uint8_t *bytes, size_t start, size_t count) {
  const uint64_t high = 0x8080808080808080u;
  size_t i = start;
  for (; i + 8 <= count; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    const uint64_t below_space = (word - 0x2020202020202020u) & ~word;
    const uint64_t is_delete = word ^ 0x7F7F7F7F7F7F7F7Fu;
    if ((word | below_space | (is_delete - 0x0101010101010101u)) & high) break;
  }
  while (i < count && bytes[i] >= 0x20 && bytes[i] <= 0x7E) i++;
  return i;
}

/// Cells of the scalars at the beginning of well-formed UTF-8 that are all of that kind; *bytes_read is told where they end,
/// *last is the last of them.
static inline size_t ctext_simple_cells(const uint8_t *bytes, size_t count, size_t *bytes_read, uint32_t *last) {
  size_t cells = 0, i = 0;
  while (i < count) {
    const uint8_t lead = bytes[i];
    if (lead < 0x80) {
      const size_t end = ctext_printable_end(bytes, i, count);
      if (end == i) break;
      cells += end - i;
      *last = bytes[end - 1];
      i = end;
      continue;
    }
    const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length == 4 || i + length > count) break;
    const uint32_t scalar = length == 2
                                ? (lead & 0x1Fu) << 6 | (bytes[i + 1] & 0x3Fu)
                                : (lead & 0x0Fu) << 12 | (bytes[i + 1] & 0x3Fu) << 6 | (bytes[i + 2] & 0x3Fu);
    const int width = ctext_simple_width(scalar);
    if (width == 0) break;
    cells += (size_t)width;
    *last = scalar;
    i += length;
  }
  *bytes_read = i;
  return cells;
}

/// Whether a byte is among these.
static inline bool ctext_contains(const uint8_t *bytes, size_t count, uint8_t byte) {
  return count > 0 && memchr(bytes, byte, count) != NULL;
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
