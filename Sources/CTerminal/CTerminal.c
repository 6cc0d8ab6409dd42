#define _GNU_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <linux/memfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static mode_t original_umask = 022;

static int argument_count;
static char **argument_words;

// glibc gives constructors what it gives main. Swift reads /proc/self/cmdline instead, which a chroot may not have.
__attribute__((constructor)) static void note_arguments(int count, char **words) {
  argument_count = count;
  argument_words = words;
}

int console_argument_count(void) { return argument_count; }
const char *console_argument(int index) { return argument_words[index]; }
static const int noted[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH, SIGCONT};
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT};
// What others send to end a process, and what nobody here asks for.
static const int strangers[] = {SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGIO, SIGPWR, SIGSYS};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// An ending signal, once one came.
static volatile sig_atomic_t ending;

static void fault(int number) {
  console_restore();
  raise(number);  // SA_RESETHAND put the default action back; it acts when this handler returns.
}

static bool ignores_alarms;

// Our own alarm, or a stranger's.
static void late(int number) {
  if (!ending && ignores_alarms) return;
  if (!ending) return fault(number);
  console_restore();
  _exit(128 + ending);
}

void console_fault_stack(void) {
  static _Thread_local char stack[16384];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
}

static int signal_pipe[2] = {-1, -1};

// The console's thread gives the shell five seconds to keep what there is. It may itself be stuck in a write to a
// terminal that takes nothing; then this ends the process.
static const unsigned int patience = 6;

static void note(int number) {
  int saved_errno = errno;
  if ((number == SIGTERM || number == SIGHUP) && !ending) {
    ending = number;
    alarm(patience);
  }
  unsigned char byte = (unsigned char)number;
  if (write(signal_pipe[1], &byte, 1) < 0) {
    // A full pipe holds 65536 signals that nobody has looked at.
  }
  errno = saved_errno;
}

static bool is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Not signalfd: a main thread that waits in dispatch_main, as an asynchronous main does, unblocks every signal.
static void note_signals(void) {
  if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  sigset_t set;
  sigemptyset(&set);
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < COUNT(noted); i++) {
    // What was ignored stays ignored: nohup, and `&` of a shell without job control.
    if (is_ignored(noted[i])) continue;
    sigaction(noted[i], &action, NULL);
    sigaddset(&set, noted[i]);
  }
  // Threads to come inherit this; only the console's thread is to be disturbed.
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  // Whoever started us may have blocked it.
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

// Threads and the network need some: without them the libraries below end the process, and do not say why.
static void require_files(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= 32) return;
  dprintf(2, "error: only %d files may be open at once, and 32 are needed\nhint: ulimit -n 256\n", (int)files.rlim_cur);
  _exit(1);
}

void console_harden(void) {
  require_files();
  // A descriptor that was closed must not become a file of ours: a read of it ends at once, a write to it fails.
  for (int fd = 0; fd <= 2; fd++) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
  original_umask = umask(077);
  signal(SIGPIPE, SIG_IGN);

  note_signals();

  struct rlimit core;
  if (getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &core);
  }
  prctl(PR_SET_DUMPABLE, 0);

  // Characters alone: our sentences are English, numbers on the wire have a point, and each category is a file to read.
  setlocale(LC_CTYPE, "");
  if (MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");

  console_fault_stack();
  struct sigaction action = {.sa_handler = fault, .sa_flags = SA_RESETHAND | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < COUNT(faults); i++) sigaction(faults[i], &action, NULL);
  for (size_t i = 0; i < COUNT(strangers); i++) {
    if (!is_ignored(strangers[i])) sigaction(strangers[i], &action, NULL);
  }
  ignores_alarms = is_ignored(SIGALRM);
  action.sa_handler = late;
  if (ignores_alarms) action.sa_flags &= ~SA_RESETHAND;
  sigaction(SIGALRM, &action, NULL);
}

mode_t console_original_umask(void) { return original_umask; }

