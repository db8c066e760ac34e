#include "streams.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/input_files.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace kr::cli {

namespace {

constexpr size_t longest_color = 24;  // bytes of kr's own, with room

/// Length of a colour (`ESC [ 1 ; 31 m`) at the head of `text`; 0: there is none; nothing: it may
/// be one that goes on.
std::optional<size_t> color_at(std::string_view text) {
  if (!text.starts_with('\x1b')) return 0;
  if (text.size() == 1) return std::nullopt;
  if (text[1] != '[') return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  if (end == text.npos)
    return text.size() < longest_color ? std::nullopt : std::optional(size_t{0});
  return text[end] == 'm' ? end + 1 : 0;
}

/// Whether a text may be the begin of a character of UTF-8, and no more.
bool is_begin_of_character(std::string_view text) {
  const auto head = static_cast<unsigned char>(text[0]);
  const size_t length = head >= 0xf0 ? 4 : head >= 0xe0 ? 3 : head >= 0xc2 ? 2 : 0;
  return text.size() < length && std::all_of(text.begin() + 1, text.end(), continues_character);
}

}  // namespace

std::string Streams::for_terminal(std::string_view text) {
  const std::string whole = std::exchange(kept_, {}) + std::string(text);
  std::string shown;
  shown.reserve(whole.size());
  for (std::string_view rest = whole; !rest.empty();) {
    const std::optional<size_t> color = color_out() ? color_at(rest) : 0;
    if (!color || is_begin_of_character(rest)) {
      kept_ = rest;
      break;
    }
    const Glyph glyph = *color > 0 || rest[0] == '\n' ? Glyph{std::max<size_t>(*color, 1), {}, 0}
                                                      : first_glyph(rest);
    shown += glyph.shown.empty() ? rest.substr(0, glyph.bytes) : glyph.shown;
    rest.remove_prefix(glyph.bytes);
  }
  return shown;
}

void Streams::out(std::string_view text) {
  if (!out_file_ && ::fstat(STDOUT_FILENO, &out_file_.emplace()) != 0) *out_file_ = {};
  // Emptied or not by the shell before kr began, what is left of it was read.
  if (InputFiles::has(*out_file_)) {
    throw Error("standard output", "is a file that this run reads and would overwrite",
                "write to another file");
  }
  if (S_ISCHR(out_file_->st_mode) && out_is_terminal()) {
    write_out(for_terminal(text));
  } else {
    write_out(text);
  }
}

void Streams::write_out(std::string_view text) {
  clear_progress();
  if (!unread_ && std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) failed();
}

void Streams::finish() {
  clear_progress();
  if (!kept_.empty()) write_out(printable(std::exchange(kept_, {})));
  if (!unread_ && std::fflush(stdout) != 0) failed();
}

void Streams::failed() {
  if (errno != EPIPE) {
    throw Error("standard output", fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  unread_ = true;
}

void Streams::raw_error(std::string_view text) {
  clear_progress();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Streams::progress_line(std::string_view text) {
  raw_error(fmt::format("\r{}\x1b[K", printable(text)));
  progress_shown_ = true;
}

void Streams::clear_progress() {
  if (std::exchange(progress_shown_, false)) raw_error("\r\x1b[K");
}

void Streams::line(std::string_view head, std::string_view ansi, std::string_view text) {
  std::fflush(stdout);
  raw_error(color_error()
                ? fmt::format("{}: \x1b[{}m{}\x1b[0m{}\n", program, ansi, head, printable(text))
                : fmt::format("{}: {}{}\n", program, head, printable(text)));
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
