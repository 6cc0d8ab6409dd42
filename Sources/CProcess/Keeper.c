// The keeper of a long-lived program: a process between it and us, so that nothing of it is left behind
// (docs/rules.md A6).
//
// Only a sub-reaper learns of the processes that a program set free: with `setsid`, by forking twice. If parley itself
// were one, it could not tell them from what the person started (a browser, `!command &`), which has to live on, and
// would have to collect children that others wait for. The keeper is the sub-reaper instead. All its children come
// from its one program, so it may wait for any and kill all.
//
// It is our own executable, started again under another name, rather than a fork: a fork of a process with threads may
// do next to nothing, and would keep a copy of its secrets. It lives in a session of its own, and ends its program
// when its control pipe closes, which also happens when parley is killed.
#define _GNU_SOURCE
#include "CProcess.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char name[] = "parley-keeper";

enum { control = 3, reports = 4 };
// Milliseconds: to end after the end of its input; to end when it is asked to; to die of SIGKILL, which a process of
// another user does not; between two rounds.
enum { closing_time = 1000, asking_time = 2000, killing_time = 5000, round_time = 10 };

extern char **environ;

int process_spawn_kept(
  pid_t *keeper, const char *path, char *const arguments[], char *const environment[], const int descriptors[3],
  bool has_input, int control_end, int report_end, mode_t mask, const char *folder) {
  size_t arguments_count = 0, variables_count = 0;
  while (arguments[arguments_count] != NULL) arguments_count++;
  while (environment[variables_count] != NULL) variables_count++;
  char **words = calloc(arguments_count + 5, sizeof *words);
  char **variables = calloc(variables_count + 2, sizeof *variables);
  char umask_word[16];
  char *library_path = NULL;
  int problem = ENOMEM;
  if (words != NULL && variables != NULL) {
    snprintf(umask_word, sizeof umask_word, "%o", (unsigned)mask);
    words[0] = (char *)name;
    words[1] = umask_word;
    words[2] = has_input ? "input" : "";
    words[3] = (char *)path;
    memcpy(words + 4, arguments, arguments_count * sizeof *words);
    memcpy(variables, environment, variables_count * sizeof *variables);
    // The keeper needs it where we need it; it goes no further.
    const char *libraries = getenv("LD_LIBRARY_PATH");
    if (libraries != NULL && asprintf(&library_path, "LD_LIBRARY_PATH=%s", libraries) > 0)
      variables[variables_count] = library_path;
    int all[] = {descriptors[0], descriptors[1], descriptors[2], control_end, report_end};
    problem = process_spawn(keeper, "/proc/self/exe", words, variables, all, 5, true, folder);
  }
  free(library_path);
  free(variables);
  free(words);
  return problem;
}

// The process that is started then

static void report(enum process_report_kind kind, int value) {
  struct process_report message = {.kind = kind, .value = value};
  // Without a reader it fails, which changes nothing: the control pipe says the same.
  if (write(reports, &message, sizeof message) < 0) return;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

struct process {
  pid_t pid, parent, group;
  bool is_ours;
};

static int compare(const void *left, const void *right) {
  pid_t a = ((const struct process *)left)->pid, b = ((const struct process *)right)->pid;
  return (a > b) - (a < b);
}

static bool read_process(const char *number, struct process *process) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%.20s/stat", number);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return false;
  text[count] = 0;
  // The name stands in parentheses and may hold some.
  const char *rest = strrchr(text, ')');
  process->pid = atoi(number);
  process->is_ours = false;
  return rest != NULL && sscanf(rest + 1, " %*c %d %d", &process->parent, &process->group) == 2;
}

/// All processes of the machine, by number.
static struct process *read_processes(size_t *count) {
  size_t room = 0;
  struct process *all = NULL;
  *count = 0;
  DIR *folder = opendir("/proc");
  if (folder == NULL) return NULL;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (*count == room) {
      room = room == 0 ? 512 : room * 2;
      struct process *more = realloc(all, room * sizeof *all);
      if (more == NULL) break;
      all = more;
    }
    if (read_process(entry->d_name, &all[*count])) (*count)++;
  }
  closedir(folder);
  if (all != NULL) qsort(all, *count, sizeof *all, compare);
  return all;
}

