#pragma once
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// GNU source-highlight, which is C++, behind functions of C.

typedef enum {
  HIGHLIGHT_PLAIN,
  HIGHLIGHT_KEYWORD,
  HIGHLIGHT_STRING,
  HIGHLIGHT_NUMBER,
  HIGHLIGHT_COMMENT,
  HIGHLIGHT_TYPE,
  HIGHLIGHT_FUNCTION,
} highlight_part;

/// A piece of code on its way, line by line.
typedef struct highlight highlight;

/// For a language by the name that stands behind a fence; NULL for one that is not known, or without its definitions.
highlight *highlight_new(const char *language);
void highlight_free(highlight *code);

/// Calls `take` for each piece of a line, in order; false where it could not be read to its end.
bool highlight_line(
    highlight *code, const char *bytes, size_t count, void *context,
    void (*take)(void *context, highlight_part part, size_t count));

#ifdef __cplusplus
}
#endif
