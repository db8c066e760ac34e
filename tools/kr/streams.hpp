// Where a verb writes: results to standard output, everything else to standard error. Colour and
// progress only on a terminal, unless the user says otherwise.
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

namespace kr::cli {

enum class When : uint8_t { automatic, always, never };

class Streams {
 public:
  When color = When::automatic;
  When progress = When::automatic;
  bool quiet = false;          // no notes and warnings
  std::string program = "kr";  // what messages begin with

  /// To standard output. Throws Error where it cannot be written (a full disk). Nothing more is
  /// written once nobody reads it (`kr report … | head`): files of results are made all the same.
  /// On a terminal control bytes are shown as `\xNN`, whatever the format, but for kr's own
  /// colours.
  void out(std::string_view text);
  /// Flushes standard output, and throws like `out`.
  void finish();

  void error(std::string_view text);    // `PROGRAM: error: …`
  void warning(std::string_view text);  // `PROGRAM: warning: …`
  void note(std::string_view text);     // `PROGRAM: …`
  /// As it is, to standard error.
  void raw_error(std::string_view text);
  /// On standard error, until something else is written.
  void progress_line(std::string_view text);

  bool out_is_terminal() const;
  bool error_is_terminal() const;
  bool color_out() const { return wants_color(out_is_terminal()); }
  bool color_error() const { return wants_color(error_is_terminal()); }
  bool shows_progress() const;
  /// Columns of the terminal; 0 if standard output is not one.
  int out_width() const;

 private:
  void failed();
  void write_out(std::string_view text);
  std::string for_terminal(std::string_view text);
  bool wants_color(bool terminal) const;
  void clear_progress();
  void line(std::string_view head, std::string_view ansi, std::string_view text);

  bool progress_shown_ = false;
  bool unread_ = false;                  // the reader of standard output is gone
  std::optional<struct stat> out_file_;  // what standard output is, once it is written to
  std::string kept_;  // the end of what went to a terminal, until it is known how it goes on
};

}  // namespace kr::cli
