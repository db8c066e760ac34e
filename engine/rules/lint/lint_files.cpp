#include "lint/lint_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>

#include "base/file.hpp"
#include "base/in_parallel.hpp"
#include "lint/checks.hpp"
#include "lint/fix.hpp"
#include "lint/suppress.hpp"
#include "match/cache.hpp"
#include "prove/memo.hpp"

namespace kr::lint {
namespace fs = std::filesystem;
namespace {

/// One file and its results.
struct Unit {
  std::string name;
  std::optional<Error> unreadable;
  bool broken = false;  // it did not load
  bool compared = true;
  match::CompiledRules rules;
  diag::Sink loaded;
  std::vector<diag::Diagnostic> findings;
  FixResult fixed;
  prove::ProofMemo proofs;

  const sema::LoadedFile& root() const { return rules.rules->files.front(); }
};

void load(Unit& unit, const source::Library& library, const LintFilesOptions& options) try {
  auto rules = sema::load_rules({unit.name}, library, unit.loaded, options.overlay);
  unit.rules = compile_for_lint(std::move(rules), options.lint.infos, options.cache, unit.loaded);
  unit.broken = unit.loaded.has_errors();
} catch (const Error& error) {
  unit.unreadable = error;
}

/// Reports two files that define engines with the same name, at the later one.
void compare_engines(std::vector<Unit>& units) {
  std::map<std::string, std::pair<const Unit*, source::Span>> engines;
  for (Unit& unit : units) {
    if (!unit.compared) continue;
    for (const syntax::Engine& engine : unit.root().tree.engines) {
      const auto [at, added] =
          engines.emplace(engine.name.text, std::pair(&unit, engine.name.span));
      const auto& [first, span] = at->second;
      if (added || first == &unit) continue;
      const source::SourceMap& others = first->rules.sources();
      // Copy the text of the other place into these sources, to show it.
      source::SourceMap& own = unit.rules.rules->sources;
      const source::FileId there =
          own.add(others.path(span.file), std::string(others.text(span.file)));
      unit.loaded
          .add(diag::code::duplicate_engine, engine.name.span, engine.name.text, others.place(span))
          .related({there, span.begin, span.end}, "the other one")
          .help(
              "give one of them another name; to build on an engine, `use` its file and extend "
              "its models");
    }
  }
}

/// The declarations that the files use from each other.
std::vector<Used> used_by_all(const std::vector<Unit>& units) {
  std::set<Used> all;
  for (const Unit& unit : units) {
    if (!unit.broken) all.merge(used(*unit.rules.rules, true));
  }
  return {all.begin(), all.end()};
}

/// Merges findings of several SourceMaps.
class Merger {
 public:
  explicit Merger(LintedFiles& into) : into_(into) {}

  void take(const source::SourceMap& sources, std::vector<diag::Diagnostic> findings) {
    std::map<source::FileId, source::FileId> files;
    const auto move = [&](source::Span& span) {
      if (!span.valid()) return;
      const auto [at, added] = files.try_emplace(span.file);
      if (added) at->second = file_of(sources, span.file);
      span.file = at->second;
    };
    for (diag::Diagnostic& finding : findings) {
      move(finding.span);
      for (diag::Related& related : finding.related_) move(related.span);
      if (finding.fix) {
        for (diag::Edit& edit : finding.fix->edits) move(edit.span);
      }
      for (diag::Fix& choice : finding.choices) {
        for (diag::Edit& edit : choice.edits) move(edit.span);
      }
      const source::Span span = finding.span;
      if (!seen_.insert({span.file, span.begin, span.end, finding.code, finding.message}).second) {
        continue;
      }
      into_.findings.push_back(std::move(finding));
    }
  }

 private:
  source::FileId file_of(const source::SourceMap& sources, source::FileId file) {
    std::vector<source::FileId>& known = files_[sources.path(file)];
    for (const source::FileId one : known) {
      if (into_.sources.text(one) == sources.text(file)) return one;
    }
    known.push_back(into_.sources.add(sources.path(file), std::string(sources.text(file))));
    return known.back();
  }

