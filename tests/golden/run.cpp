// Golden cases: rules files that contain their expected diagnostics.
//
//   golden [--update] [FILE...]     without FILE: every *.kr and *.json in the folder of this
//   source
//
// The name of a case is its code and its subject: `KR101-missing-colon.kr`. A JSON case is
// imported; a case of KR354 is exported. The diagnostics of a line follow it as comments that begin
// with `#~`; they are removed before the file is parsed:
//
//   gemm "gemm"
//   #~   ^^^^^^ error KR110: ...     carets below the span, or its columns if carets are not
//   possible
//   #~ 1..5 error KR110: ...         (columns 1 and 2, tabs, bytes that are not ASCII);
//   #~ 3..+2:4 error KR110: ...      or over lines: to column 4 of the line two below
//   #~ -1: labels of `substage`      a related place: a line relative to this one,
//   #~ common.kr:3: declared here    or in another file
//   #~ example: aten::mm             the witness
//   #~ fix: `a` -> `b`               an edit (`unsafe fix` if it is not safe)
//   #~ help: write `:`
//
// `#--- NAME` begins another file of the same case, for `use "./NAME"`. `#~ stops: ...` at the
// start is the message of an Error that ended loading. For cases of KR3xx and KR4xx, all files are
// linted, and only findings of that code are shown. `--update` rewrites the files; review the
// changes. Every code of codes.def that is not retired must have a case.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sanitizer.hpp"
#include "convert/export.hpp"
#include "convert/import.hpp"
#include "golden/annotate.hpp"
#include "lint/lint_files.hpp"
#include "support/source_folder.hpp"

namespace fs = std::filesystem;
using namespace kr;

namespace {

/// A temporary folder for one run.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "kr-golden-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw Error(pattern, "a temporary folder cannot be made");
    }
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string without(std::string text, const std::string& what) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what)) {
    text.erase(at, what.size());
  }
  return text;
}

void forget(std::vector<diag::Diagnostic>& diagnostics, const std::string& folder) {
  for (diag::Diagnostic& diagnostic : diagnostics) {
    diagnostic.message = without(diagnostic.message, folder);
    diagnostic.help_ = without(diagnostic.help_, folder);
    for (diag::Related& related : diagnostic.related_)
      related.message = without(related.message, folder);
  }
}

/// Whether a code is of `kr lint`: such a case shows what lint says under that code alone, of all
/// its files.
bool is_lint(std::string_view code) {
  return code.starts_with("KR3") || code.starts_with("KR4");
}

bool is_info(std::string_view code) {
  const diag::CodeInfo* info = diag::find_code(code);
  return info != nullptr && info->severity == diag::Severity::info;
}

/// What the case at `path` should look like.
std::string expected(const fs::path& path, const std::string& text) {
  const std::vector<golden::Part> parts = golden::split(path.filename().string(), text);
  Scratch scratch;
  std::map<std::string, std::string> shown;
  for (const golden::Part& part : parts) {
    const fs::path file = scratch.path() / part.name;
    fs::create_directories(file.parent_path());
    write_file(file, part.text);
    shown[file.string()] = part.name;
  }
  const std::string folder = scratch.path().string() + "/";
  const std::string first = (scratch.path() / parts.front().name).string();
  const source::Library library({fs::path(test::source_folder())});
  const std::string code = path.filename().string().substr(0, 5);
  // What was said before an Error is shown too, so the Rules are not all that is needed; but the
  // texts live in them: without Rules only the Error is shown.
  try {
    if (path.extension() == ".json") {
      diag::Sink sink;
      source::SourceMap sources;
      (void)convert::import_tables(sources, sources.add(first, parts.front().text), {}, sink);
      return golden::annotate(parts, sources, sink.sorted(), shown, {});
    }
    if (code == diag::code::export_left_out.info()->id) {
      diag::Sink sink;
      const auto rules = sema::load_rules({first}, library, sink);
      (void)convert::export_tables(rules->program, "substage", sink);
      return golden::annotate(parts, rules->sources, sink.sorted(), shown, {});
    }
    if (is_lint(code)) {
      std::vector<std::string> names;
      for (const golden::Part& part : parts) names.push_back((scratch.path() / part.name).string());
      // For infos lint compiles a database, in ten times the time of everything else.
      lint::LintFilesOptions options;
      options.lint.infos = is_info(code);
      lint::LintedFiles linted = lint::lint_files(names, library, options);
      std::erase_if(linted.findings, [&](const diag::Diagnostic& one) {
        return one.code->id != code && !linted.failed;
      });
      forget(linted.findings, folder);
      return golden::annotate(parts, linted.sources, linted.findings, shown, {});
    }
    diag::Sink sink;
    const auto rules = sema::load_rules({first}, library, sink);
    std::vector<diag::Diagnostic> sorted = sink.sorted();
    forget(sorted, folder);
    return golden::annotate(parts, rules->sources, sorted, shown, {});
  } catch (const Error& error) {
    return golden::annotate(parts, source::SourceMap(), {}, shown, without(error.what(), folder));
  }
}

