#include "streams.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/input_files.hpp"
#include "report/report.hpp"

namespace kr::cli {

void Streams::out(std::string_view text) {
  if (unread_) return;
  // Emptied or not by the shell before kr began, what is left of it was read.
  struct stat file {};
  if (::fstat(STDOUT_FILENO, &file) == 0 && InputFiles::has(file)) {
    throw Error("standard output", "is a file that this run reads: it would be written over",
                "write to another file");
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) failed();
}

void Streams::finish() {
  if (!unread_ && std::fflush(stdout) != 0) failed();
}

void Streams::failed() {
  if (errno != EPIPE) {
    throw Error("standard output", fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  unread_ = true;
}

void Streams::raw_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Streams::line(std::string_view head, std::string_view ansi, std::string_view text) {
  std::fflush(stdout);
  raw_error(color_error() ? fmt::format("kr: \x1b[{}m{}\x1b[0m{}\n", ansi, head, printable(text))
                          : fmt::format("kr: {}{}\n", head, printable(text)));
}

void Streams::error(std::string_view text) {
  line("error: ", "1;31", text);
}

void Streams::warning(std::string_view text) {
  if (!quiet) line("warning: ", "1;33", text);
}

void Streams::note(std::string_view text) {
  if (!quiet) line("", "0", text);
}

bool Streams::out_is_terminal() const {
  return ::isatty(STDOUT_FILENO) == 1;
}
bool Streams::error_is_terminal() const {
  return ::isatty(STDERR_FILENO) == 1;
}

bool Streams::wants_color(bool terminal) const {
  if (color != When::automatic) return color == When::always;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return terminal && !(term != nullptr && std::string_view(term) == "dumb");
}

bool Streams::shows_progress() const {
  if (progress != When::automatic) return progress == When::always;
  return error_is_terminal() && !quiet;
}

int Streams::out_width() const {
  winsize size{};
  if (!out_is_terminal() || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace kr::cli
