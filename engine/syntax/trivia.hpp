// Comments, and which `##` blocks document what.
#pragma once

#include <string_view>
#include <vector>

#include "syntax/ast.hpp"

namespace kr::syntax {

class Trivia {
 public:
  Trivia(std::string_view text, source::FileId file) : text_(text), file_(file) {}

  /// A comment from its `#` to the end of its line. Those met a second time are left out.
  void add(size_t begin, size_t end);

  /// The `##` block that stands before `at`, nothing but blanks and other comments between.
  Doc before(size_t at) const;
  /// The `##` blocks before the first declaration, at `at`, that document the file: those that a
  /// blank line parts from it, all of them where `all` says so.
  Doc of_file(size_t at, bool all) const;
  /// The end of the last thing before `at` that is neither blank nor comment.
  size_t before_gap(size_t at) const;
  /// Whether the block before `at` is parted from it by a blank line.
  bool parted(size_t at) const;

  std::vector<Comment> take() { return std::move(comments_); }

 private:
  struct Block {
    size_t first = 0;  // comments [first, last)
    size_t last = 0;
    bool parted = false;  // a blank line between it and what follows
  };
  Block block_before(size_t at) const;
  Doc text_of(size_t first, size_t last) const;
  bool alone(const Comment& comment) const;
  /// Line breaks in the blanks before `at`; the place of the last other byte in `stop`.
  size_t breaks_before(size_t at, size_t& stop) const;

  std::string_view text_;
  source::FileId file_;
  std::vector<Comment> comments_;
};

}  // namespace kr::syntax
