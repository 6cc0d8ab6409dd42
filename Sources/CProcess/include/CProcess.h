#pragma once

// What a program that is started needs and the Swift overlay of glibc leaves out.

#include <spawn.h>

/// A pipe that no program inherits.
int process_pipe(int ends[2]);

/// A program is started without the descriptors from `first` on.
int process_close_from(posix_spawn_file_actions_t *actions, int first);