  LintedFiles& into_;
  std::map<std::string, std::vector<source::FileId>> files_;
  std::set<std::tuple<source::FileId, uint32_t, uint32_t, const diag::CodeInfo*, std::string>>
      seen_;
};

/// Versions of the prover share one file: creating the proofs again takes a second.
match::CacheFile proofs_in(const fs::path& folder) {
  return {folder, "proofs", ".krproofs"};
}

/// Keeps proofs from one `kr lint` to the next in the cache folder, and reads the installed proofs
/// of the shipped rules. Like the whole cache, they change no result.
class ProofCache {
 public:
  explicit ProofCache(const std::optional<match::Database::Cache>& cache) : cache_(cache) {
    if (!cache) return;
    prove::Proofs known;
    if (const auto made = cache->install.databases(); !made.empty()) {
      if (auto proofs = prove::proofs_from(proofs_in(made).read_installed(cache->install))) {
        known = std::move(*proofs);
      }
    }
    if (!cache->folder.empty()) {
      if (auto own = prove::proofs_from(proofs_in(cache->folder).read())) own_ = std::move(*own);
    }
    known.insert(own_.begin(), own_.end());
    known_ = std::make_shared<const prove::Proofs>(std::move(known));
  }

  const std::shared_ptr<const prove::Proofs>& known() const noexcept { return known_; }

  void add(const prove::Proofs& proven) {
    added_ += proven.size();
    // Bounds the size.
    if (own_.size() + proven.size() > prove::ProofMemo::max_kept) own_.clear();
    for (const auto& [question, proof] : proven) own_.insert_or_assign(question, proof);
  }

  /// Writes the new proofs, if there are any.
  void write() const noexcept {
    if (added_ == 0 || !cache_ || cache_->folder.empty()) return;
    try {
      proofs_in(cache_->folder).write(prove::to_bytes(own_));
    } catch (const std::exception&) {
      return;  // the next process proves again
    }
  }

