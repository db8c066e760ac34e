// `# kr: allow(code, …) reason`: findings that a file allows.
//
// After other text it applies to that line; alone on a line, to the next declaration or rule;
// `allow-file` applies to the file. Errors that prevent loading cannot be allowed.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.hpp"
#include "syntax/ast.hpp"

namespace kr::lint {

class Suppressions {
 public:
  Suppressions(const source::SourceMap& sources, const syntax::File& tree);

  /// Removes the allowed findings of this file, and adds findings about the allows themselves: no
  /// reason, unused, unknown code. Keeps the order. Without `infos`, not all infos were searched,
  /// so an unused allow of an info is not reported.
  void apply(std::vector<diag::Diagnostic>& findings, bool infos);
  /// Only removes allowed findings.
  void filter(std::vector<diag::Diagnostic>& findings);

 private:
  struct Code {
    std::string written;
    const diag::CodeInfo* info = nullptr;  // null: unknown code
    source::Span span;
    bool used = false;  // it removed a finding
  };
  struct Allow {
    source::Span comment;
    std::vector<Code> codes;
    bool reason = false;
    uint32_t begin = 0;  // applies to findings that begin in [begin, end)
    uint32_t end = 0;
  };

  void read(const syntax::Comment& comment);
  void settle(Allow& allow, bool file) const;
  diag::Edit without(const Allow& allow, size_t code) const;

  const source::SourceMap& sources_;
  const syntax::File& tree_;
  std::vector<source::Span> items_;  // declarations and rules, by start, the longer first
  std::vector<Allow> allows_;
};

}  // namespace kr::lint
