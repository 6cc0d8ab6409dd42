// A file system of the network that says late that it is full. To be preloaded.
//
//   LATE_FOLDER=FOLDER  files in there …
//   LATE_CALL=fsync     … are written without a complaint, and then this call fails, or `close`

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

static int is_late(int descriptor, const char *call) {
  const char *folder = getenv("LATE_FOLDER"), *wanted = getenv("LATE_CALL");
  struct stat facts;
  char link[64], path[4096];
  if (!folder || !wanted || strcmp(call, wanted) != 0) return 0;
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, sizeof path - 1);
  if (count < 0) return 0;
  path[count] = 0;
  return strncmp(path, folder, strlen(folder)) == 0 && path[strlen(folder)] == '/';
}

int fsync(int descriptor) {
  if (!is_late(descriptor, "fsync")) return NEXT(fsync, descriptor);
  errno = EDQUOT;
  return -1;
}

int close(int descriptor) {
  int late = is_late(descriptor, "close");
  int result = NEXT(close, descriptor);
  if (!late) return result;
  errno = EDQUOT;
  return -1;
}
