#include "lint/fix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "lint/checks.hpp"
#include "prove/memo.hpp"

namespace kr::lint {
namespace {

/// A fix may enable the next one; more rounds take too long.
constexpr int max_rounds = 10;

/// Loads the same rules with another text of one file, from memory.
std::unique_ptr<sema::LoadedRules> reload(const sema::LoadedRules& rules, source::FileId file,
                                          const std::string& text, diag::Sink& sink) {
  std::vector<sema::SourceFile> files;
  files.reserve(rules.files.size());
  for (const sema::LoadedFile& one : rules.files) {
    sema::SourceFile made{rules.sources.path(one.file),
                          one.file == file ? text : std::string(rules.sources.text(one.file)),
                          one.root,
                          {}};
    for (const sema::LoadedFile::Used& used : one.uses)
      made.uses.emplace_back(used.name, used.file.index);
    files.push_back(std::move(made));
  }
  auto loaded = sema::load_rules(std::move(files), sink);
  // The files are the same.
  for (size_t i = 0; i < rules.files.size(); ++i) loaded->files[i].path = rules.files[i].path;
  return loaded;
}

/// Rules with some fixes applied.
struct Attempt {
  std::unique_ptr<sema::LoadedRules> rules;
  diag::Sink loaded;
  std::string failure;  // empty: success
};

Attempt attempt(const sema::LoadedRules& before, const std::vector<diag::Fix>& fixes,
                prove::Allowance& allowance) {
  Attempt made;
  const source::FileId file = before.files.front().file;
  made.rules = reload(before, file, apply(before.sources.text(file), fixes), made.loaded);
  const bool safe = std::ranges::all_of(fixes, [](const diag::Fix& fix) { return fix.safe; });
  if (made.loaded.has_errors()) {
    made.failure = "the rules do not load with it";
  } else if (safe && !same_meaning(before.program, made.rules->program, allowance)) {
    made.failure = "it is not proven that the rules keep their meaning";
  }
  return made;
}

/// Finds the fixes that can be applied: all at once if that works, otherwise each half separately,
/// so a bad fix among many is found in few attempts.
class Chooser {
 public:
  Chooser(const sema::LoadedRules& before, prove::Allowance& allowance,
          std::vector<std::string>& notes)
      : before_(before), allowance_(allowance), notes_(notes) {}

  /// Adds the fixes that work together with those chosen before.
  void choose(std::span<const diag::Fix> fixes) {
    if (fixes.empty()) return;
    const size_t before = chosen_.size();
    chosen_.insert(chosen_.end(), fixes.begin(), fixes.end());
    Attempt made = attempt(before_, chosen_, allowance_);
    if (made.failure.empty()) {
      last_ = std::move(made);
      return;
    }
    chosen_.resize(before);
    if (fixes.size() > 1) {
      choose(fixes.first(fixes.size() / 2));
      choose(fixes.subspan(fixes.size() / 2));
      return;
    }
    const source::Position place = before_.sources.begin(fixes.front().edits.front().span);
    notes_.push_back(fmt::format("{}:{}: a fix was undone: {}",
                                 before_.sources.path(before_.files.front().file), place.line,
                                 made.failure));
  }

  size_t count() const { return chosen_.size(); }
  /// The rules with all chosen fixes, if there are any.
  Attempt take() && { return std::move(last_); }

 private:
  const sema::LoadedRules& before_;
  prove::Allowance& allowance_;
  std::vector<std::string>& notes_;
  std::vector<diag::Fix> chosen_;
  Attempt last_;
};

/// Two insertions at the same place overlap too: their order would be arbitrary.
bool overlap(const diag::Edit& a, const diag::Edit& b) {
  if (a.span.begin == b.span.begin) return true;
  return a.span.begin < b.span.end && b.span.begin < a.span.end;
}

bool overlap(const diag::Fix& a, const diag::Fix& b) {
  return std::ranges::any_of(a.edits, [&](const diag::Edit& one) {
    return std::ranges::any_of(b.edits,
                               [&](const diag::Edit& other) { return overlap(one, other); });
  });
}

}  // namespace

std::vector<diag::Fix> compatible_fixes(const std::vector<diag::Diagnostic>& findings,
                                        source::FileId file, bool unsafe) {
  std::vector<diag::Fix> chosen;
  for (const diag::Diagnostic& finding : findings) {
    if (!finding.fix || finding.fix->edits.empty() || (!finding.fix->safe && !unsafe)) continue;
    const diag::Fix& fix = *finding.fix;
    const bool here = std::ranges::all_of(
        fix.edits, [&](const diag::Edit& edit) { return edit.span.file == file; });
    const bool free =
        std::ranges::none_of(chosen, [&](const diag::Fix& other) { return overlap(fix, other); });
    if (here && free) chosen.push_back(fix);
  }
  return chosen;
}

std::string apply(std::string_view text, const std::vector<diag::Fix>& fixes) {
  std::vector<const diag::Edit*> edits;
  for (const diag::Fix& fix : fixes) {
    for (const diag::Edit& edit : fix.edits) edits.push_back(&edit);
  }
  std::ranges::sort(edits, {}, [](const diag::Edit* edit) {
    return std::pair(edit->span.begin, edit->span.end);
  });
  std::string result;
  size_t at = 0;
  for (const diag::Edit* edit : edits) {
    result += text.substr(at, edit->span.begin - at);
    result += edit->text;
    at = edit->span.end;
  }
  return result += text.substr(at);
}

FixResult fix(match::CompiledRules& rules, std::vector<diag::Diagnostic>& findings,
              const LintFilesOptions& options) {
  FixResult result;
  const source::FileId file = rules.rules->files.front().file;
  const std::string before(rules.sources().text(file));
  prove::Allowance allowance = allowance_for(options.lint);
  // Most proofs stay the same from round to round.
  prove::ProofMemo own;
  LintOptions lint = options.lint;
  if (lint.proofs == nullptr) lint.proofs = &own;
  for (int round = 0; round < max_rounds; ++round) {
    std::vector<diag::Diagnostic> wanted = findings;
    std::erase_if(wanted, [&](const diag::Diagnostic& one) {
      return options.should_fix && !options.should_fix(one);
    });
    const bool unsafe = options.fixes == LintFilesOptions::Fixes::all;
    const std::vector<diag::Fix> fixes = compatible_fixes(wanted, file, unsafe);
    if (fixes.empty()) break;
    Chooser chooser(*rules.rules, allowance, result.notes);
    chooser.choose(fixes);
    if (chooser.count() == 0) break;
    result.count += chooser.count();
    Attempt made = std::move(chooser).take();
    rules = compile_for_lint(std::move(made.rules), lint.infos, options.cache, made.loaded);
    findings = lint_rules(rules, lint, made.loaded);
  }
  if (result.count > 0) result.before = before;
  return result;
}

}  // namespace kr::lint
