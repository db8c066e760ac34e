// Any bytes at all through the parser of rules files: no crash, no endless loop, spans that lie in
// the text, and time in proportion to its size.
//
// Two programs from one source. With clang and -DKR_LIBFUZZER=ON, libFuzzer drives it:
//   libfuzzer_parse_kr tests/golden stdlib rulesets
// Everywhere, a driver of its own runs the same function on the project's rules files, on those
// files changed at random from a fixed seed, and on large hostile texts; ctest runs that one.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "changed_rules.hpp"
#include "diag/render.hpp"
#include "syntax/parse.hpp"

using namespace kr;

namespace {

struct Checker {
  const source::SourceMap& sources;
  size_t size;

  void span(source::Span span) const {
    KR_CHECK(span.valid());
    KR_CHECK(span.begin <= span.end);
    KR_CHECK(span.end <= size);
  }
  void optional(source::Span one) const {
    if (one.valid()) span(one);
  }
  void word(const syntax::Word& word) const {
    span(word.span);
    if (!word.quoted) KR_CHECK(sources.text(word.span) == word.text);
  }
  void rules(const syntax::File& file, const std::vector<syntax::Rule>& rules,
             source::Span inside) const {
    for (const syntax::Rule& rule : rules) {
      span(rule.span);
      KR_CHECK(rule.span.begin >= inside.begin && rule.span.end <= inside.end);
      using syntax::RuleKind;
      const bool labels = rule.kind == RuleKind::rule;
      const bool passes = rule.kind == RuleKind::ignore || rule.kind == RuleKind::continues;
      KR_CHECK(rule.expr.valid() == ((labels && rule.chain.empty()) || passes));
      if (rule.expr.valid()) span(file.exprs.get(rule.expr).span);
      for (const syntax::ChainStep& step : rule.chain) {
        span(step.span);
        span(file.exprs.get(step.expr).span);
      }
      if (labels || rule.kind == RuleKind::refine || rule.kind == RuleKind::image) word(rule.label);
      for (const syntax::Word& image : rule.images) word(image);
      this->rules(file, rule.refined, rule.span);
      if (rule.kind == syntax::RuleKind::include) KR_CHECK(!rule.table.parts.empty());
    }
  }
  void body(const syntax::File& file, const syntax::Body& body) const {
    for (const syntax::Block& block : body.dimensions) rules(file, block.rules, block.span);
    for (const syntax::Block& block : body.phases) rules(file, block.rules, block.span);
    for (const syntax::Fold& fold : body.folds) span(file.exprs.get(fold.expr).span);
    for (const syntax::Detect& detect : body.detects) span(file.exprs.get(detect.expr).span);
    for (const syntax::Abbreviation& one : body.abbreviations) {
      optional(one.from.span);
      optional(one.to.span);
    }
  }
  void exprs(const syntax::File& file) const {
    using syntax::ExprKind;
    std::vector<int> depth;  // operands stand before what is made of them
    for (const syntax::Expr& expr : file.exprs) {
      span(expr.span);
      int deepest = 0;
      for (const syntax::ExprId id : expr.operands) {
        KR_CHECK(id.index < depth.size());
        deepest = std::max(deepest, depth[id.index] + 1);
      }
      // `a & b | c` may add two levels to each parenthesis.
      KR_CHECK(deepest <= 3 * syntax::max_nesting + 3);
      depth.push_back(deepest);
      const size_t count = expr.operands.size();
      const bool one = expr.kind == ExprKind::negation || expr.kind == ExprKind::within ||
                       expr.kind == ExprKind::within_op || expr.kind == ExprKind::own ||
                       expr.kind == ExprKind::op;
      const bool many = expr.kind == ExprKind::conjunction || expr.kind == ExprKind::disjunction;
      KR_CHECK(one ? count == 1 : many ? count >= 2 : count == 0);
      if (expr.kind == ExprKind::pattern) KR_CHECK(!expr.name.parts.empty());
    }
  }
};

void check(const std::string& text) {
  source::SourceMap sources;
  const source::FileId id = sources.add("fuzz.kr", text);
  diag::Sink sink;
  const syntax::File file = syntax::parse(sources, id, sink);
  const Checker checker{sources, text.size()};
  checker.exprs(file);
  for (const syntax::Pattern& pattern : file.patterns) checker.word(pattern.name);
  for (const syntax::Table& table : file.tables) checker.rules(file, table.rules, table.span);
  for (const syntax::Engine& engine : file.engines) {
    checker.word(engine.name);
    checker.body(file, engine.body);
    for (const syntax::Model& model : engine.models) checker.body(file, model.body);
  }
  for (const syntax::Test& test : file.tests) {
    for (const syntax::TestCase& one : test.cases) {
      bool expects = false;
      syntax::each_operation(one, [&](const syntax::TestCase& operation) {
        expects = expects || !operation.expected.empty();
      });
      KR_CHECK(expects);
    }
  }
  uint32_t end = 0;
  for (const syntax::Comment& comment : file.comments) {
    KR_CHECK(comment.span.begin >= end);
    end = comment.span.end;
    KR_CHECK(text[comment.span.begin] == '#');
  }
  size_t shown = 0;
  for (const diag::Diagnostic& diagnostic : sink.all()) {
    checker.span(diagnostic.span);
    for (const diag::Related& related : diagnostic.related_) checker.span(related.span);
    if (shown++ < 20) KR_CHECK(!diag::render_human(sources, diagnostic, {true}).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

#ifndef KR_LIBFUZZER
namespace {

std::string repeated(std::string_view piece, size_t size) {
  std::string text;
  text.reserve(size + piece.size());
  while (text.size() < size) text += piece;
  return text;
}

/// Large texts that would show a quadratic step or a deep stack.
std::vector<std::string> hostile() {
  constexpr size_t size = KR_FUZZ_BYTES;
  std::vector<std::string> texts;
  for (const char* head : {"", "pattern a = ", "engine e { substage { a: ", "engine e { ",
                           "labels d { ", "test e { ", "engine e { model m { "}) {
    for (const char* piece : {"!",
                              "(",
                              "within ",
                              "{",
                              "}",
                              "a ",
                              "a: ",
                              "\"",
                              "\"x\" ",
                              "/",
                              "\\/",
                              "| ",
                              "& ",
                              "#\n",
                              "## d\n",
                              "\n",
                              " ",
                              "x\n",
                              "engine e ",
                              "engine e {",
                              "model m ",
                              "\"x\"a ",
                              "\"x\" i ",
                              "a { ",
                              "^ ",
                              "@ ",
                              "@x ",
                              ", ",
                              "; ",
                              "=> ",
                              "\"x\" => ",
                              "( ) ",
                              "\"x\"\n",
                              "a.",
                              ". ",
                              "a:\"b\"\n",
                              "// ",
                              "\xe2\x80\x9c",
                              "\xff",
                              "otherwise ",
                              "refine a {",
                              "\"\\q",
                              "substage ",
                              "a \"b",
                              "pattern ",
                              "use ",
                              "modle x {",
                              "# c\na ",
                              "fold a b ",
                              "#",
                              "'x' ",
                              "[\"a\", ",
                              "- \"a\"\n",
                              "x\" ",
                              "{\"a\", ",
                              "a::",
                              "word (",
                              "a = {",
                              "\"a\"=>b\n",
                              "if ",
                              "r\"",
                              "phase a | ",
                              "otherwise: a ",
                              " {\n  ",
                              "a from \"b\" "}) {
      texts.push_back(head + repeated(piece, size));
    }
  }
  std::mt19937_64 random{7};
  std::string bytes(size, ' ');
  for (char& c : bytes) c = static_cast<char>(1 + random() % 126);
  texts.push_back(bytes);
  for (char& c : bytes) c = static_cast<char>(1 + random() % 255);
  texts.push_back(bytes);
  return texts;
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 20000;
  const std::vector<std::string> texts = fuzz::seeds();
  for (const std::string& text : texts) check(text);
  fuzz::Mutator mutator(texts);
  for (long round = 0; round < rounds; ++round) check(mutator.next());
  double slowest = 0;
  size_t slow = 0;
  for (const std::string& text : hostile()) {
    // The processor's time, and a limit far from what is needed: on a busy machine, too, only a
    // text that takes time in more than its size goes past it.
    const std::clock_t begin = std::clock();
    check(text);
    const double spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    slowest = std::max(slowest, spent);
    if (spent < KR_FUZZ_SECONDS) continue;
    std::printf("%.2f s for a text that begins `%.60s`\n", spent, text.c_str());
    ++slow;
  }
  std::printf("%zu files, %ld changed ones, slowest hostile text %.2f s\n", texts.size(), rounds,
              slowest);
  return slow == 0 ? 0 : 1;
}
#endif
