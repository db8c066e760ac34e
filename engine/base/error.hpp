// What the world does wrong: a missing file, a broken trace, a full disk. Thrown where it is met,
// caught once, in `main`, which prints it and exits with 2.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
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

}  // namespace kr
