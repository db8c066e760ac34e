// Owns the texts of all rules files. A Span points into a text; lines and columns are computed only
// when something is printed.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.hpp"

namespace kr::source {

struct FileTag;
using FileId = Id<FileTag>;

/// Bytes [begin, end) of a file.
struct Span {
  FileId file;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool valid() const noexcept { return file.valid(); }
  uint32_t size() const noexcept { return end - begin; }
  friend bool operator==(Span, Span) = default;
};

/// From the start of `a` to the end of `b`, in one file.
inline Span join(Span a, Span b) {
  return {a.file, a.begin, b.end};
}

/// Line and byte column, both from 1.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
};

class SourceMap {
 public:
  /// `path` is the path shown in messages. Texts do not move: views into them stay valid as long as
  /// the map. Throws Error for a text of 4 GiB or more.
  FileId add(std::string path, std::string text);

  size_t size() const noexcept { return files_.size(); }
  const std::string& path(FileId file) const { return get(file).path; }
  std::string_view text(FileId file) const { return get(file).text; }
  std::string_view text(Span span) const { return text(span.file).substr(span.begin, span.size()); }
  Position position(FileId file, uint32_t offset) const;
  Position begin(Span span) const { return position(span.file, span.begin); }
  Position end(Span span) const { return position(span.file, span.end); }
  /// A line (from 1) without its line break.
  std::string_view line(FileId file, uint32_t number) const;
  /// `path:line`, the name of a rule in outputs.
  std::string place(Span span) const;

 private:
  struct File {
    std::string path;
    std::string text;
    std::vector<uint32_t> line_starts;
  };
  const File& get(FileId file) const;
  std::deque<File> files_;
};

}  // namespace kr::source
