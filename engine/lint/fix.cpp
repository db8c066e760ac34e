#include "lint/fix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lint/edits.hpp"
#include "lint/same_meaning.hpp"

namespace kr::lint {
namespace {

/// A fix may lay bare the next one; more rounds than that are not worth waiting for.
constexpr int max_rounds = 10;

/// Rules with some fixes made to them.
struct Attempt {
  std::unique_ptr<Rules> rules;
  Sink loaded;
  std::string failure;  // empty: it holds
};

Attempt attempt(const Rules& before, const std::vector<Fix>& fixes) {
  Attempt made;
  const FileId file = before.files.front().file;
  made.rules = reload(before, file, apply(before.sources.text(file), fixes), made.loaded);
  const bool safe =
      std::all_of(fixes.begin(), fixes.end(), [](const Fix& fix) { return fix.safe; });
  if (made.loaded.has_errors()) {
    made.failure = "the rules do not load with it";
  } else if (safe && !same_meaning(before.program, made.rules->program)) {
    made.failure = "it is not proven that the rules mean the same with it";
  }
  return made;
}

}  // namespace

std::unique_ptr<Rules> reload(const Rules& rules, FileId file, const std::string& text,
                              Sink& sink) {
  std::vector<SourceFile> files;
  files.reserve(rules.files.size());
  for (const LoadedFile& one : rules.files) {
    SourceFile made{rules.sources.path(one.file),
                    one.file == file ? text : std::string(rules.sources.text(one.file)),
                    one.root,
                    {}};
    for (const LoadedFile::Used& used : one.uses)
      made.uses.emplace_back(used.name, used.file.index);
    files.push_back(std::move(made));
  }
  auto loaded = load_rules(std::move(files), sink);
  // They are of the same files.
  for (size_t i = 0; i < rules.files.size(); ++i) loaded->files[i].path = rules.files[i].path;
  return loaded;
}

FixResult fix(CompiledRules& rules, std::vector<Diagnostic>& findings, const FixOptions& options) {
  FixResult result;
  const FileId file = rules.rules->files.front().file;
  const std::string before(rules.sources().text(file));
  for (int round = 0; round < max_rounds; ++round) {
    std::vector<Diagnostic> wanted = findings;
    std::erase_if(wanted,
                  [&](const Diagnostic& one) { return options.wanted && !options.wanted(one); });
    std::vector<Fix> fixes = compatible_fixes(wanted, file, options.unsafe);
    if (fixes.empty()) break;
    Attempt made = attempt(*rules.rules, fixes);
    if (!made.failure.empty()) {
      // One by one, to know which.
      std::vector<Fix> good;
      for (const Fix& one : fixes) {
        good.push_back(one);
        const Attempt alone = attempt(*rules.rules, good);
        if (alone.failure.empty()) continue;
        good.pop_back();
        const Position place = rules.sources().begin(one.edits.front().span);
        result.notes.push_back(fmt::format("{}:{}: a fix was taken back: {}",
                                           rules.sources().path(file), place.line, alone.failure));
      }
      if (good.empty()) break;
      made = attempt(*rules.rules, good);
      fixes = std::move(good);
    }
    result.count += fixes.size();
    rules = compile_for_lint(std::move(made.rules), options.cache, made.loaded);
    findings = lint_rules(rules, options.lint, made.loaded);
  }
  if (result.count > 0) result.before = before;
  return result;
}

}  // namespace kr::lint
