#define _GNU_SOURCE
#include "CProcess.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

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
