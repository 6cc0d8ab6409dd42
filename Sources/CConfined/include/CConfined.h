#pragma once

// What Linux has for folders that somebody else names files in, and glibc 2.36 and the Swift overlay leave out.

#include <stdbool.h>

/// `O_PATH`, which the Swift overlay leaves out: a place, not yet opened.
extern const int confined_place_only;

/// Opens `path` below `folder` by openat2(2): neither `..` nor a link leads out of the folder, and no link of /proc is
/// followed; with `follows_links` false no link at all. Tried again a few times when renames get in between. A
/// descriptor that no program inherits, or -1 with `errno`: `EXDEV` for what leads out, `ELOOP` for a link that may not
/// be followed, `ENOSYS` where the kernel, or a filter before it, does not have the call.
int confined_open(int folder, const char *path, int flags, bool follows_links);
