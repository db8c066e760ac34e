// The pages of docs/checks: every code has one, with the heading of the registry and examples with
// the documented findings.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "convert/export.hpp"
#include "convert/import.hpp"
#include "diag/render.hpp"
#include "explain/embedded_pages.hpp"
#include "explain/explain.hpp"
#include "lint/lint_files.hpp"
#include "support/page_examples.hpp"
#include "support/source_folder.hpp"

namespace fs = std::filesystem;
using namespace kr;

namespace {

/// The lines of a text.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Expands `# … 1..257: model m{n} extends m{n-1} { }` to one line for each number.
std::string unfolded(std::string_view text) {
  constexpr std::string_view mark = "# … ";
  std::string out;
  for (const std::string& line : lines_of(text)) {
    const size_t at = line.find(mark);
    const size_t dots = at == line.npos ? line.npos : line.find("..", at);
    if (dots == line.npos) {
      out += line + '\n';
      continue;
    }
    const size_t colon = line.find(": ", dots);
    REQUIRE(colon != line.npos);
    const int first = std::atoi(line.c_str() + at + mark.size());
    const int last = std::atoi(line.c_str() + dots + 2);
    REQUIRE(first <= last);
    for (int n = first; n <= last; ++n) {
      std::string one = line.substr(colon + 2);
      for (const auto& [word, number] : {std::pair{"{n}", n}, std::pair{"{n-1}", n - 1}}) {
        for (size_t i = one.find(word); i != one.npos; i = one.find(word)) {
          one.replace(i, std::string_view(word).size(), std::to_string(number));
        }
      }
      out += one + '\n';
    }
  }
  return out;
}

/// A text of characters below U+0100 as Latin-1.
std::string latin_1(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      out += text[i];
    } else {
      REQUIRE((c == 0xc2 || c == 0xc3));
      ++i;
      out += static_cast<char>((c & 3) << 6 | (static_cast<unsigned char>(text[i]) & 0x3f));
    }
  }
  return out;
}

/// A folder with the files of an example: `main.kr`, and others after `#--- NAME` lines.
class ExampleFolder {
 public:
  explicit ExampleFolder(const test::PageExample& example) {
    std::string pattern = (fs::temp_directory_path() / "kr-pages-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    std::string name = "main.kr";
    std::string text;
    for (const std::string& line : lines_of(unfolded(example.text))) {
      if (line.starts_with("#--- ")) {
        add(name, text, example.word);
        name = line.substr(5);
        text.clear();
      } else {
        text += line + '\n';
      }
    }
    add(name, text, example.word);
  }
  ~ExampleFolder() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  ExampleFolder(const ExampleFolder&) = delete;
  ExampleFolder& operator=(const ExampleFolder&) = delete;
  /// Its files, `main.kr` first.
  const std::vector<std::string>& files() const { return files_; }

 private:
  void add(const std::string& name, const std::string& text, const std::string& word) {
    REQUIRE((word.empty() || word == "latin-1" || word == "export"));
    fs::create_directories((folder_ / name).parent_path());
    write_file(folder_ / name, word == "latin-1" ? latin_1(text) : text);
    files_.push_back((folder_ / name).string());
  }
  fs::path folder_;
  std::vector<std::string> files_;
};

/// The findings of an example by code, without infos that were not requested.
struct Findings {
  std::set<std::string> codes;
  std::string shown;
};

Findings all_of(const source::SourceMap& sources, const diag::Sink& sink) {
  Findings found;
  for (const diag::Diagnostic& diagnostic : sink.all()) {
    found.codes.emplace(diagnostic.code->id);
    found.shown += diag::render_human(sources, diagnostic);
  }
  return found;
}

/// `kr import` of the example.
Findings check_import(const test::PageExample& example) {
  source::SourceMap sources;
  diag::Sink sink;
  (void)convert::import_tables(sources, sources.add("tables.json", example.text), {}, sink);
  return all_of(sources, sink);
}

/// `kr export` of the example.
Findings check_export(const std::string& file) {
  diag::Sink sink;
  const auto rules =
      sema::load_rules({file}, source::Library({fs::path(test::source_folder())}), sink);
  (void)convert::export_tables(rules->program, "substage", sink);
  return all_of(rules->sources, sink);
}

/// `kr lint` of the example: of `main.kr`, and with `all` of its other files too. Infos are
/// evaluated only for the page of one: for them lint compiles a database, in ten times the time of
/// everything else.
Findings check(const test::PageExample& example, const diag::CodeInfo& asked, bool all) {
  if (example.language == "json") return check_import(example);
  const ExampleFolder folder(example);
  if (example.word == "export") return check_export(folder.files().front());
  std::vector<std::string> files = folder.files();
  if (!all) files.resize(1);
  lint::LintFilesOptions options;
  options.lint.infos = asked.severity == diag::Severity::info;
  const lint::LintedFiles linted =
      lint::lint_files(files, source::Library({fs::path(test::source_folder())}), options);
  Findings found;
  for (const diag::Diagnostic& diagnostic : linted.findings) {
    if (diagnostic.severity == diag::Severity::info && diagnostic.code->id != asked.id) continue;
    found.codes.emplace(diagnostic.code->id);
    found.shown += diag::render_human(linted.sources, diagnostic);
  }
  return found;
}

}  // namespace

