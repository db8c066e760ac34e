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
#include "lint/kept.hpp"
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
  bool keeps = true;     // its findings depend on no other file than those that it uses
  sema::ReadRules read;  // until it is loaded
  match::CompiledRules rules;
  diag::Sink loaded;
  Hash128 digest;              // of what was read
  std::set<Declaration> used;  // that its files use of each other
  Hash128 found_by;            // the digest of that and of the options
  std::vector<diag::Diagnostic> findings;
  FixResult fixed;
  prove::ProofMemo proofs;

  bool is_loaded() const { return read.rules == nullptr; }
  /// Without a Program until it is loaded.
  const sema::LoadedRules& files() const { return is_loaded() ? *rules.rules : *read.rules; }
  const sema::LoadedFile& root() const { return files().files.front(); }
};

void read_unit(Unit& unit, const source::Library& library, const LintFilesOptions& options) try {
  unit.read = sema::read_rules({unit.name}, library, unit.loaded, options.overlay);
  unit.digest = digest_of(unit.read);
  unit.digest.add(options.lint.infos ? 1 : 0);  // only then are its expressions compiled
} catch (const Error& error) {
  unit.unreadable = error;
}

void load_unit(Unit& unit, const LintFilesOptions& options) try {
  auto rules = sema::resolve_rules(std::move(unit.read), unit.loaded);
  unit.rules = compile_for_lint(std::move(rules), options.lint.infos, options.cache, unit.loaded);
  unit.broken = unit.loaded.has_errors();
  if (!unit.broken) unit.used = used_declarations(*unit.rules.rules, true);
} catch (const Error& error) {
  unit.unreadable = error;
}

/// Two files that define engines with the same name.
struct EngineClash {
  Unit* first;
  source::Span there;
  Unit* later;
  const syntax::Word* engine;
};

std::vector<EngineClash> clashes_in(std::vector<Unit>& units) {
  std::vector<EngineClash> clashes;
  std::map<std::string, std::pair<Unit*, source::Span>> engines;
  for (Unit& unit : units) {
    if (!unit.compared) continue;
    for (const syntax::Engine& engine : unit.root().tree.engines) {
      const auto [at, added] =
          engines.emplace(engine.name.text, std::pair(&unit, engine.name.span));
      const auto& [first, span] = at->second;
      if (!added && first != &unit) clashes.push_back({first, span, &unit, &engine.name});
    }
  }
  return clashes;
}

/// Reports it at the later file.
void report_clash(const EngineClash& clash) {
  const source::SourceMap& others = clash.first->files().sources;
  // Copy the text of the other place into these sources, to show it.
  source::SourceMap& own = clash.later->rules.rules->sources;
  const source::FileId there =
      own.add(others.path(clash.there.file), std::string(others.text(clash.there.file)));
  clash.later->loaded
      .add(diag::code::duplicate_engine, clash.engine->span, clash.engine->text,
           others.place(clash.there))
      .related({there, clash.there.begin, clash.there.end}, "the other one")
      .help(
          "give one of them another name; to build on an engine, `use` its file and extend "
          "its models");
}

/// The declarations that the files use from each other.
std::vector<Used> used_by_all(const std::vector<Unit>& units) {
  // Most files use the same others.
  std::map<std::string, std::string> paths;
  std::set<Used> all;
  for (const Unit& unit : units) {
    for (const Declaration& one : unit.used) {
      const sema::LoadedFile& file = unit.files().files[one.module.index];
      const auto [at, added] = paths.try_emplace(file.path.string());
      if (added || file.path.empty()) at->second = usage_path(unit.files(), file);
      all.insert({at->second, one.noun, one.name});
    }
  }
  return {all.begin(), all.end()};
}

