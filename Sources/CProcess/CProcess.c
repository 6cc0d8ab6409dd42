#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

static const int first_of_ours = 10;

int process_pipe(int ends[2]) {
  int made[2];
  if (pipe2(made, O_CLOEXEC) != 0) return -1;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, first_of_ours);
    close(made[i]);
  }
  if (ends[0] >= 0 && ends[1] >= 0) return 0;
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0) close(ends[i]);
  return -1;
}

int process_wake(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void process_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

const char *process_signal_name(int number) { return sigabbrev_np(number); }

int process_spawn(
  pid_t *child, const char *path, char *const arguments[], char *const environment[], const int *descriptors,
  int count, bool leads_session, const char *folder) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int problem = posix_spawn_file_actions_init(&actions);
  if (problem != 0) return problem;
  problem = posix_spawnattr_init(&attributes);
  if (problem != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return problem;
  }
  for (int i = 0; i < count; i++) posix_spawn_file_actions_adddup2(&actions, descriptors[i], i);
  posix_spawn_file_actions_addclosefrom_np(&actions, count);
  if (folder != NULL) posix_spawn_file_actions_addchdir_np(&actions, folder);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
    &attributes,
    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (leads_session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP));
  problem = posix_spawn(child, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

// In the child: what it may not have of ours goes, and what goes wrong is told by `report`.
static void become(char *const arguments[], char *const environment[], const char *folder, mode_t mask, int slave, int report) {
  bool isReady = login_tty(slave) == 0 && (folder == NULL || chdir(folder) == 0);
  if (isReady) {
    umask(mask);
    // Above the three: the report, which exec closes.
    report = fcntl(report, F_DUPFD_CLOEXEC, 3);
    for (int fd = 3; fd < report; fd++) close(fd);
    closefrom(report + 1);
    // What was ignored stays so over exec: a shell under nohup would not hear that its terminal is gone.
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(arguments[0], arguments, environment);
  }
  int problem = errno;
  if (write(report, &problem, sizeof problem) < 0) {
    // Nothing is left to tell it to.
  }
  _exit(127);
}

int process_start_on_terminal(
  char *const arguments[], char *const environment[], const char *folder, mode_t mask, int rows, int columns,
  pid_t *child, struct termios *modes) {
  *child = -1;
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return -1;
  // Closed for other children from the first moment: one that is started at the same time would hold it open.
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  char name[64];
  bool isOpen =
    master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 && ptsname_r(master, name, sizeof name) == 0;
  int slave = isOpen ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  if (slave >= 0 && tcgetattr(slave, modes) == 0 && ioctl(slave, TIOCSWINSZ, &size) == 0) *child = fork();
  if (*child == 0) become(arguments, environment, folder, mask, slave, report[1]);
  int problem = errno;
  if (slave >= 0) close(slave);
  close(report[1]);
  // Ends with exec, which closes the other end.
  if (*child > 0 && read(report[0], &problem, sizeof problem) == sizeof problem) {
    while (waitpid(*child, NULL, 0) < 0 && errno == EINTR) {
    }
    *child = -1;
  }
  close(report[0]);
  if (*child < 0 && master >= 0) close(master);
  errno = problem;
  return *child < 0 ? -1 : master;
}

void process_resize_terminal(int master, int rows, int columns) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  ioctl(master, TIOCSWINSZ, &size);
}

int process_child_descriptor(pid_t child) { return (int)syscall(SYS_pidfd_open, child, 0); }
