// Random files and all rules files: their layout keeps the meaning and the places of comments, and
// is idempotent.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "layout/layout.hpp"
#include "layout/tokens.hpp"
#include "sema/load.hpp"
#include "support/rounds.hpp"
#include "support/rules_text.hpp"
#include "support/source_folder.hpp"
#include "unit/layout/support.hpp"
#include "unit/sema/support.hpp"
#include "unit/syntax/dump.hpp"

using namespace kr;
namespace fs = std::filesystem;

namespace {

using test::layout_of;

std::vector<std::string> comments_of(const syntax::Parsed& parsed) {
  std::vector<std::string> comments;
  for (const syntax::Comment& comment : parsed.file.comments) {
    comments.emplace_back(parsed.text(comment.span));
  }
  return comments;
}

/// The place of a comment: the number of tokens above, without operators and commas, and whether it
/// has its own line.
std::vector<std::string> places_of(const syntax::Parsed& parsed) {
  std::vector<std::string> places;
  size_t above = 0;
  bool first = true;
  for (const layout::Token& token :
       layout::tokens_of(parsed.sources.text(parsed.id), parsed.file.comments)) {
    for (const layout::Comment& comment : token.before) {
      // Only one comment can be after a token: of several, the others get their own lines.
      const bool alone = comment.alone || !first;
      places.push_back(fmt::format("{} {} {}", above, alone, comment.text));
      first = false;
    }
    if (token.is("|") || token.is("&") || token.is(",")) continue;
    ++above;
    first = true;
  }
  return places;
}

bool tidy(const std::string& text) {
  for (const char* never : {" \n", "\n\n\n", "\r\n", "{\n\n", "\n\n}"}) {
    if (text.find(never) != text.npos) return false;
  }
  return text.empty() || (text.ends_with('\n') && !text.ends_with("\n\n") && text[0] != '\n');
}

void check(const std::string& text) {
  CAPTURE(text);
  const syntax::Parsed before(text);
  const std::string once = layout_of(text);
  CAPTURE(once);
  const syntax::Parsed after(once);
  REQUIRE(after.dump() == before.dump());
  REQUIRE(after.codes().empty() == before.codes().empty());
  REQUIRE(comments_of(after) == comments_of(before));
  REQUIRE(layout_of(once) == once);
  if (before.sink.all().empty()) REQUIRE(tidy(once));
}

std::vector<fs::path> rules_files() {
  std::vector<fs::path> paths;
  for (const char* folder : {"stdlib", "rulesets", "tests/golden"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(test::source_folder()) / folder)) {
      if (entry.path().extension() == ".kr") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> tokens_of(const std::string& text) {
  const syntax::Parsed parsed(text);
  std::vector<std::string> tokens;
  for (const layout::Token& token : layout::tokens_of(text, parsed.file.comments)) {
    if (token.kind == syntax::TokenKind::end) break;
    const bool touches = token.adjacent && !test::may_touch(tokens.back(), std::string(token.text));
    if (touches) {
      tokens.back() += token.text;
    } else {
      tokens.emplace_back(token.text);
    }
  }
  return tokens;
}

/// The meaning of rules without places and documentation.
std::string meaning(const sema::Program& program) {
  std::string all;
  const auto rule = [&](sema::RuleId id) {
    const sema::Rule& one = program.rules.get(id);
    all += fmt::format(" {}{}: {}\n", one.label, one.keep ? "keep" : "",
                       one.otherwise ? "otherwise" : test::text(program, one.expr));
  };
  for (uint32_t i = 0; i < program.models.size(); ++i) {
    const sema::Model& model = program.models.get({i});
    all += fmt::format("{} {}\n", program.title({i}), test::text(program, model.detect));
    for (const sema::Table& table : model.tables) {
      all += program.dimensions.get(table.dimension).name + "\n";
      for (const sema::RuleId id : table.rules) rule(id);
      if (table.otherwise) rule(*table.otherwise);
      for (const sema::Label& label : table.vocabulary) {
        all += fmt::format(" {} {} {}\n", label.name, label.title, label.color);
      }
    }
    for (const sema::RuleId id : model.phases) rule(id);
    for (const sema::Fold& fold : model.folds) all += " fold " + test::text(program, fold.expr);
    for (const sema::Abbreviation& one : model.abbreviations)
      all += one.from + " as " + one.to + "\n";
  }
  for (const sema::Test& test : program.tests) {
    all += test.name;
    for (const std::string& within : test.within) all += " in " + within;
    for (const sema::Expectation& one : test.expected) all += " => " + one.label;
    all += fmt::format(" {}\n", test.models.size());
  }
  return all;
}

}  // namespace

TEST_CASE("random files") {
  size_t comments = 0;
  // A comment behind a blank line is lost: found in round 11.
  const uint64_t rounds = test::rounds(2000, 11);
  for (uint32_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::string> tokens = test::RandomRules(seed).tokens();
    const std::string text = test::scattered(tokens, test::Gaps::comments, seed);
    const syntax::Parsed before(text);
    CAPTURE(text);
    REQUIRE(before.codes() == "");
    check(text);
    const syntax::Parsed after(layout_of(text));
    REQUIRE(places_of(after) == places_of(before));
    comments += before.file.comments.size();
  }
  CHECK(comments > 2 * rounds);
}

TEST_CASE("blanks and line breaks of a file make no difference") {
  // A block that was on several lines stays there: found in round 18.
  for (uint32_t seed = 1; seed <= test::rounds(1000, 18); ++seed) {
    CAPTURE(seed);
    const std::vector<std::string> tokens = test::RandomRules(seed).tokens();
    const std::string one = test::scattered(tokens, test::Gaps::blanks, seed);
    const std::string other = test::scattered(tokens, test::Gaps::blanks, seed + 1);
    REQUIRE(layout_of(one) == layout_of(other));
  }
}

TEST_CASE("rules files, as they are and cut off anywhere") {
  std::mt19937 random(7);
  size_t count = 0;
  for (const fs::path& path : rules_files()) {
    CAPTURE(path.string());
    const std::string text = read_file(path);
    check(text);
    for (int i = 0; i < 3; ++i) check(text.substr(0, random() % (text.size() + 1)));
    ++count;
  }
  CHECK(count > 100);
}

TEST_CASE("a file with mistakes keeps them, and its sound declarations are laid out") {
  // What is behind the last sound declaration is lost: found in round 1.
  for (uint32_t seed = 1; seed <= test::rounds(1000, 1); ++seed) {
    CAPTURE(seed);
    std::vector<std::string> tokens = test::RandomRules(seed).tokens();
    std::mt19937 random(seed);
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(random() % tokens.size()));
    tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(random() % (tokens.size() + 1)),
                  tokens.empty() ? "}" : tokens[random() % tokens.size()]);
    check(test::scattered(tokens, test::Gaps::comments, seed));
  }
}

