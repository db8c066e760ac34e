// One document with all files that it uses: loaded, and ready for checks and requests. A check runs
// on a thread of its own, so that the server can answer requests meanwhile.
#pragma once

#include <atomic>
#include <exception>
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
#include "match/memo.hpp"
#include "prove/memo.hpp"
#include "prove/prover.hpp"

namespace kr::lsp {

/// The other open documents, by any path to their file.
struct Editor {
  sema::Overlay text;
  /// The URI that the editor uses for the file, open or not.
  std::function<std::string(const std::filesystem::path&)> uri;
};

/// Results of matching and proving that are kept from edit to edit. One check at a time uses them.
struct Remembered {
  std::shared_ptr<match::MatchMemo> matches = std::make_shared<match::MatchMemo>();
  prove::ProofMemo proofs;
};

class Analysis {
 public:
  /// `path` as in load_rules. Throws Error if it cannot be read.
  Analysis(const std::string& path, const source::Library& library, const Editor& editor);

  const sema::LoadedRules& rules() const { return *compiled_.rules; }
  const sema::Program& program() const { return rules().program; }
  const source::SourceMap& sources() const { return rules().sources; }
  const sema::LoadedFile& root() const { return rules().files.front(); }
  const syntax::File& tree() const { return root().tree; }
  std::string_view text() const { return sources().text(root().file); }
  /// The declarations that its files use of each other.
  std::set<lint::Used> used() const { return lint::used(rules(), true); }
  const sema::Scope& scope() const { return *rules().scope; }
  /// No error in it or in the files that it uses: the Program is complete.
  bool loaded() const { return !loaded_.has_errors(); }
  /// The findings of loading.
  const std::vector<diag::Diagnostic>& load_findings() const { return loaded_.all(); }
  /// Whether it was read from this file, by the canonical path.
  bool reads(const std::filesystem::path& path) const;

  /// The findings of `kr lint`, if it is loaded(). Tests in the file run without Hyperscan, whose
  /// databases take too long to compile while a person types. Throws prove::Stopped after `stop` is
  /// set. One thread may call this while another calls the const functions.
  std::vector<diag::Diagnostic> lint(Remembered& remembered, std::vector<lint::Used> used_elsewhere,
                                     const std::atomic<bool>* stop);

  const std::vector<Symbol>& symbols(source::FileId file) const {
    return files_[file.index].symbols;
  }
  Range range(source::Span span, Encoding encoding) const;
  /// The URI of a file; empty if it has none (files that ship with kr).
  const std::string& uri(source::FileId file) const { return files_[file.index].uri; }
  prove::Prover& prover();
  /// The rule of the Program with this span; nullopt if no engine uses the rule.
  std::optional<sema::RuleId> rule_at(source::Span span) const;

 private:
  struct PerFile {
    std::filesystem::path path;  // canonical; may be empty
    std::string uri;             // empty if `path` is
    std::vector<Symbol> symbols;
    Lines lines;
  };
  match::CompiledRules compiled_;
  diag::Sink loaded_;
  std::vector<PerFile> files_;
  std::unique_ptr<prove::Formulas> formulas_;
  std::unique_ptr<prove::Prover> prover_;
};

struct Check {
  std::string uri;
  std::shared_ptr<Analysis> analysis;
  std::vector<lint::Used> used_elsewhere;
  std::shared_ptr<Remembered> remembered;
  /// Set by any thread: the findings are no longer needed.
  std::shared_ptr<std::atomic<bool>> stop = std::make_shared<std::atomic<bool>>(false);

  std::vector<diag::Diagnostic> findings;
  std::string trouble;         // why the check failed; empty if it did not
  std::exception_ptr failure;  // an InternalError, for the thread that finishes the check

  /// Sets `findings`, `trouble` or `failure`. May run on any thread while others read `analysis`.
  void run() noexcept;
};

}  // namespace kr::lsp
