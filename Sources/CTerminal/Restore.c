#define _GNU_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct termios original_modes;
static int terminal_input = -1, terminal_output = -1;
static volatile sig_atomic_t modes_touched, codes_touched;

// Attributes off, cursor shown; mouse, focus and paste reports off; no update held back. Leaving the alternate screen is
// not among them: outside of it, xterm would move the cursor to a place saved long ago.
static const char reset_codes[] =
  "\033[0m\033[?25h\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1004l\033[?2004l\033[?2026l";

// Whether all of them went out. Each part waits so many milliseconds for room, -1 for as long as it takes.
static bool tell(const char *codes, size_t count, int wait) {
  struct pollfd room = {.fd = terminal_output, .events = POLLOUT};
  while (count > 0) {
    int ready = poll(&room, 1, wait);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || !(room.revents & POLLOUT)) return false;
    ssize_t written = write(terminal_output, codes, count);
    if (written < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (written < 0) return false;  // Nothing is left to tell it to.
    codes += written;
    count -= (size_t)written;
  }
  return true;
}

static void restore(int wait) {
  int saved_errno = errno;
  // A background process that sets modes is stopped; it has no say about the terminal anyway.
  if (terminal_input >= 0 && tcgetpgrp(terminal_input) == getpgrp()) {
    if (modes_touched) tcsetattr(terminal_input, TCSANOW, &original_modes);
    modes_touched = 0;
    if (codes_touched && tell(reset_codes, sizeof reset_codes - 1, wait)) codes_touched = 0;
  }
  errno = saved_errno;
}

// A terminal that takes nothing, after Ctrl-S or with nobody who reads, must not keep the process: it gets a moment.
void console_restore(void) { restore(100); }

void console_restore_whole(void) { restore(-1); }

// Another open file of the same terminal: whether a write waits is a matter of the open file, and the person's shell
// shares ours.
static int open_again(int descriptor) {
  if (!isatty(descriptor)) return descriptor;
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  int again = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return again >= 0 ? again : descriptor;
}

bool console_remember(int input, int output) {
  if (terminal_input >= 0) return true;
  if (tcgetattr(input, &original_modes) != 0) return false;
  terminal_output = open_again(output);
  terminal_input = input;
  atexit(console_restore);
  return true;
}

struct termios console_original(void) { return original_modes; }

void console_touched(bool modes, bool codes) {
  modes_touched = modes;
  codes_touched = codes;
}