 private:
  std::optional<match::Database::Cache> cache_;
  std::shared_ptr<const prove::Proofs> known_;
  prove::Proofs own_;  // those in the user's file
  size_t added_ = 0;
};

/// Applies the fixes of errors to the file, as long as each leaves fewer errors.
void fix_errors(Unit& unit, const source::Library& library, const LintFilesOptions& options) {
  constexpr int max_rounds = 10;
  const source::FileId file = unit.root().file;
  const std::string before(unit.rules.sources().text(file));
  std::string text = before;
  size_t count = 0;
  /// Whether the file has fewer errors with these fixes; then it has them.
  const auto attempt = [&](const std::vector<diag::Fix>& fixes) {
    std::string fixed = lint::apply(text, fixes);
    const fs::path path = unit.root().path;
    const sema::Overlay overlay = [&](const fs::path& asked) -> std::optional<std::string> {
      if (asked == path) return fixed;
      return options.overlay ? options.overlay(asked) : std::nullopt;
    };
    diag::Sink loaded;
    auto rules = sema::load_rules({unit.name}, library, loaded, overlay);
    if (loaded.errors() >= unit.loaded.errors()) return false;
    unit.rules = compile_for_lint(std::move(rules), options.lint.infos, options.cache, loaded);
    unit.loaded = std::move(loaded);
    text = std::move(fixed);
    count += fixes.size();
    return true;
  };
  for (int round = 0; round < max_rounds && unit.loaded.has_errors(); ++round) {
    std::vector<diag::Diagnostic> errors = unit.loaded.sorted();
    std::erase_if(errors, [&](const diag::Diagnostic& one) {
      return one.severity != diag::Severity::error ||
             (options.should_fix && !options.should_fix(one));
    });
    const std::vector<diag::Fix> fixes =
        compatible_fixes(errors, unit.root().file, options.fixes == LintFilesOptions::Fixes::all);
    if (fixes.empty()) break;
    if (attempt(fixes)) continue;
    // One of them does not help: the first that does goes alone, and the next round tries the rest.
    if (fixes.size() == 1 ||
        std::ranges::none_of(fixes, [&](const diag::Fix& one) { return attempt({one}); })) {
      break;
    }
  }
  unit.broken = unit.loaded.has_errors();
  unit.fixed.count = count;
  if (count > 0) unit.fixed.before = before;
}

void lint_unit(Unit& unit, const source::Library& library, LintFilesOptions options) {
  if (unit.broken && options.fixes != LintFilesOptions::Fixes::none) {
    fix_errors(unit, library, options);
  }
  if (unit.broken) {
    unit.findings = unit.loaded.sorted();
    // Errors cannot be allowed: they stop every command.
    const auto others = std::stable_partition(
        unit.findings.begin(), unit.findings.end(),
        [](const auto& one) { return one.severity == diag::Severity::error; });
    std::vector<diag::Diagnostic> rest(others, unit.findings.end());
    unit.findings.erase(others, unit.findings.end());
    for (const sema::LoadedFile& file : unit.rules.rules->files) {
      Suppressions(unit.rules.sources(), file.tree).filter(rest);
    }
    std::ranges::move(rest, std::back_inserter(unit.findings));
    return;
  }
  options.lint.proofs = &unit.proofs;
  unit.findings = lint_rules(unit.rules, options.lint, unit.loaded);
  if (options.fixes == LintFilesOptions::Fixes::none) return;
  const FixResult errors = std::move(unit.fixed);
  unit.fixed = fix(unit.rules, unit.findings, options);
  if (errors.count == 0) return;
  unit.fixed.count += errors.count;
  unit.fixed.before = errors.before;
}

}  // namespace

LintedFiles lint_files(const std::vector<std::string>& names, const source::Library& library,
                       const LintFilesOptions& options) {
  std::vector<Unit> units(names.size());
  in_parallel(names.size(), [&](size_t i) {
    units[i].name = names[i];
    load(units[i], library, options);
  });
  LintedFiles result;
  for (Unit& unit : units) {
    if (unit.unreadable) result.unreadable.push_back(*unit.unreadable);
  }
  result.failed = !result.unreadable.empty();
  std::erase_if(units, [](const Unit& unit) { return unit.unreadable.has_value(); });
  // It redefines engines of other rulesets, like the tool of the same name.
  const auto excluded = library.ruleset("gputrc2graph");
  for (Unit& unit : units) {
    std::error_code error;
    unit.compared = !excluded || !fs::equivalent(*excluded, unit.root().path, error);
  }
  compare_engines(units);
  LintFilesOptions shared = options;
  // Accidental matches of short texts are only likely findings, and take long to find.
  if (options.lint.infos) {
    std::ranges::move(sema::names_in_tests(library), std::back_inserter(shared.lint.known_names));
  }
  shared.lint.used_elsewhere = used_by_all(units);
  ProofCache kept(options.cache);
  in_parallel(units.size(), [&](size_t i) {
    units[i].proofs = prove::ProofMemo(kept.known());
    lint_unit(units[i], library, shared);
  });
  for (const Unit& unit : units) kept.add(unit.proofs.kept());
  kept.write();

  Merger merger(result);
  for (Unit& unit : units) {
    result.failed = result.failed || unit.broken;
    if (unit.fixed.count > 0) {
      result.fixes += unit.fixed.count;
      const source::SourceMap& sources = unit.rules.sources();
      result.fixed.push_back({unit.root().path, sources.path(unit.root().file),
                              std::move(unit.fixed.before),
                              std::string(sources.text(unit.root().file))});
      if (!options.dry) replace_file(unit.root().path, result.fixed.back().after);
    }
    for (std::string& note : unit.fixed.notes) result.notes.push_back(std::move(note));
    std::erase_if(unit.findings, [&](const diag::Diagnostic& one) {
      const bool stops = unit.broken && one.severity == diag::Severity::error;
      return options.should_report && !stops && !options.should_report(one);
    });
    group_untested(unit.findings);
    merger.take(unit.rules.sources(), std::move(unit.findings));
  }
  return result;
}

}  // namespace kr::lint
