// Quick fixes: the edits that findings carry, and a comment that allows a finding.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lsp/features.hpp"

namespace kr::lsp {
namespace {

struct Change {
  Range range;
  std::string text;
};
using Changes = std::map<std::string, std::vector<Change>>;  // by URI

class Actions {
 public:
  Actions(Question& question, Writer& out)
      : document_(question.document),
        analysis_(analysis_of(question)),
        encoding_(question.encoding),
        out_(out) {}

  void fix(const diag::Diagnostic& finding) {
    if (!finding.fix || finding.fix->edits.empty()) return;
    Changes changes;
    for (const diag::Edit& edit : finding.fix->edits) {
      const std::string& uri = analysis_.uri(edit.span.file);
      if (uri.empty()) return;
      changes[uri].push_back({analysis_.range(edit.span, encoding_), edit.text});
    }
    const bool safe = finding.fix->safe;
    write(safe ? title(finding) : title(finding) + " (changes the meaning)", finding, changes,
          safe);
  }

  /// Errors of loading cannot be allowed.
  void allow(const diag::Diagnostic& finding) {
    if (!analysis_.loaded()) return;
    // Only a line feed ends a line of a rules file. After a lone carriage return, the comment would
    // include the rest of the line.
    const std::string_view text = analysis_.text();
    const size_t begin = text.substr(0, finding.span.begin).rfind('\n') + 1;  // npos + 1 is 0
    size_t end = std::min(text.find('\n', finding.span.begin), text.size());
    while (end > begin && text[end - 1] == '\r') --end;
    // A second comment on the line would be part of the first.
    for (const syntax::Comment& comment : analysis_.tree().comments) {
      if (comment.span.begin >= begin && comment.span.begin < end) return;
    }
    const auto at = static_cast<uint32_t>(end);
    Changes changes;
    changes[document_.document.uri].push_back(
        {analysis_.range({analysis_.root().file, at, at}, encoding_),
         fmt::format("  # kr: allow({}) say why", finding.code->name)});
    write(fmt::format("Allow {} here, with a reason", finding.code->name), finding, changes, false);
  }

 private:
  static std::string title(const diag::Diagnostic& finding) {
    if (!finding.help_.empty()) return "Fix: " + finding.help_;
    return fmt::format("Fix {}", finding.code->name);
  }

  void write(const std::string& title, const diag::Diagnostic& finding, const Changes& changes,
             bool preferred) {
    out_.open('{');
    out_.key("title").text(title);
    out_.key("kind").text("quickfix");
    out_.key("isPreferred").boolean(preferred);
    out_.key("diagnostics").open('[');
    write_diagnostic(document_, finding, encoding_, out_);
    out_.close(']');
    out_.key("edit").open('{');
    out_.key("changes").open('{');
    for (const auto& [uri, edits] : changes) {
      out_.key(uri).open('[');
      for (const Change& edit : edits) out_.edit(edit.range, edit.text);
      out_.close(']');
    }
    out_.close('}');
    out_.close('}');
    out_.close('}');
  }

  const OpenDocument& document_;
  const Analysis& analysis_;
  Encoding encoding_;
  Writer& out_;
};

}  // namespace

void write_code_actions(Question question, size_t end, Writer& out) {
  const Analysis& analysis = analysis_of(question);
  out.open('[');
  Actions actions(question, out);
  for (const diag::Diagnostic& finding : question.document.findings) {
    if (finding.span.file != analysis.root().file) continue;
    if (finding.span.begin > end || finding.span.end < question.offset) continue;
    actions.fix(finding);
    actions.allow(finding);
  }
  out.close(']');
}

}  // namespace kr::lsp
