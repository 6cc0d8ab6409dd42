#pragma once

#include <histedit.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <termios.h>
#include <wchar.h>

// Process start and terminal modes. The process has one controlling terminal, so this state is global: the handlers for
// faults must reach it without a lock.

/// Private files, no core, ignored SIGPIPE, noted job and ending signals, a UTF-8 locale, handlers for faults. Six seconds
/// after the first SIGTERM or SIGHUP the process ends in any case, by an alarm.
void console_harden(void);

/// The words that the process was started with, its own name first.
int console_argument_count(void);
const char *console_argument(int index);

/// The umask the process was started with; children of the person's own shell get it back.
mode_t console_original_umask(void);

/// Lets the calling thread be the one that signals disturb; returns a descriptor that is readable when one came.
int console_signals(void);

/// The number of the next signal that came, 0 when there is none.
int console_next_signal(void);

/// SIGTSTP's default action: stops the process unless nobody could continue it.
void console_stop(void);

/// Keeps the modes of the terminal at `input`, to be put back at exit and on a fault. Bytes go to the terminal at `output`
/// by another open file, which never waits.
bool console_remember(int input, int output);

/// The modes kept by `console_remember`.
struct termios console_original(void);

/// Whether modes were changed, and whether the terminal was told something that must be taken back.
void console_touched(bool modes, bool codes);

/// Puts the terminal back as it was found. Safe in a signal handler, and more than once. One that takes nothing within
/// 100 ms is not told to take back what it was told.
void console_restore(void);

/// The same, however long the terminal takes. Not for handlers.
void console_restore_whole(void);

/// An alternate stack for this thread, so that a stack overflow still restores the terminal.
void console_fault_stack(void);

// libedit: its calls are variadic, which Swift cannot reach.

typedef unsigned char (*console_key)(EditLine *, wint_t);
typedef const wchar_t *(*console_recall)(void *, int back);

/// What libedit wanted to show while its drawing goes nowhere.
struct console_sink {
  bool rang;
  bool cleared;
};

/// A stream that keeps nothing but the notes in `sink`.
FILE *console_sink_open(struct console_sink *sink);

/// Answers libedit's questions about history from `line`; `owner` is passed on.
void console_history(EditLine *edit_line, console_recall line, void *owner);
/// Forgets the place in the history.
void console_history_rewind(void);

static inline int console_set_editor(EditLine *edit_line, const wchar_t *name) {
  return el_wset(edit_line, EL_EDITOR, name);
}
static inline bool console_is_vi(EditLine *edit_line) {
  const wchar_t *name = NULL;
  return el_wget(edit_line, EL_EDITOR, &name) == 0 && name != NULL && name[0] == L'v';
}
static inline int console_bind(EditLine *edit_line, const wchar_t *key, const wchar_t *command) {
  return el_wset(edit_line, EL_BIND, key, command, NULL);
}
static inline int console_bind_command_mode(EditLine *edit_line, const wchar_t *key, const wchar_t *command) {
  return el_wset(edit_line, EL_BIND, L"-a", key, command, NULL);
}
static inline int console_add(EditLine *edit_line, const wchar_t *name, console_key key) {
  return el_wset(edit_line, EL_ADDFN, name, name, key);
}
static inline int console_set_reader(EditLine *edit_line, int (*reader)(EditLine *, wchar_t *)) {
  return el_wset(edit_line, EL_GETCFN, reader);
}
static inline int console_set_owner(EditLine *edit_line, void *owner) {
  return el_wset(edit_line, EL_CLIENTDATA, owner);
}
static inline void *console_owner(EditLine *edit_line) {
  void *owner = NULL;
  el_wget(edit_line, EL_CLIENTDATA, &owner);
  return owner;
}
static inline int console_setty(EditLine *edit_line, const wchar_t *mode, const wchar_t *flag) {
  return el_wset(edit_line, EL_SETTY, mode, flag, NULL);
}

// Small things that Swift's view of the C library lacks.

/// Rows and columns of a terminal; false where there is none to ask.
bool console_size(int descriptor, int *rows, int *columns);
/// Of a cell in pixels; false where the terminal does not say.
bool console_cell_size(int descriptor, int *width, int *height);
/// A descriptor to wake a waiting thread with; -1 on failure.
int console_wake(void);
/// A pipe that children do not inherit; 0 on success.
int console_pipe(int ends[2]);
/// A descriptor that becomes readable when the child ends; -1 where the kernel has none.
int console_child_descriptor(pid_t child);
/// A file that is on no disk, from its beginning; -1 with errno where there is no room.
int console_memory_file(const void *bytes, size_t count);
/// Spawns with an empty signal mask, default handlers and no descriptors above 2; `input` >= 0 is read, and `output` >= 0
/// takes both streams.
int console_spawn(pid_t *child, const char *path, char *const arguments[], char *const environment[], int input, int output);
/// Spawns in a session of its own, without a terminal and with nothing to read or write.
int console_spawn_detached(pid_t *child, const char *path, char *const arguments[], char *const environment[]);

/// How many bytes wait to be read, 0 where nobody can say.
int console_pending(int descriptor);
