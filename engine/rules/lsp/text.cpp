#include "lsp/text.hpp"

#include <algorithm>

#include "base/integer.hpp"
#include "base/uri.hpp"
#include "base/utf8.hpp"

namespace kr::lsp {
namespace fs = std::filesystem;
namespace {

/// The units of a character with this many bytes.
uint32_t units(size_t bytes, Encoding encoding) {
  if (encoding == Encoding::utf8) return static_cast<uint32_t>(bytes);
  return bytes == 4 ? 2 : 1;
}

/// Bytes of the character at a place; a byte that is not UTF-8 is a character.
size_t character(std::string_view text, size_t at) {
  return std::max<size_t>(1, utf8_length(text, at));
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const auto byte = integer_from<uint8_t>(text.substr(at + 1, 2), 16);
    // The system would end a path at a NUL byte.
    if (!byte || *byte == 0) return std::nullopt;
    out += static_cast<char>(*byte);
    at += 2;
  }
  return out;
}

}  // namespace

Lines::Lines(std::string_view text) {
  for (size_t at = text.find_first_of("\r\n"); at != text.npos;
       at = text.find_first_of("\r\n", at)) {
    at += text.substr(at, 2) == "\r\n" ? 2 : 1;
    starts_.push_back(at);
  }
}

std::pair<size_t, size_t> Lines::line(std::string_view text, uint32_t number) const {
  if (number >= starts_.size()) return {text.size(), text.size()};
  const size_t begin = starts_[number];
  size_t end = number + 1 < starts_.size() ? starts_[number + 1] : text.size();
  while (end > begin && (text[end - 1] == '\n' || text[end - 1] == '\r')) --end;
  return {begin, end};
}

size_t Lines::offset(std::string_view text, Place place, Encoding encoding) const {
  if (place.line >= starts_.size()) return text.size();
  auto [at, end] = line(text, place.line);
  uint32_t column = 0;
  while (at < end && column < place.column) {
    const size_t bytes = character(text, at);
    column += units(bytes, encoding);
    if (column > place.column) break;
    at += bytes;
  }
  return std::min(at, end);
}

Place Lines::place(std::string_view text, size_t offset, Encoding encoding) const {
  offset = std::min(offset, text.size());
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto number = static_cast<uint32_t>(after - starts_.begin() - 1);
  // A place inside a line break is the end of the line.
  offset = std::min(offset, line(text, number).second);
  uint32_t column = 0;
  for (size_t at = *(after - 1); at < offset;) {
    const size_t bytes = character(text, at);
    if (at + bytes > offset) break;
    column += units(bytes, encoding);
    at += bytes;
  }
  return {number, column};
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text, at);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++at;
    } else {
      out += text.substr(at, length);
      at += length;
    }
  }
  return out;
}

fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : real;
}

std::optional<fs::path> path_of(std::string_view uri) {
  constexpr std::string_view scheme = "file:";
  if (!uri.starts_with(scheme)) return std::nullopt;
  uri.remove_prefix(scheme.size());
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const size_t slash = uri.find('/');
    if (slash == uri.npos) return std::nullopt;
    const std::string_view host = uri.substr(0, slash);
    if (!host.empty() && host != "localhost") return std::nullopt;
    uri.remove_prefix(slash);
  }
  if (!uri.starts_with('/')) return std::nullopt;
  const auto path = decoded(uri.substr(0, uri.find_first_of("?#")));
  if (!path || path->find('\0') != std::string::npos) return std::nullopt;
  return real_path(*path);
}

std::string uri_of(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return "file://" + uri_path((error ? path : whole).string());
}

}  // namespace kr::lsp