TEST_CASE("the layout of shipped rules does not change their meaning") {
  std::vector<test::Text> texts;
  const fs::path folder = test::source_folder();
  for (const char* name : {"vllm", "sglang", "generic"}) {
    const std::string path = fmt::format("rulesets/{}.kr", name);
    texts.push_back({path, read_file(folder / path)});
  }
  for (const std::string& name : source::Library({folder}).modules()) {
    if (!name.starts_with("std.")) continue;
    const std::string path = "stdlib/" + name.substr(4) + ".kr";
    texts.push_back({path, read_file(folder / path)});
  }
  const std::string expected = meaning(test::load(texts, 3).program());
  CHECK(expected.size() > 10000);
  // A comment behind a blank line is lost: found in round 1.
  for (uint32_t seed = 1; seed <= test::rounds(10, 1); ++seed) {
    CAPTURE(seed);
    std::vector<test::Text> scattered = texts;
    std::vector<test::Text> again = texts;
    for (size_t i = 0; i < texts.size(); ++i) {
      scattered[i].text = test::scattered(tokens_of(texts[i].text), test::Gaps::comments, seed);
      again[i].text = layout_of(scattered[i].text);
    }
    const test::Loaded one = test::load(scattered, 3);
    const test::Loaded other = test::load(again, 3);
    REQUIRE(test::messages(one) == "");
    REQUIRE(test::messages(other) == "");
    REQUIRE(meaning(one.program()) == expected);
    REQUIRE(meaning(other.program()) == expected);
  }
}
