// One document with all it uses: loaded, checked, and ready for questions.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lint/usage.hpp"
#include "lsp/symbols.hpp"
#include "lsp/text.hpp"
#include "match/compiled_rules.hpp"
#include "prove/prover.hpp"

namespace kr::lsp {

/// What is open beside the document, asked with any path that leads to it.
struct Editor {
  sema::Overlay text;
  /// What the editor calls the file; of one that is not open, its URI.
  std::function<std::string(const std::filesystem::path&)> uri;
};

class Analysis {
 public:
  /// `path` as load_rules takes it. Throws Error where it cannot be read.
  Analysis(const std::string& path, const source::Library& library, const Editor& editor);

  const sema::LoadedRules& rules() const { return *compiled_.rules; }
  const sema::Program& program() const { return rules().program; }
  const source::SourceMap& sources() const { return rules().sources; }
  const sema::LoadedFile& root() const { return rules().files.front(); }
  const syntax::File& tree() const { return root().tree; }
  std::string_view text() const { return sources().text(root().file); }
  /// What its files use of each other.
  std::set<lint::Used> used() const { return lint::used(rules(), *modules_, true); }
  const sema::Scope& scope() const { return modules_->scope(); }
  /// No error in it or in what it uses: the Program can be asked.
  bool loaded() const { return !loaded_.has_errors(); }
  const std::vector<diag::Diagnostic>& said() const { return loaded_.all(); }
  /// Whether the file is among those read, by its canonical path.
  bool reads(const std::filesystem::path& path) const;

  /// All that `kr lint` finds. Without errors only. Tests in the file are run without Hyperscan,
  /// whose databases take longer to compile than a person to type. Throws prove::Stopped once
  /// `stop` is set. By one thread, while another may ask the other questions.
  std::vector<diag::Diagnostic> lint(const std::shared_ptr<match::MatchMemo>& memo,
                                     prove::ProofMemo& proofs,
                                     std::vector<lint::Used> used_elsewhere,
                                     const std::atomic<bool>* stop);

  const std::vector<Symbol>& symbols(source::FileId file) const;
  const Lines& lines(source::FileId file) const;
  Range range(source::Span span, Encoding encoding) const;
  /// The URI of a file; empty where it has none (what kr brings along).
  const std::string& uri(source::FileId file) const;
  prove::Prover& prover();
  /// The rule of the Program that stands there; none for one that no engine uses.
  std::optional<sema::RuleId> rule_at(source::Span span) const;

 private:
  struct PerFile {
    std::filesystem::path path;  // canonical; empty: none
    std::string uri;             // the same
    std::vector<Symbol> symbols;
    Lines lines;
  };
  match::CompiledRules compiled_;
  diag::Sink loaded_;
  std::unique_ptr<lint::Modules> modules_;
  std::vector<PerFile> files_;
  std::unique_ptr<prove::Formulas> formulas_;
  std::unique_ptr<prove::Prover> prover_;
};

}  // namespace kr::lsp
