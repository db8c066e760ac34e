// Lines as they are laid out: code, and what is said behind it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kr::layout {

inline constexpr size_t page_width = 100;

class Page {
 public:
  /// The column at which the next text stands.
  size_t column() const;
  size_t lines() const { return lines_.size(); }
  /// Whether the last line has code and no comment yet.
  bool takes_comment() const;

  /// Begins a line; one that is still empty is indented anew.
  void newline(size_t indent);
  /// A blank line before the line just begun; none where a block or the file begins.
  void blank();
  void add(std::string_view text);
  void pad(size_t column);
  /// A comment behind the last line.
  void trail(std::string_view comment);
  /// A comment on the line just begun, and the end of that line.
  void comment(std::string_view text);

  /// The text. Comments behind neighbouring lines stand in one column.
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
