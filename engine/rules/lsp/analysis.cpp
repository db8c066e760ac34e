#include "lsp/analysis.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "lint/lint.hpp"

namespace kr::lsp {

Analysis::Analysis(const std::string& path, const source::Library& library, const Editor& editor) {
  compiled_.rules = sema::load_rules({path}, library, loaded_, editor.text);
  compiled_.named = true;
  files_.reserve(rules().files.size());
  for (const sema::LoadedFile& file : rules().files) {
    PerFile& made = files_.emplace_back();
    if (!file.path.empty()) {
      made.path = real_path(file.path);
      made.uri = editor.uri(file.path);
    }
    made.symbols = symbols_of(file.tree, scope());
    made.lines = Lines(sources().text(file.file));
  }
}

bool Analysis::reads(const std::filesystem::path& path) const {
  return std::any_of(files_.begin(), files_.end(),
                     [&](const PerFile& file) { return file.path == path; });
}

std::vector<diag::Diagnostic> Analysis::lint(Remembered& remembered,
                                             std::vector<lint::Used> used_elsewhere,
                                             const std::atomic<bool>* stop) {
  if (!compiled_.database) {
    compiled_.database = match::Database::of_automata(program(), remembered.matches);
  }
  lint::LintOptions options;
  options.infos = false;  // they take too long while a person types
  options.used_elsewhere = std::move(used_elsewhere);
  options.proofs = &remembered.proofs;
  options.stop = stop;
  return lint::lint_rules(compiled_, options, loaded_);
}

Range Analysis::range(source::Span span, Encoding encoding) const {
  const std::string_view text = sources().text(span.file);
  const Lines& lines = files_[span.file.index].lines;
  return {lines.place(text, span.begin, encoding), lines.place(text, span.end, encoding)};
}

prove::Prover& Analysis::prover() {
  if (!prover_) {
    formulas_ = std::make_unique<prove::Formulas>();
    // A person waits for the answer, and other requests wait too.
    prover_ = std::make_unique<prove::Prover>(
        *formulas_, prove::Budget{.states = 50000, .all = 500000, .within = 6});
  }
  return *prover_;
}

std::optional<sema::RuleId> Analysis::rule_at(source::Span span) const {
  uint32_t index = 0;
  for (const sema::Rule& rule : program().rules) {
    if (rule.span == span) return sema::RuleId{index};
    ++index;
  }
  return std::nullopt;
}

void Check::run() noexcept {
  try {
    findings = analysis->lint(*remembered, used_elsewhere, stop.get());
  } catch (const InternalError&) {
    failure = std::current_exception();
  } catch (const std::exception& error) {
    trouble = error.what();
  }
}

}  // namespace kr::lsp
