#include "CMarkdown.h"

#include <cmark-gfm/buffer.h>
#include <cmark-gfm/houdini.h>
#include <string.h>

size_t markdown_entity(const uint8_t *bytes, size_t count, uint8_t decoded[MARKDOWN_ENTITY_SIZE]) {
  cmark_strbuf buffer;
  cmark_strbuf_init(cmark_get_default_mem_allocator(), &buffer, 0);
  const bool isEntity = houdini_unescape_ent(&buffer, bytes, (bufsize_t)count) == (bufsize_t)count;
  const size_t size = isEntity && buffer.size <= MARKDOWN_ENTITY_SIZE ? (size_t)buffer.size : 0;
  memcpy(decoded, buffer.ptr, size);
  cmark_strbuf_free(&buffer);
  return size;
}
