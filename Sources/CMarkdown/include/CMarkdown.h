#pragma once
#include <cmark-gfm.h>
#include <cmark-gfm/node.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// cmark-gfm reads a document as a whole. What is asked of it here is the part of one that is finished while the rest has
// not come yet: its own parser takes lines one by one, and its headers, which are there for extensions, show the blocks it
// has closed.

/// A parser, and what it has read.
typedef struct markdown markdown;

/// Bytes that belong to a node, or to the parser.
typedef struct {
  const uint8_t *bytes;
  size_t count;
} markdown_bytes;

typedef enum {
  MARKDOWN_OTHER,
  MARKDOWN_DOCUMENT,
  MARKDOWN_QUOTE,
  MARKDOWN_LIST,
  MARKDOWN_ITEM,
  MARKDOWN_PARAGRAPH,
  MARKDOWN_HEADING,
  MARKDOWN_CODE,
  MARKDOWN_HTML,
  MARKDOWN_RULE,
  MARKDOWN_TABLE,
  MARKDOWN_TABLE_ROW,
  MARKDOWN_TABLE_CELL,
  MARKDOWN_TEXT,
  MARKDOWN_SOFT_BREAK,
  MARKDOWN_LINE_BREAK,
  MARKDOWN_INLINE_CODE,
  MARKDOWN_INLINE_HTML,
  MARKDOWN_EMPHASIS,
  MARKDOWN_STRONG,
  MARKDOWN_STRUCK,
  MARKDOWN_LINK,
  MARKDOWN_IMAGE,
} markdown_kind;

/// NULL where there is no memory left.
markdown *markdown_new(void);
void markdown_free(markdown *document);

/// Takes whole lines, each with its line feed.
void markdown_feed(markdown *document, const uint8_t *bytes, size_t count);

/// Closes what is still open, as at the end of a document; nothing may be fed then.
void markdown_close(markdown *document);

/// The document's node; blocks that were taken are gone from it.
cmark_node *markdown_root(const markdown *document);

/// How many definitions of links were read; their lines are in no block.
unsigned markdown_definitions(const markdown *document);

markdown_kind markdown_kind_of(cmark_node *node);

/// Makes the inline nodes of a paragraph, a heading or a cell, once.
void markdown_read_inlines(markdown *document, cmark_node *node);

/// A paragraph of its own with the inline nodes of this text; freed with cmark_node_free.
cmark_node *markdown_paragraph(markdown *document, const uint8_t *bytes, size_t count);

/// What stands between a paragraph's or a cell's borders, before its inline nodes are made.
void markdown_set_content(markdown *document, cmark_node *node, const char *text);
markdown_bytes markdown_content(const cmark_node *node);

/// The characters of text, code, HTML.
markdown_bytes markdown_literal(const cmark_node *node);

/// The words behind an opening fence.
markdown_bytes markdown_info(const cmark_node *node);
markdown_bytes markdown_url(const cmark_node *node);

bool markdown_is_task(cmark_node *node);
bool markdown_is_done(cmark_node *node);

static inline bool markdown_is_open(const cmark_node *node) { return node->flags & CMARK_NODE__OPEN; }
static inline bool markdown_is_fenced(const cmark_node *node) { return node->as.code.fenced; }
static inline bool markdown_is_ordered(const cmark_node *node) {
  return node->as.list.list_type == CMARK_ORDERED_LIST;
}
static inline bool markdown_has_parenthesis(const cmark_node *node) {
  return node->as.list.delimiter == CMARK_PAREN_DELIM;
}
static inline int markdown_list_start(const cmark_node *node) { return node->as.list.start; }
static inline int markdown_heading_level(const cmark_node *node) { return node->as.heading.level; }
static inline int markdown_start_line(const cmark_node *node) { return node->start_line; }
static inline cmark_node *markdown_first_child(const cmark_node *node) { return node->first_child; }
static inline cmark_node *markdown_last_child(const cmark_node *node) { return node->last_child; }
static inline cmark_node *markdown_next(const cmark_node *node) { return node->next; }

/// Marks a block whose content was taken, but which its item needs: at a blank line cmark ends one without a child.
static inline void markdown_mark_taken(cmark_node *node) { node->user_data = node; }
static inline bool markdown_is_taken(const cmark_node *node) { return node->user_data == node; }

/// How the columns of a table are aligned: 'l', 'c', 'r' or 0 for each.
markdown_bytes markdown_alignments(cmark_node *table);

/// The most bytes that an entity stands for: two characters.
enum { MARKDOWN_ENTITY_SIZE = 8 };

/// Decodes an HTML entity, given without its `&` and with its `;`.
/// Returns the number of bytes written, or 0 for text that is not an entity.
size_t markdown_entity(const uint8_t *bytes, size_t count, uint8_t decoded[MARKDOWN_ENTITY_SIZE]);

/// HTML for a block of code, or of HTML, whose info is empty; the caller frees it.
typedef char *(*markdown_code)(void *context, markdown_bytes info, markdown_bytes text);

/// A whole text as HTML, to be freed, in which nothing but Markdown makes markup: HTML in it is text, a link cannot run
/// anything, and a picture that is not in the text is a link. NULL where there is no memory left.
char *markdown_html(const uint8_t *bytes, size_t count, void *context, markdown_code code);
