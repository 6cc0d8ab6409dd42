#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// PCRE2 behind three calls: its macros name functions by the width of a code unit, which Swift cannot import.

/// A pattern that was read.
struct cpattern;

/// Reads a pattern of UTF-8 as ECMA-262 means it, as far as PCRE2 can; NULL when it is none.
struct cpattern *cpattern_read(const uint8_t *bytes, size_t count);

void cpattern_free(struct cpattern *pattern);

enum cpattern_found { cpattern_none = 0, cpattern_some = 1, cpattern_given_up = -1 };

/// Looks for a pattern in valid UTF-8. `goes_on` is asked with `context` before every item of the pattern is tried, and
/// ends the search by saying no.
enum cpattern_found cpattern_find(
    const struct cpattern *pattern, const uint8_t *bytes, size_t count, bool (*goes_on)(void *), void *context);
