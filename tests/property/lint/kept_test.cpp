// Lints files after random edits, with a cache and without: the findings are the same, whatever
// was kept of earlier texts and options.
#include "lint/kept.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <array>
#include <fstream>
#include <random>

#include "lint/lint_files.hpp"
#include "support/rounds.hpp"

using namespace kr;
namespace fs = std::filesystem;

namespace {

/// A folder that exists as long as this.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string made = (fs::temp_directory_path() / "kr-kept-XXXXXX").string();
    REQUIRE(::mkdtemp(made.data()) != nullptr);
    path = made;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  fs::path path;
};

using Choices = std::vector<std::string>;

/// A file whose lines are each one of several.
struct EditedFile {
  std::string name;
  std::vector<Choices> lines;
  std::vector<size_t> chosen = {};

  std::string text() const {
    std::string text;
    for (size_t i = 0; i < lines.size(); ++i) text += lines[i][chosen[i]] + "\n";
    return text;
  }
};

/// Files that use each other, of which each edit changes findings: of the file, of those that use
/// it, or of those that it uses.
std::vector<EditedFile> edited_files() {
  return {
      {"lib/stdlib/base.kr",
       {{"pattern gemm = \"gemm\"", "pattern gemm = \"gemm\" | /ge[m]m_x/", "pattern gemm = \"a\""},
        {"pattern norm = \"norm\"", "pattern norm = \"norm\" & !\"rms\"",
         "pattern norm = /gemm.*/"},
        {"", "labels stage { one \"One\"\n two \"Two\" }"}}},
      {"shared.kr",
       {{"use std.base", "use std.base  # again"},
        {"pattern both = base.gemm | base.norm", "pattern both = base.gemm", "pattern both ="},
        {"table t for stage { one: both\n two: \"two\" }", "table t for stage { one: \"one\" }"}}},
      {"first.kr",
       {{"use std.base\nuse \"./shared.kr\"", "use \"./shared.kr\"\nuse std.base"},
        {"pattern mine = \"mine\"", "# kr: allow KR311: for later\npattern mine = \"mine\"", ""},
        {"engine first {", "engine second {"},
        {"stage { one: base.gemm\n two: base.norm }", "stage { one: shared.both\n two: base.norm }",
         "stage { include shared.t }", "stage { one: \"gemm_x\"\n two: base.gemm }"},
        {"}"},
        {"", "test first { \"gemm\" => stage one }", "test first { \"norm\" => stage one }"}}},
      {"other.kr",
       {{"use \"./first.kr\"", ""},
        {"engine second {"},
        {"stage { one: first.mine }", "stage { one: \"x\" }", "stage { one: \"x\" | \"xy\" }"},
        {"}"}}},
  };
}

/// Everything about findings.
std::string dump(const lint::LintedFiles& linted) {
  std::string text = linted.failed ? "failed\n" : "";
  const auto place = [&](const source::Span& span) {
    return span.valid()
               ? fmt::format("{}[{}-{}]", linted.sources.path(span.file), span.begin, span.end) +
                     std::string(linted.sources.text(span))
               : "nowhere";
  };
  const auto add = [&](const diag::Fix& fix) {
    text += fmt::format("  fix {} {}\n", fix.safe, fix.title);
    for (const diag::Edit& edit : fix.edits) text += "   " + place(edit.span) + edit.text + "\n";
  };
  for (const diag::Diagnostic& one : linted.findings) {
    text += fmt::format("{} {} {} {} {}\n", one.code->id, static_cast<int>(one.severity),
                        place(one.span), one.message, one.help_);
    for (const diag::Related& related : one.related_) {
      text += "  " + place(related.span) + related.message + "\n";
    }
    text += one.witness ? "  example " + *one.witness + "\n" : "";
    if (one.fix) add(*one.fix);
    for (const diag::Fix& choice : one.choices) add(choice);
  }
  for (const Error& error : linted.unreadable) text += std::string(error.what()) + "\n";
  return text;
}

class Project {
 public:
  explicit Project(uint32_t seed) : random_(seed), files_(edited_files()) {
    fs::create_directories(folder_.path / "lib" / "rulesets");
    fs::create_directories(folder_.path / "lib" / "stdlib");
    for (EditedFile& file : files_) {
      file.chosen.assign(file.lines.size(), 0);
      write(file);
    }
  }

  void edit() {
    EditedFile& file = files_[below(files_.size())];
    const size_t line = below(file.lines.size());
    file.chosen[line] = below(file.lines[line].size());
    write(file);
  }

  /// Lints some of the files in the same way with and without what is kept; the number of files
  /// whose findings were kept.
  size_t check() {
    const source::Library library({folder_.path / "lib"});
    std::vector<std::string> names;
    for (const EditedFile& file : files_) {
      if (below(4) != 0) names.push_back((folder_.path / file.name).string());
    }
    lint::LintFilesOptions options;
    options.lint.infos = below(4) == 0;
    options.lint.effort = 1 + below(2);
    if (below(4) == 0) options.lint.known_names = {"x_gemm", "norm_gemm"};
    if (below(4) == 0) options.lint.vocabulary = {{"stage", {"one"}}};
    const lint::LintedFiles fresh = lint::lint_files(names, library, options);
    options.cache = match::Database::Cache{folder_.path / "cache"};
    const lint::LintedFiles kept = lint::lint_files(names, library, options);
    CHECK(dump(kept) == dump(fresh));
    CHECK(fresh.recalled == 0);
    return kept.recalled;
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  void write(const EditedFile& file) { std::ofstream(folder_.path / file.name) << file.text(); }

  ScratchFolder folder_;
  std::mt19937 random_;
  std::vector<EditedFile> files_;
};

}  // namespace

TEST_CASE("findings that are kept are those of another lint") {
  // Planted: what other files use of a file is not part of the digest; the texts that it uses are
  // not.
  const uint64_t rounds = test::rounds(400, 40);
  constexpr uint64_t edits = 20;
  size_t recalled = 0;
  for (uint64_t seed = 0; seed * edits < rounds; ++seed) {
    CAPTURE(seed);
    Project project(static_cast<uint32_t>(seed));
    for (uint64_t i = 0; i < edits; ++i) {
      recalled += project.check();
      project.edit();
    }
  }
  // Most edits are of other files, but the options and the files differ, too.
  CHECK(recalled > rounds / 8);
}
