#define _GNU_SOURCE
#include "CConfined.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

const int confined_place_only = O_PATH;

// With `..` in a path the kernel gives up when anything was renamed meanwhile, on the whole machine.
static const int most_tries = 1000;

int confined_open(int folder, const char *path, int flags, bool follows_links) {
  struct open_how how = {
    .flags = (unsigned long long)(unsigned int)(flags | O_CLOEXEC),
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | (follows_links ? 0 : RESOLVE_NO_SYMLINKS),
  };
  long descriptor = -1;
  for (int tries = 0; tries < most_tries; tries++) {
    descriptor = syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (descriptor >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  // What the call itself may not do is EACCES here; EPERM comes from filters that do not know it.
  if (descriptor < 0 && errno == EPERM) errno = ENOSYS;
  return (int)descriptor;
}
