#include "Document.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm/inlines.h>
#include <cmark-gfm/references.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/// Definitions beyond these are not looked up: each look sorts them anew once there are more.
static const unsigned most_definitions = 1000;

/// Bytes of an address that a definition gives; a longer one is not looked up. The definition itself is text.
static const bufsize_t longest_address = 2048;

/// Bytes of a block beyond which no definitions are looked up.
static const size_t most_memory = 64 << 20;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void attach(cmark_parser *parser, const char *name) {
  cmark_syntax_extension *extension = cmark_find_syntax_extension(name);
  if (extension) cmark_parser_attach_syntax_extension(parser, extension);
}

static cmark_parser *new_parser(void) {
  cmark_parser *parser = cmark_parser_new_with_mem(markdown_options, &pool_memory);
  if (!parser) return NULL;
  for (int i = 0; i < 4; i++)
    attach(parser, ((const char *[]){"table", "strikethrough", "autolink", "tasklist"})[i]);
  return parser;
}

// The characters that begin an inline node are in tables of the process: they are set once, before anybody reads them.
// cmark_parser_finish would take them out again, so it is not called: what is open at the end is read as it is.
static void prepare(void) {
  cmark_gfm_core_extensions_ensure_registered();
  cmark_parser *parser = new_parser();
  if (!parser) return;
  cmark_manage_extensions_special_characters(parser, true);
  cmark_parser_free(parser);
}

markdown *markdown_new(void) {
  pthread_once(&once, prepare);
  markdown *document = calloc(1, sizeof(markdown));
  if (!document) return NULL;
  document->memory = pool_new();
  if (!document->memory) {
    free(document);
    return NULL;
  }
  pool *before = pool_enter(document->memory);
  document->parser = new_parser();
  pool_enter(before);
  return document;
}

void markdown_free(markdown *document) {
  pool *before = pool_enter(document->memory);
  if (document->known.sorted) document->known.mem->free(document->known.sorted);
  cmark_parser_free(document->parser);
  pool_enter(before);
  pool_free(document->memory);
  free(document);
}

void markdown_feed(markdown *document, const uint8_t *bytes, size_t count) {
  pool *before = pool_enter(document->memory);
  cmark_parser_feed(document->parser, (const char *)bytes, count);
  pool_enter(before);
}

cmark_node *markdown_root(const markdown *document) { return document->parser->root; }

unsigned markdown_definitions(const markdown *document) {
  return document->parser->refmap->size;
}

// A link has a copy of the address of its definition, a few bytes become as many as that has.
static void cut_addresses(cmark_map_entry *first, const cmark_map_entry *end) {
  for (cmark_map_entry *entry = first; entry != end; entry = entry->next) {
    cmark_reference *definition = (cmark_reference *)entry;
    if (definition->url.len > longest_address) definition->url.len = 0;
    if (definition->title.len > longest_address) definition->title.len = 0;
  }
}

static cmark_map *known_definitions(markdown *document) {
  if (pool_used(document->memory) > most_memory) return NULL;
  const cmark_map *all = document->parser->refmap;
  if (!document->known.refs || (document->known.refs != all->refs && all->size <= most_definitions)) {
    cut_addresses(all->refs, document->known.refs);
    if (document->known.sorted) document->known.mem->free(document->known.sorted);
    document->known = *all;
    document->known.sorted = NULL;
  }
  return &document->known;
}

void markdown_read_inlines(markdown *document, cmark_node *node) {
  if (node->first_child) return;
  pool *before = pool_enter(document->memory);
  cmark_parse_inlines(document->parser, node, known_definitions(document), markdown_options);
  pool_enter(before);
}

cmark_node *markdown_paragraph(markdown *document, const uint8_t *bytes, size_t count) {
  pool *before = pool_enter(document->memory);
  cmark_node *node = cmark_node_new_with_mem(CMARK_NODE_PARAGRAPH, &pool_memory);
  cmark_strbuf_set(&node->content, bytes, (bufsize_t)count);
  cmark_parse_inlines(document->parser, node, known_definitions(document), markdown_options);
  pool_enter(before);
  return node;
}

