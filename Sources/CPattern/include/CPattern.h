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

/// Asked with the context before every item of the pattern is tried, and told what the step before it was worth: one,
/// and more when it walked far. No ends the search.
typedef bool (*cpattern_goes_on)(void *context, size_t worth);

/// Looks for a pattern in valid UTF-8.
enum cpattern_found cpattern_find(
    const struct cpattern *pattern, const uint8_t *bytes, size_t count, cpattern_goes_on goes_on, void *context);