/// Those of them that are in one file.
std::span<const Used> used_of(const std::vector<Used>& all, const Unit& unit) {
  const std::string path = usage_path(unit.files(), unit.root());
  const auto first = std::ranges::lower_bound(all, path, {}, &Used::file);
  return {first, std::ranges::upper_bound(first, all.end(), path, {}, &Used::file)};
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

/// Takes what an earlier run knew of the file's uses. False if it is not known.
bool recall_used(Unit& unit, const Kept& kept) {
  const auto bytes = unit.loaded.has_errors() ? std::nullopt : kept.find(unit.digest);
  if (!bytes) return false;
  auto used = declarations_from(*bytes, unit.files().sources);
  if (used) unit.used = std::move(*used);
  return used.has_value();
}

/// The same of what it found.
bool recall(Unit& unit, const Kept& kept) {
  const auto bytes = kept.find(unit.found_by);
  if (!bytes) return false;
  auto findings = findings_from(*bytes, unit.files().sources);
  if (findings) unit.findings = std::move(*findings);
  return findings.has_value();
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

/// Lints what is not known from an earlier run.
void lint_units(const std::vector<Unit*>& units, const std::vector<EngineClash>& clashes,
                const source::Library& library, const LintFilesOptions& options) {
  if (units.empty()) return;
  in_parallel(units.size(), [&](size_t i) {
    if (units[i]->is_loaded()) return;
    load_unit(*units[i], options);
    if (units[i]->unreadable) throw Error(*units[i]->unreadable);
  });
  for (const EngineClash& clash : clashes) report_clash(clash);
  ProofCache proofs(options.cache);
  in_parallel(units.size(), [&](size_t i) {
    units[i]->proofs = prove::ProofMemo(proofs.known());
    lint_unit(*units[i], library, options);
  });
  for (const Unit* unit : units) proofs.add(unit->proofs.kept());
  proofs.write();
}

/// Keeps what is known of a file now, for other runs.
void keep(const Unit& unit, Kept& kept) {
  const auto add = [&kept](const Hash128& digest, const auto& what) {
    const auto known = kept.find(digest);
    kept.add(digest, known ? std::string(*known) : to_bytes(what));
  };
  add(unit.digest, unit.used);
  add(unit.found_by, unit.findings);
}

/// `rulesets/gputrc2graph.kr`, of kr or of a checkout: it redefines engines of other rulesets, like
/// the tool of the same name.
bool redefines_engines(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  return whole.filename() == "gputrc2graph.kr" && whole.parent_path().filename() == "rulesets";
}

}  // namespace

LintedFiles lint_files(const std::vector<std::string>& names, const source::Library& library,
                       const LintFilesOptions& options) {
  std::vector<Unit> units(names.size());
  // Fixes need the rules themselves.
  const bool keeps = options.fixes == LintFilesOptions::Fixes::none;
  Kept kept(keeps ? options.cache : std::nullopt);
  in_parallel(names.size(), [&](size_t i) {
    units[i].name = names[i];
    read_unit(units[i], library, options);
    if (!units[i].unreadable && !recall_used(units[i], kept)) load_unit(units[i], options);
  });
  LintedFiles result;
  for (Unit& unit : units) {
    if (unit.unreadable) result.unreadable.push_back(*unit.unreadable);
  }
  result.failed = !result.unreadable.empty();
  std::erase_if(units, [](const Unit& unit) { return unit.unreadable.has_value(); });
  for (Unit& unit : units) unit.compared = !redefines_engines(unit.root().path);
  const std::vector<EngineClash> clashes = clashes_in(units);
  LintFilesOptions shared = options;
  // Accidental matches of short texts are only likely findings, and take long to find.
  if (options.lint.infos) {
    std::ranges::move(sema::names_in_tests(library), std::back_inserter(shared.lint.known_names));
  }
  shared.lint.used_elsewhere = used_by_all(units);
  for (const EngineClash& clash : clashes) clash.later->keeps = false;
  std::vector<Unit*> open;
  for (Unit& unit : units) {
    if (unit.broken) unit.keeps = false;
    unit.found_by = digest_of(unit.digest, shared.lint, used_of(shared.lint.used_elsewhere, unit));
    if (!unit.keeps || !recall(unit, kept)) open.push_back(&unit);
  }
  result.recalled = units.size() - open.size();
  lint_units(open, clashes, library, shared);
  for (const Unit& unit : units) {
    if (unit.keeps) keep(unit, kept);
  }
  kept.write();

  Merger merger(result);
  for (Unit& unit : units) {
    result.failed = result.failed || unit.broken;
    const source::SourceMap& sources = unit.files().sources;
    if (unit.fixed.count > 0) {
      result.fixes += unit.fixed.count;
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
    merger.take(sources, std::move(unit.findings));
  }
  return result;
}

}  // namespace kr::lint