void show_difference(const fs::path& path, std::string_view is, std::string_view should) {
  size_t number = 1;
  while (!is.empty() || !should.empty()) {
    const std::string_view a = is.substr(0, is.find('\n'));
    const std::string_view b = should.substr(0, should.find('\n'));
    if (a != b) {
      std::cout << fmt::format("{}:{}:\n  written: {}\n  said:    {}\n", path.string(), number, a,
                               b);
      return;
    }
    is.remove_prefix(std::min(a.size() + 1, is.size()));
    should.remove_prefix(std::min(b.size() + 1, should.size()));
    ++number;
  }
}

size_t count_codes_without_case(const std::vector<fs::path>& cases) {
  std::string all;
  for (const fs::path& path : cases) all += read_file(path);
  size_t missing = 0;
  for (const diag::CodeInfo& info : diag::all_codes()) {
    if (info.severity == diag::Severity::retired) continue;
    const std::string shown = fmt::format(" {} {}: ", diag::to_string(info.severity), info.id);
    if (all.find(shown) != std::string::npos) continue;
    std::cout << fmt::format("{} {}: no golden case shows it\n", info.id, info.name);
    ++missing;
  }
  return missing;
}

int run(const std::vector<std::string>& arguments) {
  bool update = false;
  std::vector<fs::path> cases;
  for (const std::string& argument : arguments) {
    if (argument == "--update") {
      update = true;
    } else {
      cases.emplace_back(argument);
    }
  }
  const bool all = cases.empty();
  if (all) {
    for (const auto& entry :
         fs::directory_iterator(fs::path(test::source_folder()) / "tests/golden")) {
      const fs::path extension = entry.path().extension();
      if (extension == ".kr" || extension == ".json") cases.push_back(entry.path());
    }
    std::sort(cases.begin(), cases.end());
  }
  const size_t missing = all ? count_codes_without_case(cases) : 0;
  // Sanitizers check memory and not results: they get a third of the cases.
  if (all && KR_ADDRESS_SANITIZER != 0 && std::getenv("KR_LONG") == nullptr) {
    std::erase_if(cases, [at = 0](const fs::path&) mutable { return at++ % 3 != 0; });
  }
  size_t failed = 0;
  for (const fs::path& path : cases) {
    const std::string text = read_file(path);
    const std::string should = expected(path, text);
    if (text == should) continue;
    if (update) {
      write_file(path, should);
      std::cout << fmt::format("{}: updated\n", path.string());
    } else {
      show_difference(path, text, should);
      ++failed;
    }
  }
  std::cout << fmt::format("{} cases, {} differ, {} codes without a case\n", cases.size(), failed,
                           missing);
  return failed + missing == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