int console_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < COUNT(noted); i++) sigaddset(&set, noted[i]);
  // Whoever began the thread may have blocked these: a read in the background would then fail as if the terminal had gone.
  sigaddset(&set, SIGTTIN);
  sigaddset(&set, SIGTTOU);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  return signal_pipe[0];
}

int console_next_signal(void) {
  unsigned char byte = 0;
  return read(signal_pipe[0], &byte, 1) == 1 ? byte : 0;
}

void console_stop(void) {
  if (is_ignored(SIGTSTP)) return;
  struct sigaction standard = {.sa_handler = SIG_DFL}, ours;
  sigemptyset(&standard.sa_mask);
  sigaction(SIGTSTP, &standard, &ours);
  raise(SIGTSTP);  // To this thread, so that it has acted when the handler comes back.
  sigaction(SIGTSTP, &ours, NULL);
}

// libedit

static ssize_t sink_write(void *cookie, const char *bytes, size_t count) {
  struct console_sink *sink = cookie;
  if (memchr(bytes, '\a', count) != NULL) sink->rang = true;
  if (memmem(bytes, count, "\033[H", 3) != NULL) sink->cleared = true;
  return (ssize_t)count;
}

FILE *console_sink_open(struct console_sink *sink) {
  return fopencookie(sink, "w", (cookie_io_functions_t){.write = sink_write});
}

static console_recall recall_line;
static int recall_place;

static int history_answer(void *owner, HistEventW *event, int question, ...) {
  int place = recall_place;
  switch (question) {
    case H_FIRST: place = 0; break;
    case H_NEXT: place += 1; break;
    case H_PREV: place -= 1; break;
    case H_CURR: break;
    default: return -1;
  }
  const wchar_t *line = place < 0 || recall_line == NULL ? NULL : recall_line(owner, place);
  if (line == NULL) return -1;
  recall_place = place;
  event->num = place + 1;
  event->str = line;
  return 0;
}

void console_history(EditLine *edit_line, console_recall line, void *owner) {
  recall_line = line;
  recall_place = 0;
  el_wset(edit_line, EL_HIST, history_answer, owner);
}

void console_history_rewind(void) { recall_place = 0; }

// Small things

bool console_size(int descriptor, int *rows, int *columns) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return false;
  *rows = size.ws_row == 0 ? 24 : size.ws_row;
  *columns = size.ws_col;
  return true;
}

bool console_cell_size(int descriptor, int *width, int *height) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return false;
  *width = size.ws_xpixel / size.ws_col;
  *height = size.ws_ypixel / size.ws_row;
  return *width > 0 && *height > 0;
}

int console_wake(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int console_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int console_child_descriptor(pid_t child) { return (int)syscall(SYS_pidfd_open, child, 0); }

int console_memory_file(const void *bytes, size_t count) {
  const int file = (int)syscall(SYS_memfd_create, "parley", MFD_CLOEXEC);
  if (file < 0) return -1;
  for (size_t written = 0; written < count;) {
    const ssize_t more = write(file, (const char *)bytes + written, count - written);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) {
      close(file);
      return -1;
    }
    written += (size_t)more;
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

int console_spawn(pid_t *child, const char *path, char *const arguments[], char *const environment[], int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int problem = posix_spawn_file_actions_init(&actions);
  if (problem != 0) return problem;
  problem = posix_spawnattr_init(&attributes);
  if (problem != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return problem;
  }
  if (input >= 0) posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (output >= 0) {
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  // Handlers end with exec by themselves. What was ignored before us stays ignored, as nohup wants it.
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  problem = posix_spawn(child, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

int console_spawn_detached(pid_t *child, const char *path, char *const arguments[], char *const environment[]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int problem = posix_spawn_file_actions_init(&actions);
  if (problem != 0) return problem;
  problem = posix_spawnattr_init(&attributes);
  if (problem != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return problem;
  }
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  problem = posix_spawn(child, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

int console_pending(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : 0;
}
