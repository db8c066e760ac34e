#include "lint/kept.hpp"

#include <doctest/doctest.h>

#include "lint/usage.hpp"

using namespace kr;
using namespace kr::lint;

namespace {

sema::ReadRules read(std::vector<std::pair<std::string, std::string>> files) {
  sema::ReadRules made{std::make_unique<sema::LoadedRules>(), {}, {}};
  for (auto& [path, text] : files) {
    sema::LoadedFile file;
    file.file = made.rules->sources.add(path, text);
    file.root = made.rules->files.empty();
    made.rules->files.push_back(std::move(file));
    made.uses.emplace_back();
  }
  made.kind = {0};
  return made;
}

diag::Diagnostic finding(source::FileId file) {
  diag::Sink sink;
  diag::Diagnostic& one = sink.add(diag::code::unused_pattern, {file, 1, 3}, "p");
  one.severity = diag::Severity::error;
  one.related({file, 2, 4}, "other").help("help");
  one.witness = "";
  one.fix = diag::Fix{true, {{{file, 0, 4}, "new"}}, "title"};
  one.choices = {{false, {}, "first"}, {true, {{{file, 1, 1}, "x"}, {{file, 2, 3}, ""}}, ""}};
  return one;
}

}  // namespace

TEST_CASE("findings are read as they were written, or not at all") {
  source::SourceMap sources;
  const source::FileId file = sources.add("a.kr", "text");
  diag::Diagnostic nowhere = finding(file);
  nowhere.span = {};
  nowhere.witness.reset();
  nowhere.fix.reset();
  const std::string bytes = to_bytes(std::vector{finding(file), nowhere});
  const auto again = findings_from(bytes, sources);
  REQUIRE(again.has_value());
  REQUIRE(again->size() == 2);
  CHECK(to_bytes(*again) == bytes);
  const diag::Diagnostic& one = again->front();
  CHECK(one.code == diag::code::unused_pattern.info());
  CHECK(one.severity == diag::Severity::error);
  CHECK(one.span == source::Span{file, 1, 3});
  CHECK(one.message == finding(file).message);
  CHECK(one.related_.front().message == "other");
  CHECK(one.help_ == "help");
  CHECK(one.witness == "");
  CHECK(one.fix->safe);
  CHECK(one.fix->edits.front().text == "new");
  CHECK(one.choices[1].edits[1].span == source::Span{file, 2, 3});
  CHECK(!again->back().span.valid());
  CHECK(!again->back().witness.has_value());
  CHECK(!again->back().fix.has_value());

  for (size_t size = 0; size < bytes.size(); ++size) {
    CHECK(!findings_from(bytes.substr(0, size), sources).has_value());
  }
  CHECK(!findings_from(bytes + "x", sources).has_value());
  source::SourceMap shorter;
  shorter.add("a.kr", "t");
  CHECK(!findings_from(bytes, shorter).has_value());
  CHECK(!findings_from(bytes, {}).has_value());
}

TEST_CASE("used declarations are read as they were written, or not at all") {
  source::SourceMap sources;
  sources.add("a.kr", "");
  sources.add("b.kr", "");
  const std::set<Declaration> used{{{0}, sema::Noun::pattern, "a"}, {{1}, sema::Noun::table, ""}};
  const std::string bytes = to_bytes(used);
  CHECK(declarations_from(bytes, sources) == used);
  for (size_t size = 0; size < bytes.size(); ++size) {
    CHECK(!declarations_from(bytes.substr(0, size), sources).has_value());
  }
  source::SourceMap one;
  one.add("a.kr", "");
  CHECK(!declarations_from(bytes, one).has_value());
}

TEST_CASE("a digest depends on all that findings depend on") {
  std::vector<Hash128> all;
  const auto add = [&all](const Hash128& digest) {
    CHECK(std::ranges::count(all, digest) == 0);
    all.push_back(digest);
  };
  add(digest_of(read({{"a.kr", "one"}})));
  add(digest_of(read({{"a.kr", "two"}})));
  add(digest_of(read({{"b.kr", "one"}})));
  add(digest_of(read({{"a.kr", "one"}, {"b.kr", "two"}})));
  add(digest_of(read({{"a.kr", "two"}, {"b.kr", "one"}})));
  auto rules = read({{"a.kr", "one"}, {"b.kr", "two"}});
  rules.uses[0] = {{1}};
  add(digest_of(rules));
  rules.uses[0] = {{}};
  add(digest_of(rules));
  rules.uses[0].clear();
  rules.uses[1] = {{1}};
  add(digest_of(rules));
  rules.uses[1].clear();
  rules.kind = {1};
  add(digest_of(rules));
  rules.kind = {0};
  rules.rules->files[1].root = true;
  add(digest_of(rules));
  CHECK(digest_of(read({{"a.kr", "one"}})) == all.front());

  const Hash128 file = all.front();
  LintOptions options;
  add(digest_of(file, options, {}));
  add(digest_of(all[1], options, {}));
  options.infos = !options.infos;
  add(digest_of(file, options, {}));
  options.effort = 2;
  add(digest_of(file, options, {}));
  options.known_names = {"ab", "c"};
  add(digest_of(file, options, {}));
  options.known_names = {"a", "bc"};
  add(digest_of(file, options, {}));
  options.vocabulary = {{"stage", {"a"}}};
  add(digest_of(file, options, {}));
  options.vocabulary = {{"stage", {}}, {"a", {}}};
  add(digest_of(file, options, {}));
  Used used{"a.kr", sema::Noun::pattern, "p"};
  add(digest_of(file, options, {&used, 1}));
  used.noun = sema::Noun::table;
  add(digest_of(file, options, {&used, 1}));
  used.name = "q";
  add(digest_of(file, options, {&used, 1}));
}
