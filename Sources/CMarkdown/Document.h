#pragma once
#include "CMarkdown.h"
#include "Pool.h"

#include <cmark-gfm/map.h>
#include <cmark-gfm/parser.h>

// A single tilde is more often "about" than a line through words.
enum { markdown_options = CMARK_OPT_DEFAULT | CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE };

struct markdown {
  pool *memory;
  cmark_parser *parser;
  /// The definitions so far, in a form that can be looked into while more are to come: cmark sorts its own map at the
  /// first look and takes no more.
  cmark_map known;
};
