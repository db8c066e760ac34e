// `# kr: allow(code, …) reason`: findings that a file knows about.
//
// On a line with other text it speaks for that line; alone on a line, for the next declaration or
// rule; `allow-file` for the file. Errors that stop loading cannot be allowed: they never come
// here.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.hpp"
#include "syntax/ast.hpp"

namespace kr::lint {

class Suppressions {
 public:
  Suppressions(const source::SourceMap& sources, const syntax::File& tree);

  /// Takes out what is allowed in this file, and adds what is wrong with the allows themselves:
  /// no reason, nothing to allow, no such code. Stays sorted. Without `infos` they were not all
  /// looked for, and allowing one is no mistake.
  void apply(std::vector<diag::Diagnostic>& findings, bool infos) const;
  /// Only takes out.
  void filter(std::vector<diag::Diagnostic>& findings) const;

 private:
  struct Code {
    std::string written;
    const diag::CodeInfo* info = nullptr;  // null: there is no such code
    source::Span span;
  };
  struct Allow {
    source::Span comment;
    std::vector<Code> codes;
    bool reason = false;
    uint32_t begin = 0;  // it speaks for findings that begin in [begin, end)
    uint32_t end = 0;
  };

  void read(const syntax::Comment& comment);
  void settle(Allow& allow, bool file) const;
  diag::Edit without(const Allow& allow, size_t code) const;
  std::vector<bool> take_out(std::vector<diag::Diagnostic>& findings, std::vector<bool> used) const;

  const source::SourceMap& sources_;
  const syntax::File& tree_;
  std::vector<source::Span> items_;  // declarations and rules, by begin, the longer first
  std::vector<Allow> allows_;
};

}  // namespace kr::lint
