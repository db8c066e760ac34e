// Comments, and the declarations that `##` blocks document.
#pragma once

#include <string_view>
#include <vector>

#include "syntax/ast.hpp"

namespace kr::syntax {

class Trivia {
 public:
  Trivia(std::string_view text, source::FileId file) : text_(text), file_(file) {}

  /// A comment from its `#` to the end of its line. A comment that was added before is ignored.
  void add(size_t begin, size_t end);

  /// The `##` block before `at`; only blanks and other comments may be between them.
  Doc before(size_t at) const;
  /// The `##` blocks from `from` to the first declaration, at `at`, that document the file: those
  /// with a blank line before the declaration, or all of them with `all`.
  Doc of_file(size_t from, size_t at, bool all) const;
  /// The end of the last byte before `at` that is neither blank nor part of a comment.
  size_t before_gap(size_t at) const;
  /// Whether a blank line separates the block from `at`.
  bool separated(size_t at) const;

  std::vector<Comment> take() { return std::move(comments_); }

 private:
  struct Block {
    size_t first = 0;  // comments [first, last)
    size_t last = 0;
    bool separated = false;  // a blank line follows it
  };
  Block block_before(size_t at) const;
  Doc text_of(size_t first, size_t last) const;
  bool alone(const Comment& comment) const;
  /// The number of line breaks in the blanks before `at`; sets `stop` to where these blanks begin.
  size_t breaks_before(size_t at, size_t& stop) const;

  std::string_view text_;
  source::FileId file_;
  std::vector<Comment> comments_;
};

}  // namespace kr::syntax
