#define PCRE2_CODE_UNIT_WIDTH 8
#include "CPattern.h"

#include <pcre2.h>
#include <stdlib.h>

struct cpattern {
  pcre2_code *code;
};

/// A pattern of a schema has the syntax of ECMA-262 with the flag u (JSON Schema 2020-12, core, section 6.4): `\uXXXX`,
/// `[^]`, a `$` that is the very end, a reference to nothing that finds nothing wrong.
static const uint32_t ecma = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS |
                             PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;

struct cpattern *cpattern_read(const uint8_t *bytes, size_t count) {
  if (bytes == NULL) bytes = (const uint8_t *)"";
  // PCRE2's own: such a pattern could change what the options say.
  if (count >= 2 && bytes[0] == '(' && bytes[1] == '*') return NULL;
  struct cpattern *pattern = calloc(1, sizeof *pattern);
  pcre2_compile_context *context = pcre2_compile_context_create(NULL);
  if (pattern != NULL && context != NULL) {
    pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALT_BSUX);
    pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    int error;
    PCRE2_SIZE place;
    // A callout before every item is the only way to end a search that has begun.
    pattern->code = pcre2_compile(bytes, count, ecma | PCRE2_AUTO_CALLOUT, &error, &place, context);
  }
  pcre2_compile_context_free(context);
  if (pattern != NULL && pattern->code == NULL) {
    free(pattern);
    return NULL;
  }
  return pattern;
}

void cpattern_free(struct cpattern *pattern) {
  pcre2_code_free(pattern->code);
  free(pattern);
}

struct question {
  cpattern_goes_on goes_on;
  void *context;
  size_t place;
};

static int called_out(pcre2_callout_block *block, void *data) {
  struct question *question = data;
  size_t place = block->current_position;
  size_t distance = place > question->place ? place - question->place : question->place - place;
  question->place = place;
  // Passing 64 bytes takes about as long as a step.
  return question->goes_on(question->context, 1 + distance / 64) ? 0 : PCRE2_ERROR_CALLOUT;
}

enum cpattern_found cpattern_find(
    const struct cpattern *pattern, const uint8_t *bytes, size_t count, cpattern_goes_on goes_on, void *context) {
  if (bytes == NULL) bytes = (const uint8_t *)"";
  pcre2_match_context *matching = pcre2_match_context_create(NULL);
  pcre2_match_data *data = pcre2_match_data_create(1, NULL);
  enum cpattern_found found = cpattern_given_up;
  if (matching != NULL && data != NULL) {
    struct question question = {goes_on, context, 0};
    pcre2_set_callout(matching, called_out, &question);
    // The callouts are the limit; PCRE2's own one counts anew from every place of the text.
    pcre2_set_match_limit(matching, UINT32_MAX);
    pcre2_set_heap_limit(matching, 256 * 1024);  // KiB; its own limit is 20 GB
    int result = pcre2_match(pattern->code, bytes, count, 0, PCRE2_NO_UTF_CHECK, data, matching);
    // A match with more groups than there is room for is 0.
    found = result >= 0 ? cpattern_some : result == PCRE2_ERROR_NOMATCH ? cpattern_none : cpattern_given_up;
  }
  pcre2_match_data_free(data);
  pcre2_match_context_free(matching);
  return found;
}
