// kr lint: checks rules.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/nearest.hpp"
#include "base/plural.hpp"
#include "base/unified_diff.hpp"
#include "diag/render.hpp"
#include "explain/explain.hpp"
#include "lint/lint_files.hpp"
#include "sema/load.hpp"
#include "session.hpp"
#include "source/text_file.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct LintArguments {
  std::vector<std::string> paths;
  std::string format = "human";
  std::string fail_level = "warning";
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  std::vector<std::string> severities;  // CODE=LEVEL
  std::vector<std::string> vocabulary;
  std::string names;
  bool fix = false;
  bool unsafe_fixes = false;
  bool diff = false;
  bool info = false;
  size_t effort = 1;
};

/// How findings name it.
constexpr const char* input_name = "<stdin>";

using Codes = std::vector<const diag::CodeInfo*>;

/// `KR301,unused-use`: codes and names.
Codes codes_of(const std::vector<std::string>& words, std::string_view option) {
  Codes codes;
  for (const std::string& word : words) {
    const diag::CodeInfo* info = explain::find_code_loosely(word);
    if (info == nullptr) {
      const auto near = explain::nearest_code(word);
      throw Error("", fmt::format("unknown check `{}` in {}", word, option),
                  near ? fmt::format("did you mean `{}`?", *near) : "see `kr list checks`");
    }
    codes.push_back(info);
  }
  return codes;
}

bool has_code(const Codes& codes, const diag::CodeInfo* code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

/// The files to lint, and standard input as one of them where it is meant.
std::vector<std::string> inputs_of(const LintArguments& options, const source::Library& library,
                                   lint::LintFilesOptions& how) {
  std::vector<std::string> paths = options.paths;
  const auto piped = std::find(paths.begin(), paths.end(), "-");
  if (piped == paths.end()) return rule_paths(paths, library);
  if (how.fixes != lint::LintFilesOptions::Fixes::none && !how.dry) {
    throw Error("", "standard input cannot be fixed in place",
                "show the fixes with --diff, or name a file");
  }
  if (options.names == "-") throw Error("", "standard input cannot be both rules and names");
  paths.erase(std::remove(paths.begin(), paths.end(), "-"), paths.end());
  std::vector<std::string> names;
  if (!paths.empty()) names = rule_paths(paths, library);
  names.emplace_back(input_name);
  how.overlay = [text = source::read_standard_input()](const std::filesystem::path& path) {
    return path == input_name ? std::optional(text) : std::nullopt;
  };
  return names;
}

const std::vector<std::string> severity_names{"error", "warning", "info"};

diag::Severity severity_of(const std::string& level) {
  return level == "error"     ? diag::Severity::error
         : level == "warning" ? diag::Severity::warning
                              : diag::Severity::info;
}

/// Other severities than those of the checks; nullopt: the finding is not shown.
using Severities = std::map<const diag::CodeInfo*, std::optional<diag::Severity>>;

Severities severities_of(const std::vector<std::string>& words) {
  Severities severities;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == word.npos) {
      throw Error("", fmt::format("`{}` in --severity has no level", word),
                  "write CODE=error, warning, info or off");
    }
    const std::string level =
        parse_choice(word.substr(equals + 1), "--severity", {"error", "warning", "info", "off"});
    for (const diag::CodeInfo* code : codes_of({word.substr(0, equals)}, "--severity")) {
      severities[code] = level == "off" ? std::nullopt : std::optional(severity_of(level));
    }
  }
  return severities;
}

lint::AgreedLabels vocabulary_of(const std::vector<std::string>& names, Streams& streams) {
  if (names.empty()) return {};
  const match::CompiledRules loaded = load_named(names, streams);
  lint::AgreedLabels agreed = lint::agreed_labels(*loaded.rules);
  if (agreed.empty()) {
    throw Error(names.front(), "has no `labels`, so it is not a vocabulary",
                "declare some: `labels substage { … }`");
  }
  return agreed;
}

diag::FindingFormat parse_format(const std::string& word) {
  const std::vector<std::string> names(diag::format_names.begin(), diag::format_names.end());
  return *diag::format_from(parse_choice(word, "--format", names));
}

/// `2 errors, 1 warning; fixed 3`.
std::string summary(const std::vector<diag::Diagnostic>& findings, size_t fixes, bool fixing) {
  size_t counts[3] = {};
  for (const diag::Diagnostic& one : findings) ++counts[static_cast<size_t>(one.severity)];
  std::string text;
  const auto add = [&text](const std::string& part) { text += text.empty() ? part : ", " + part; };
  if (counts[2] > 0) add(plural(counts[2], "error"));
  if (counts[1] > 0) add(plural(counts[1], "warning"));
  if (counts[0] > 0) add(plural(counts[0], "info"));
  if (text.empty()) text = "no findings";
  return fixing ? fmt::format("{}; fixed {}", text, fixes) : text;
}

/// What fixes would change.
Exit show_differences(const lint::LintedFiles& linted, Streams& streams) {
  for (const lint::FixedFile& file : linted.fixed) {
    streams.out(unified_diff(file.shown, file.before, file.shown, file.after));
  }
  streams.note(fmt::format("would fix {}", linted.fixes));
  return linted.fixed.empty() ? Exit::done : Exit::findings;
}

