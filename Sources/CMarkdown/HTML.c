#include "Document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cmark_node *open_leaf(markdown *document) {
  cmark_node *node = document->parser->root;
  while (node->last_child && markdown_is_open(node->last_child)) node = node->last_child;
  return node;
}

static void feed(markdown *document, const char *text) {
  markdown_feed(document, (const uint8_t *)text, strlen(text));
}

// cmark's own end of a document would take the marks of inline nodes out of tables that all parsers share. A line across
// closes all that is open, but code within a fence and HTML, which have ends of their own where they stand in nothing.
void markdown_close(markdown *document) {
  if (document->parser->linebuf.size > 0) feed(document, "\n");
  cmark_node *leaf = open_leaf(document);
  if (leaf->type == CMARK_NODE_CODE_BLOCK && leaf->as.code.fenced && leaf->parent == document->parser->root) {
    char fence[260];
    const size_t length = leaf->as.code.fence_length;
    memset(fence, leaf->as.code.fence_char, length);
    memcpy(fence + length, "\n", 2);
    feed(document, fence);
  } else if (leaf->type == CMARK_NODE_HTML_BLOCK && leaf->as.html_block_type < 6 &&
             leaf->parent == document->parser->root) {
    static const char *const ends[] = {"", "</script>", "-->", "?>", ">", "]]>"};
    feed(document, ends[leaf->as.html_block_type]);
    feed(document, "\n");
  }
  feed(document, "\n---\n");
  cmark_node *line = document->parser->root->last_child;
  if (line && line->type == CMARK_NODE_THEMATIC_BREAK) cmark_node_free(line);
}

static void replace(cmark_node *node, char *html) {
  cmark_node *block = cmark_node_new_with_mem(CMARK_NODE_CUSTOM_BLOCK, &pool_memory);
  cmark_node_set_on_enter(block, html ? html : "");
  free(html);
  if (cmark_node_replace(node, block)) cmark_node_free(node); else cmark_node_free(block);
}

// A page must not tell anybody that it was opened: a picture that is elsewhere becomes a link to it.
static void soften_image(cmark_node *image) {
  const cmark_chunk url = image->as.link.url;
  if (url.len >= 11 && memcmp(url.data, "data:image/", 11) == 0) return;
  image->type = CMARK_NODE_LINK;
  if (image->first_child) return;
  cmark_node *text = cmark_node_new_with_mem(CMARK_NODE_TEXT, &pool_memory);
  cmark_node_set_literal(text, cmark_node_get_url(image));
  cmark_node_append_child(image, text);
}

typedef struct page {
  markdown *document;
  void *context;
  markdown_code code;
} page;

static void read_words(page *page, cmark_node *node) {
  switch (markdown_kind_of(node)) {
    case MARKDOWN_PARAGRAPH:
    case MARKDOWN_HEADING:
    case MARKDOWN_TABLE_CELL: return markdown_read_inlines(page->document, node);
    default: return;
  }
}

static void soften(page *page, cmark_node *node) {
  switch (markdown_kind_of(node)) {
    case MARKDOWN_CODE:
    case MARKDOWN_HTML: return replace(node, page->code(page->context, markdown_info(node), markdown_literal(node)));
    case MARKDOWN_INLINE_HTML: node->type = CMARK_NODE_TEXT; return;
    case MARKDOWN_IMAGE: return soften_image(node);
    default: return;
  }
}

// Blocks stand in one another as deep as somebody likes: a function that calls itself would run out of stack.
static void each(page *page, void (*change)(struct page *, cmark_node *)) {
  cmark_iter *iterator = cmark_iter_new(page->document->parser->root);
  for (cmark_event_type event; (event = cmark_iter_next(iterator)) != CMARK_EVENT_DONE;)
    // A node may go once it is left; one without children is never left.
    if (event == CMARK_EVENT_EXIT || !cmark_iter_get_node(iterator)->first_child)
      change(page, cmark_iter_get_node(iterator));
  cmark_iter_free(iterator);
}

char *markdown_html(const uint8_t *bytes, size_t count, void *context, markdown_code code) {
  markdown *document = markdown_new();
  if (!document) return NULL;
  markdown_feed(document, bytes, count);
  markdown_close(document);
  pool *before = pool_enter(document->memory);
  page page = {document, context, code};
  each(&page, read_words);
  each(&page, soften);
  char *html = cmark_render_html_with_mem(
      document->parser->root, markdown_options, document->parser->syntax_extensions,
      cmark_get_default_mem_allocator());
  pool_enter(before);
  markdown_free(document);
  return html;
}
