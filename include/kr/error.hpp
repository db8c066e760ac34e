// Exceptions of kr. Error: a file is missing, a trace is damaged, a disk is full; the message names
// the remedy. InternalError: kr itself is wrong.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

namespace kr {

class Error : public std::exception {
 public:
  /// Where in the file it is: a line or a byte offset, or neither.
  struct Place {
    std::optional<uint64_t> line;    // from 1
    std::optional<uint64_t> offset;  // bytes from 0, in the decompressed text
  };

  /// `why` says what was seen, `remedy` what to do about it (may be empty).
  /// Both lower case, without a full stop. `path` may be empty where no file is concerned.
  Error(std::string path, Place place, std::string why, std::string remedy = {});
  Error(std::string path, std::string why, std::string remedy = {})
      : Error(std::move(path), Place{}, std::move(why), std::move(remedy)) {}

  const std::string& path() const noexcept { return path_; }
  const Place& place() const noexcept { return place_; }
  const std::string& why() const noexcept { return why_; }
  const std::string& remedy() const noexcept { return remedy_; }
  /// `path:line: why` or `path: at byte N: why`, then `; remedy`.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string path_;
  Place place_;
  std::string why_;
  std::string remedy_;
  std::string text_;
};

/// A check inside kr failed. What was being computed is lost; other objects remain usable.
class InternalError : public std::logic_error {
 public:
  InternalError(const char* condition, const char* file, int line);

  const char* condition() const noexcept { return condition_; }
  const char* file() const noexcept { return file_; }
  int line() const noexcept { return line_; }

 private:
  const char* condition_;
  const char* file_;
  int line_;
};

}  // namespace kr
