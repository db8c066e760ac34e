// URIs, texts, and places in these as in the protocol: lines and columns from 0, columns in the
// units that client and server agreed on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::lsp {

enum class Encoding : uint8_t { utf8, utf16 };
inline std::string_view to_string(Encoding encoding) noexcept {
  return encoding == Encoding::utf8 ? "utf-8" : "utf-16";
}

struct Place {
  uint32_t line = 0;
  uint32_t column = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Range {
  Place begin;
  Place end;
};

/// Where the lines of a text begin. Lines end at \n, \r\n or a lone \r, as in the protocol.
class Lines {
 public:
  Lines() = default;
  explicit Lines(std::string_view text);

  /// A place after the end of a line is its end, after the last line the end of the text, and
  /// inside a character the begin of the character.
  size_t offset(std::string_view text, Place place, Encoding encoding) const;
  Place place(std::string_view text, size_t offset, Encoding encoding) const;
  size_t count() const { return starts_.size(); }
  /// Bytes [begin, end) of a line, without its line break.
  std::pair<size_t, size_t> line(std::string_view text, uint32_t number) const;

 private:
  std::vector<size_t> starts_{0};
};

/// A text in the editor.
struct Document {
  std::string uri;
  int64_t version = 0;
  std::string text;
  Lines lines;

  void set(std::string all) {
    text = std::move(all);
    lines = Lines(text);
  }
  void replace(size_t begin, size_t end, std::string_view with) {
    text.replace(begin, end - begin, with);
    lines = Lines(text);
  }
};

/// Valid UTF-8: other bytes become U+FFFD.
std::string valid_utf8(std::string_view text);

/// `file:///a/b%20c.kr` as a canonical path, so that two spellings of one file are the same;
/// nullopt for another scheme, another machine, or a broken escape.
std::optional<std::filesystem::path> path_of(std::string_view uri);

/// The reverse; a relative path is relative to the working folder.
std::string uri_of(const std::filesystem::path& path);

/// A canonical path, as `path_of` returns it.
std::filesystem::path real_path(const std::filesystem::path& path);

}  // namespace kr::lsp
