// The lines of a layout: code and trailing comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kr::layout {

inline constexpr size_t page_width = 100;

class Page {
 public:
  /// The column of the next text.
  size_t column() const;
  size_t lines() const { return lines_.size(); }
  /// Whether the last line has code and no comment.
  bool takes_comment() const;

  /// Begins a line; an empty last line only gets the new indentation.
  void newline(size_t indent);
  /// Adds a blank line before the current line, unless a block or the file begins there.
  void blank();
  void add(std::string_view text);
  void pad(size_t column);
  /// Adds a comment after the code of the last line.
  void trail(std::string_view comment);
  /// Adds a comment on its own line.
  void comment(std::string_view text);

  /// The text. Trailing comments of adjacent lines are in one column.
  std::string text() const;

 private:
  struct Line {
    size_t indent = 0;
    std::string code;
    std::string_view trailing;
    bool blank_before = false;
    bool ended = false;  // by a comment
  };
  std::vector<Line> lines_;
};

}  // namespace kr::layout