TEST_CASE("every code has a page, and every page a code") {
  std::set<std::string> wanted;
  for (const diag::CodeInfo& info : diag::all_codes()) {
    if (info.severity == diag::Severity::retired) continue;
    wanted.insert(explain::page_file(info));
    if (explain::page_of(info).empty()) {
      FAIL_CHECK("write docs/checks/", explain::page_file(info), ": ", std::string(info.id), " ",
                 std::string(info.name), " has no page");
    }
  }
  for (const explain::EmbeddedPage& page : explain::embedded_pages()) {
    if (!wanted.contains(std::string(page.file))) {
      FAIL_CHECK("docs/checks/", std::string(page.file),
                 " is the page of no code: see engine/rules/diag/codes.def");
    }
  }
}

TEST_CASE("the head of a page is that of the registry") {
  for (const diag::CodeInfo& info : diag::all_codes()) {
    const std::vector<std::string> lines = lines_of(explain::page_of(info));
    if (lines.empty()) continue;  // reported above
    CAPTURE(explain::page_file(info));
    REQUIRE(lines.size() > 8);
    CHECK(lines[0] == fmt::format("# {} {}", info.id, info.name));
    CHECK(lines[1].empty());
    CHECK_MESSAGE(lines[2].starts_with(fmt::format("{}: ", diag::to_string(info.severity))),
                  "the third line is `", std::string(diag::to_string(info.severity)),
                  ": ONE SENTENCE`");
    for (const std::string& line : lines) {
      const bool code = line.starts_with(' ') || line.starts_with('"');
      CHECK_MESSAGE((code || line.size() <= 115), "a long line: ", line);
      CHECK_FALSE(line.ends_with(' '));
    }
  }
}

TEST_CASE("bad examples have the finding of their page, good examples have no error or warning") {
  for (const diag::CodeInfo& info : diag::all_codes()) {
    const std::string_view page = explain::page_of(info);
    if (page.empty()) continue;  // reported above
    size_t good = 0;
    size_t bad = 0;
    for (const test::PageExample& example : test::examples_of(page)) {
      CAPTURE(explain::page_file(info));
      CAPTURE(example.text.substr(0, 2000));
      const Findings found = check(example, info, info.id == "KR319");
      CAPTURE(found.shown.substr(0, 4000));
      if (example.good) {
        ++good;
        CHECK_MESSAGE(found.codes.empty(), "a good example has findings");
      } else {
        ++bad;
        CHECK_MESSAGE(found.codes == std::set<std::string>{std::string(info.id)},
                      "a bad example gets exactly the code of its page");
      }
    }
    CHECK_MESSAGE(bad > 0, "docs/checks/", explain::page_file(info), " has no ```kr bad block");
    CHECK_MESSAGE(good > 0, "docs/checks/", explain::page_file(info), " has no ```kr good block");
  }
}

TEST_CASE("docs/checks/README.md is the list of the registry") {
  CHECK_MESSAGE(read_file(fs::path(test::source_folder()) / "docs/checks/README.md") ==
                    explain::codes_markdown(),
                "run `kr explain --index > docs/checks/README.md`");
}
