#pragma once

// What a program that is started needs and the Swift overlay of glibc leaves out.

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

/// A pipe that no program inherits, away from the descriptors that a program is given; 0 on success.
int process_pipe(int ends[2]);
/// A descriptor to wake a thread with that polls; -1 on failure.
int process_wake(void);
/// Names the thread that calls it, for debuggers; 15 bytes at most.
void process_name_thread(const char *name);

/// Starts a program with these descriptors as its 0, 1, 2 and so on, and no other; without blocked or ignored signals;
/// as the leader of a group, or of a session. A `folder` may be NULL. 0, or an error number.
int process_spawn(
  pid_t *child, const char *path, char *const arguments[], char *const environment[], const int *descriptors,
  int count, bool leads_session, const char *folder);

/// What a keeper reports, in two numbers.
struct process_report {
  int32_t kind, value;
};
enum process_report_kind {
  /// The program runs; its process id.
  process_report_started,
  /// It could not be started; an error number.
  process_report_failed,
  /// It ended; its status as `waitpid` gives it.
  process_report_ended,
};

/// Starts a program under a keeper (Keeper.c), whose process id is given. `path` is absolute, or relative to `folder`.
/// Reports come by `report`; when the other end of `control` closes, the keeper ends the program and all that came of
/// it, and then itself. One that `has_input`, which closes with it, gets a second to end of its own accord.
int process_spawn_kept(
  pid_t *keeper, const char *path, char *const arguments[], char *const environment[], const int descriptors[3],
  bool has_input, int control, int report, mode_t mask, const char *folder);

/// Such as SIGKILL without its SIG; NULL for a signal that has no name.
const char *process_signal_name(int number);

/// Starts a program on a new pseudo-terminal as its session's leader; returns the master, or -1 with `errno`. A `folder`
/// may be NULL. `modes` are those that the terminal had before the program could change them.
int process_start_on_terminal(
  char *const arguments[], char *const environment[], const char *folder, mode_t mask, int rows, int columns,
  pid_t *child, struct termios *modes);
/// Changes the size of a pseudo-terminal, which sends SIGWINCH.
void process_resize_terminal(int master, int rows, int columns);
/// A descriptor that becomes readable when the child ends; -1 where the kernel has none.
int process_child_descriptor(pid_t child);
