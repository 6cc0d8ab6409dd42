// What a program does to the files of its history: noted in a log, or made to fail. To be preloaded.
//
//   FILES_LOG=FILE      each change is appended there, with its data, as one record: see `struct head`
//   FILES_FAIL_AT=N     the N-th call that opens, writes, syncs, cuts or names such a file fails …
//   FILES_FAIL_FOR=M    … and the M - 1 after it (1)
//   FILES_FAIL_WHILE=FILE each that writes fails as long as this file is there …
//   FILES_FAIL_AS=ERRNO … with this number; 0 only has them noted
//
// Files are those in PARLEY_HOME whose name begins with `history.sqlite`, which are told by their names: none of them is
// renamed while it is open. A record follows its change, before anything else is done to such a file by this process.
// A sync has two records, for what another process writes meanwhile may or may not be part of it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Then come the name, the second name or the data.
struct __attribute__((packed)) head {
  char what;  // Create Write Truncate s(ync begins) S(ync ended) Unlink Rename Link F(ailed)
  uint16_t name_size;
  uint32_t data_size;
  int64_t offset;  // of a write; the new size; what the two records of a sync have in common
};

enum { descriptors = 4096 };

static char *names[descriptors];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_descriptor = -1;
static const char *fail_while;
static long calls, syncs, fail_at, fail_for = 1, fail_as;

#define NEXT(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

static long number(const char *name, long other) {
  const char *text = getenv(name);
  return text ? atol(text) : other;
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FILES_LOG");
  if (path) log_descriptor = NEXT(open, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  fail_at = number("FILES_FAIL_AT", 0);
  fail_for = number("FILES_FAIL_FOR", 1);
  fail_while = getenv("FILES_FAIL_WHILE");
  fail_as = number("FILES_FAIL_AS", ENOSPC);
}

static void note(char what, const char *name, const void *data, size_t size, int64_t offset) {
  if (log_descriptor < 0) return;
  int error = errno;
  struct head head = {what, (uint16_t)strlen(name), (uint32_t)size, offset};
  char *record = malloc(sizeof head + head.name_size + size);
  memcpy(record, &head, sizeof head);
  memcpy(record + sizeof head, name, head.name_size);
  if (size) memcpy(record + sizeof head + head.name_size, data, size);
  // One write to the end of a file is whole, whoever else writes there.
  if (NEXT(write, log_descriptor, record, sizeof head + head.name_size + size) < 0) abort();
  free(record);
  errno = error;
}

/// The name of a file of the history, `.` for the folder itself; NULL for any other.
static const char *ours(const char *path) {
  const char *home = getenv("PARLEY_HOME"), *slash = strrchr(path, '/');
  if (!home) return NULL;
  if (strcmp(path, home) == 0) return ".";
  if (!slash || strncmp(path, home, (size_t)(slash - path)) != 0 || home[slash - path]) return NULL;
  return strncmp(slash + 1, "history.sqlite", 14) == 0 ? slash + 1 : NULL;
}

static const char *of(int descriptor) {
  return descriptor >= 0 && descriptor < descriptors ? names[descriptor] : NULL;
}

static int is_file(const char *name) { return name && strcmp(name, ".") != 0; }

/// Whether this call is one that is to fail.
static int fails(char what, const char *name) {
  if (!is_file(name)) return 0;
  calls++;
  int is_due = fail_at && calls >= fail_at && calls < fail_at + fail_for;
  if (!is_due && (!fail_while || what != 'W' || access(fail_while, F_OK) != 0)) return 0;
  note('F', name, &what, 1, calls);
  errno = (int)fail_as;
  return fail_as != 0;
}

static int opened(const char *path, int flags, mode_t mode) {
  const char *name = ours(path);
  if (!name) return NEXT(open, path, flags, mode);
  pthread_mutex_lock(&lock);
  struct stat facts;
  int is_new = stat(path, &facts) != 0, descriptor = -1;
  if (!fails('O', name)) descriptor = NEXT(open, path, flags, mode);
  if (descriptor >= 0 && descriptor < descriptors) {
    free(names[descriptor]);
    names[descriptor] = strdup(name);
    if (is_new && is_file(name)) note('C', name, NULL, 0, 0);
    if (flags & O_TRUNC) note('T', name, NULL, 0, 0);
  }
  pthread_mutex_unlock(&lock);
  return descriptor;
}

#define OPEN(name)                                     \
  int name(const char *path, int flags, ...) {         \
    va_list rest;                                      \
    va_start(rest, flags);                             \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                      \
    return opened(path, flags, mode);                  \
  }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
  if (!of(descriptor)) return NEXT(close, descriptor);
  pthread_mutex_lock(&lock);
  free(names[descriptor]);
  names[descriptor] = NULL;
  int result = NEXT(close, descriptor);
  pthread_mutex_unlock(&lock);
  return result;
}

// A change of an open file: the call, unless it is to fail, and then its record.
#define CHANGE(what, descriptor, call, result_type, data, size, offset)  \
  const char *name = of(descriptor);                                     \
  if (!is_file(name)) return call;                                       \
  pthread_mutex_lock(&lock);                                             \
  result_type result = fails(what, name) ? -1 : call;                    \
  if (result >= 0) note(what, name, data, size, offset);                 \
  pthread_mutex_unlock(&lock);                                           \
  return result;

ssize_t write(int descriptor, const void *data, size_t size) {
  int64_t offset = is_file(of(descriptor)) ? lseek(descriptor, 0, SEEK_CUR) : 0;
  CHANGE('W', descriptor, NEXT(write, descriptor, data, size), ssize_t, data, (size_t)result, offset)
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) {
  CHANGE('W', descriptor, NEXT(pwrite, descriptor, data, size, offset), ssize_t, data, (size_t)result, offset)
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) {
  CHANGE('W', descriptor, NEXT(pwrite64, descriptor, data, size, offset), ssize_t, data, (size_t)result, offset)
}

int ftruncate(int descriptor, off_t size) {
  CHANGE('T', descriptor, NEXT(ftruncate, descriptor, size), int, NULL, 0, size)
}

int ftruncate64(int descriptor, off64_t size) {
  CHANGE('T', descriptor, NEXT(ftruncate64, descriptor, size), int, NULL, 0, size)
}

#define SYNC(call)                                                   \
  int call(int descriptor) {                                         \
    const char *name = of(descriptor);                               \
    if (!name) return NEXT(call, descriptor);                        \
    pthread_mutex_lock(&lock);                                       \
    int64_t both = (int64_t)getpid() << 32 | ++syncs;                \
    note('s', name, NULL, 0, both);                                  \
    int result = fails('S', name) ? -1 : NEXT(call, descriptor);     \
    if (result == 0) note('S', name, NULL, 0, both);                 \
    pthread_mutex_unlock(&lock);                                     \
    return result;                                                   \
  }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
  const char *name = ours(path);
  int result = NEXT(unlink, path);
  if (result == 0 && is_file(name)) note('U', name, NULL, 0, 0);
  return result;
}

// A new name that is none of the history's is kept as it is, for what is set aside.
#define NAME(what, call)                                                          \
  int call(const char *from, const char *to) {                                    \
    const char *name = ours(from), *slash = strrchr(to, '/');                     \
    if (!is_file(name)) return NEXT(call, from, to);                              \
    if (fails(what, name)) return -1;                                             \
    int result = NEXT(call, from, to);                                            \
    const char *other = slash ? slash + 1 : to;                                   \
    if (result == 0) note(what, name, other, strlen(other), 0);                   \
    return result;                                                                \
  }
NAME('R', rename)
NAME('L', link)
