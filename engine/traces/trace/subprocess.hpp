// Runs another program to its end, without a shell, and keeps the end of its output.
#pragma once

#include <string>
#include <vector>

namespace kr::trace {

struct Finished {
  enum class How : uint8_t { exited, killed, silent, not_found };
  How how = How::exited;
  int status = 0;      // exited: its exit status; killed: the signal; not_found: errno
  std::string output;  // the end of what it wrote to stdout and stderr, a few KiB
};

/// The first word is the program, looked up in PATH unless it has a slash. It reads nothing, and is
/// alone with its children in a process group, which is killed (`silent`) when nothing was heard of
/// it for `silent_seconds` (0: it may be silent for ever), and when it did not end well.
Finished run_program(const std::vector<std::string>& words, int silent_seconds);

/// Kills all programs that run now, with their children, and waits for them. For a program that
/// ends: none can be started after it. It takes a lock, so it is not for signal handlers; a thread
/// that waits for signals may call it.
void end_programs() noexcept;

}  // namespace kr::trace