Exit lint(const LintArguments& options, Streams& streams) {
  const diag::FindingFormat format = parse_format(options.format);
  const diag::Severity level =
      severity_of(parse_choice(options.fail_level, "--fail-level", severity_names));
  const Severities severities = severities_of(options.severities);
  const Codes select = codes_of(options.select, "--select");
  const Codes ignore = codes_of(options.ignore, "--ignore");
  const source::Library& library = own_library();
  lint::LintFilesOptions how;
  how.lint.infos =
      options.info || level == diag::Severity::info || !select.empty() || !severities.empty();
  if (!options.names.empty()) how.lint.known_names = names_of_file(options.names);
  how.lint.vocabulary = vocabulary_of(options.vocabulary, streams);
  how.cache = cache_of_process(streams);
  how.lint.effort = options.effort;
  const bool fixing = options.fix || options.unsafe_fixes || options.diff;
  if (fixing) {
    how.fixes = options.unsafe_fixes ? lint::LintFilesOptions::Fixes::all
                                     : lint::LintFilesOptions::Fixes::safe;
  }
  how.dry = options.diff;
  const auto wanted = [&](const diag::Diagnostic& one, bool infos) {
    if (has_code(ignore, one.code)) return false;
    const auto changed = severities.find(one.code);
    if (changed != severities.end() && !changed->second) return false;
    const diag::Severity severity = changed != severities.end() ? *changed->second : one.severity;
    if (!select.empty()) return has_code(select, one.code);
    // They describe how rules are arranged, not what may be wrong: only on request by name.
    if (changed == severities.end() && (one.code == diag::code::partly_covered.info() ||
                                        one.code == diag::code::split_label.info())) {
      return false;
    }
    // That not all was checked is always reported.
    const bool always = one.code == diag::code::proof_budget_used_up.info();
    return infos || always || severity != diag::Severity::info;
  };
  const bool infos = options.info || level == diag::Severity::info;
  how.should_report = [&](const diag::Diagnostic& one) { return wanted(one, infos); };
  // What is not proven is said as an info, so those are meant.
  how.should_fix = [&](const diag::Diagnostic& one) {
    return wanted(one, infos || options.unsafe_fixes);
  };
  const std::vector<std::string> files = inputs_of(options, library, how);
  lint::LintedFiles linted = lint::lint_files(files, library, how);
  for (diag::Diagnostic& one : linted.findings) {
    const auto changed = severities.find(one.code);
    if (changed != severities.end() && changed->second) one.severity = *changed->second;
  }
  for (const Error& error : linted.unreadable) streams.error(error.what());
  if (linted.unreadable.size() == files.size()) return Exit::failed;
  for (const std::string& note : linted.notes) streams.warning(note);
  if (options.diff && (!linted.failed || !linted.fixed.empty())) {
    return show_differences(linted, streams);
  }
  streams.out(diag::render_findings(format, linted.sources, linted.findings,
                                    {.color = streams.color_out(),
                                     .version = KR_VERSION,
                                     .title = "kr lint",
                                     .page = explain::page_of}));
  if (format == diag::FindingFormat::human || fixing) {
    streams.note(summary(linted.findings, linted.fixes, fixing));
  }
  if (linted.failed) return Exit::failed;
  const bool found =
      std::any_of(linted.findings.begin(), linted.findings.end(),
                  [&](const diag::Diagnostic& one) { return one.severity >= level; });
  return found ? Exit::findings : Exit::done;
}

void add_lint_options(CLI::App& app, LintArguments& options) {
  app.add_option(
         "PATH", options.paths,
         "Rules files, folders, names of shipped rulesets; `-`: standard input (default: all "
         "that ship)")
      ->configurable();
  const auto code_of = [](const char* option) {
    return project_check([option](const std::string& word) { codes_of({word}, option); });
  };
  app.add_option("--format", options.format,
                 "human, concise, json, sarif, github or junit (default: human)")
      ->type_name("FORMAT")
      ->check(project_check(parse_format))
      ->configurable();
  app.add_flag("--fix", options.fix,
               "Apply fixes that provably keep the meaning, and those of errors that are certain");
  app.add_flag("--unsafe-fixes", options.unsafe_fixes,
               "Also apply fixes that may change the meaning, or are only likely");
  app.add_flag("--diff", options.diff, "Show what --fix would change; write nothing");
  app.add_option("--fail-level", options.fail_level,
                 "Exit with 1 on findings of at least this severity: error, warning or info "
                 "(default: warning)")
      ->type_name("LEVEL")
      ->check(project_check(
          [](const std::string& word) { parse_choice(word, "--fail-level", severity_names); }))
      ->configurable();
  app.add_flag("--info", options.info, "Also show findings of severity info")->configurable();
  app.add_option("--effort", options.effort,
                 "Prove with N times the default number of steps, which takes about 2 s per file "
                 "(default: 1)")
      ->type_name("N")
      ->check(whole_number(1))
      ->configurable();
  app.add_option("--select", options.select, "Show only these findings, by code or name")
      ->type_name("CODE,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(code_of("--select"))
      ->configurable();
  app.add_option("--ignore", options.ignore, "Hide these findings, by code or name")
      ->type_name("CODE,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(code_of("--ignore"))
      ->configurable();
  app.add_option(
         "--severity", options.severities,
         "Show a finding as an error, warning or info, or not at all (off), by code or name")
      ->type_name("CODE=LEVEL,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(project_check([](const std::string& word) { severities_of({word}); }))
      ->configurable();
  app.add_option("--vocabulary", options.vocabulary,
                 "A rules file whose `labels` are the only ones that rules may use in their "
                 "dimensions (repeatable)")
      ->type_name("FILE|NAME")
      ->allow_extra_args(false)
      ->configurable();
  app.add_option("--names", options.names,
                 "A file of kernel names, one per line, to find names that short texts match by "
                 "accident (`-`: standard input)")
      ->type_name("FILE")
      ->configurable();
}

}  // namespace

const Verb lint_verb{"lint", "check rules, prove which can never match, and fix them",
                     "kr lint rulesets/vllm.kr --fix", setup<LintArguments, add_lint_options, lint>,
                     "Rules"};

}  // namespace kr::cli