/// Sends a signal to all that came of the program. SIGKILL goes to whole groups, which nobody leaves by forking; they
/// hold nobody else, for groups do not reach beyond a session, nor a session beyond those who come of its leader.
static void signal_all(int number) {
  size_t count = 0;
  struct process *all = read_processes(&count);
  pid_t keeper = getpid();
  for (bool finds_more = true; finds_more;) {
    finds_more = false;
    for (size_t i = 0; i < count; i++) {
      if (all[i].is_ours) continue;
      struct process key = {.pid = all[i].parent};
      const struct process *parent = bsearch(&key, all, count, sizeof *all, compare);
      if (all[i].parent != keeper && (parent == NULL || !parent->is_ours)) continue;
      all[i].is_ours = finds_more = true;
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (!all[i].is_ours) continue;
    if (number == SIGKILL && all[i].group > 1 && all[i].group != keeper) kill(-all[i].group, SIGKILL);
    kill(all[i].pid, number);
    // One that is stopped takes no signal but SIGKILL.
    if (number == SIGTERM) kill(all[i].pid, SIGCONT);
  }
  free(all);
}

/// Collects those who ended; false when none are left.
static bool collect(pid_t program, bool *has_ended) {
  int status = 0;
  pid_t child;
  while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
    if (child != program) continue;
    *has_ended = true;
    report(process_report_ended, status);
  }
  return child == 0 || errno != ECHILD;
}

static void keep(pid_t program, bool has_input, int signals) {
  enum { running, closing, asking, killing } stage = running;
  bool has_ended = false;
  int64_t deadline = 0;
  struct pollfd polled[] = {{.fd = signals, .events = POLLIN}, {.fd = control, .events = POLLIN}};
  while (collect(program, &has_ended)) {
    int64_t time = now();
    if (stage == running && polled[1].fd < 0) {
      stage = closing;
      deadline = has_input ? time + closing_time : time;
    }
    // The end of the program is that of all it started.
    if (stage < asking && (has_ended || (stage == closing && time >= deadline))) {
      stage = asking;
      deadline = time + asking_time;
      signal_all(SIGTERM);
    }
    if (stage == asking && time >= deadline) {
      stage = killing;
      deadline = time + killing_time;
    }
    if (stage == killing) {
      if (time >= deadline) return;
      signal_all(SIGKILL);
    }
    int wait = stage == running ? -1 : stage == killing ? round_time : (int)(deadline - time);
    poll(polled, 2, wait);
    struct signalfd_siginfo signal;
    while (read(signals, &signal, sizeof signal) > 0)
      if (signal.ssi_signo != SIGCHLD) polled[1].fd = -1;
    if (polled[1].fd >= 0 && polled[1].revents != 0) polled[1].fd = -1;
  }
}

/// Starts the program; 0 when that failed, which is reported.
static pid_t start(mode_t mask, char *const arguments[], const sigset_t *signals) {
  int news[2];
  if (pipe2(news, O_CLOEXEC) != 0) {
    report(process_report_failed, errno);
    return 0;
  }
  pid_t program = fork();
  if (program == 0) {
    setsid();
    umask(mask);
    sigprocmask(SIG_UNBLOCK, signals, NULL);
    execve(arguments[0], arguments + 1, environ);
    int problem = errno;
    _exit(write(news[1], &problem, sizeof problem) < 0 ? 126 : 127);
  }
  int problem = errno;
  close(news[1]);
  if (program > 0) {
    ssize_t count = read(news[0], &problem, sizeof problem);
    if (count != sizeof problem) problem = 0;
  }
  close(news[0]);
  if (problem != 0) report(process_report_failed, problem);
  return problem == 0 ? program : 0;
}

__attribute__((constructor)) static void become_keeper(int count, char *arguments[]) {
  if (count < 5 || strcmp(arguments[0], name) != 0) return;
  sigset_t awaited;
  sigemptyset(&awaited);
  for (size_t i = 0; i < 4; i++) sigaddset(&awaited, (int[]){SIGCHLD, SIGTERM, SIGHUP, SIGINT}[i]);
  sigprocmask(SIG_BLOCK, &awaited, NULL);
  int signals = signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK);
  prctl(PR_SET_NAME, name);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  fcntl(control, F_SETFD, FD_CLOEXEC);
  fcntl(reports, F_SETFD, FD_CLOEXEC);
  unsetenv("LD_LIBRARY_PATH");

  pid_t program = start((mode_t)strtoul(arguments[1], NULL, 8), arguments + 3, &awaited);
  if (program == 0) _exit(1);
  // Not before: the program would inherit it.
  signal(SIGPIPE, SIG_IGN);
  // The pipes of the program are its own: they have to end with it.
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i <= 2; i++) nothing >= 0 ? dup2(nothing, i) : close(i);
  report(process_report_started, program);
  keep(program, arguments[2][0] != 0, signals);
  _exit(0);
}