void markdown_set_content(markdown *document, cmark_node *node, const char *text) {
  pool *before = pool_enter(document->memory);
  cmark_node_set_string_content(node, text);
  pool_enter(before);
}

static markdown_bytes of_chunk(cmark_chunk chunk) { return (markdown_bytes){chunk.data, (size_t)chunk.len}; }

markdown_bytes markdown_content(const cmark_node *node) {
  return (markdown_bytes){node->content.ptr, (size_t)node->content.size};
}

markdown_bytes markdown_literal(const cmark_node *node) {
  return of_chunk(node->type == CMARK_NODE_CODE_BLOCK ? node->as.code.literal : node->as.literal);
}

markdown_bytes markdown_info(const cmark_node *node) {
  return node->type == CMARK_NODE_CODE_BLOCK ? of_chunk(node->as.code.info) : (markdown_bytes){NULL, 0};
}

markdown_bytes markdown_url(const cmark_node *node) { return of_chunk(node->as.link.url); }

static bool is_called(cmark_node *node, const char *name) {
  return strcmp(cmark_node_get_type_string(node), name) == 0;
}

bool markdown_is_task(cmark_node *node) { return node->extension && is_called(node, "tasklist"); }

bool markdown_is_done(cmark_node *node) { return cmark_gfm_extensions_get_tasklist_item_checked(node); }

markdown_bytes markdown_alignments(cmark_node *table) {
  return (markdown_bytes){
      cmark_gfm_extensions_get_table_alignments(table), cmark_gfm_extensions_get_table_columns(table)};
}

static markdown_kind extended_kind(cmark_node *node) {
  if (is_called(node, "table")) return MARKDOWN_TABLE;
  if (is_called(node, "table_row") || is_called(node, "table_header")) return MARKDOWN_TABLE_ROW;
  if (is_called(node, "table_cell")) return MARKDOWN_TABLE_CELL;
  if (is_called(node, "strikethrough")) return MARKDOWN_STRUCK;
  return MARKDOWN_OTHER;
}

markdown_kind markdown_kind_of(cmark_node *node) {
  switch (node->type) {
    case CMARK_NODE_TEXT: return MARKDOWN_TEXT;
    case CMARK_NODE_SOFTBREAK: return MARKDOWN_SOFT_BREAK;
    case CMARK_NODE_LINEBREAK: return MARKDOWN_LINE_BREAK;
    case CMARK_NODE_CODE: return MARKDOWN_INLINE_CODE;
    case CMARK_NODE_HTML_INLINE: return MARKDOWN_INLINE_HTML;
    case CMARK_NODE_EMPH: return MARKDOWN_EMPHASIS;
    case CMARK_NODE_STRONG: return MARKDOWN_STRONG;
    case CMARK_NODE_LINK: return MARKDOWN_LINK;
    case CMARK_NODE_IMAGE: return MARKDOWN_IMAGE;
    case CMARK_NODE_PARAGRAPH: return MARKDOWN_PARAGRAPH;
    case CMARK_NODE_HEADING: return MARKDOWN_HEADING;
    case CMARK_NODE_CODE_BLOCK: return MARKDOWN_CODE;
    case CMARK_NODE_HTML_BLOCK: return MARKDOWN_HTML;
    case CMARK_NODE_THEMATIC_BREAK: return MARKDOWN_RULE;
    case CMARK_NODE_BLOCK_QUOTE: return MARKDOWN_QUOTE;
    case CMARK_NODE_LIST: return MARKDOWN_LIST;
    case CMARK_NODE_ITEM: return MARKDOWN_ITEM;
    case CMARK_NODE_DOCUMENT: return MARKDOWN_DOCUMENT;
    default: return extended_kind(node);
  }
}
