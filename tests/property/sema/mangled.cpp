// Shipped rulesets with words and lines removed, doubled and exchanged: the result is either
// reported or a Program with the documented properties.
#include <algorithm>
#include <random>

#include "base/file.hpp"
#include "support/rounds.hpp"
#include "support/source_folder.hpp"
#include "unit/sema/support.hpp"

using namespace kr;

namespace {

/// A text in pieces: words, and the text between them.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  bool in_word = false;
  for (const char c : text) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (pieces.empty() || word != in_word || !word) pieces.emplace_back();
    pieces.back() += c;
    in_word = word;
  }
  return pieces;
}

std::string mangled(std::vector<std::string> pieces, std::mt19937& random) {
  const auto any = [&] {
    return std::uniform_int_distribution<size_t>(0, pieces.size() - 1)(random);
  };
  for (size_t edits = std::uniform_int_distribution<size_t>(1, 12)(random); edits > 0; --edits) {
    const size_t at = any();
    switch (random() % 4) {
      case 0:
        pieces[at].clear();
        break;
      case 1:
        pieces[at] += pieces[at];
        break;
      case 2:
        std::swap(pieces[at], pieces[any()]);
        break;
      default:
        pieces[at] = pieces[any()];
    }
  }
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

bool sound(const sema::Program& program, sema::ExprId id) {
  if (id.index >= program.exprs.size()) return false;
  const sema::Expr& expr = program.exprs.get(id);
  if (expr.op == sema::ExprOp::label) return expr.word.index < program.words.size();
  if (expr.op == sema::ExprOp::atom) return expr.atom.index < program.atoms.size();
  const bool sound_operands =
      std::all_of(expr.operands.begin(), expr.operands.end(),
                  [&](sema::ExprId operand) { return operand.index < id.index; });
  const auto least = [&]() -> size_t {
    switch (expr.op) {
      case sema::ExprOp::operation:
      case sema::ExprOp::phase:
        return 0;
      case sema::ExprOp::within:
      case sema::ExprOp::within_op:
      case sema::ExprOp::op:
      case sema::ExprOp::negation:
      case sema::ExprOp::own:
        return 1;
      default:
        return 2;
    }
  };
  return sound_operands && expr.operands.size() >= least();
}

bool sound(const sema::Program& program, const sema::Table& table) {
  const auto has_label = [&](sema::RuleId id) {
    const sema::Rule& rule = program.rules.get(id);
    // What an image leaves out has no label.
    if (rule.image_of.valid() && rule.label.empty()) return true;
    return rule.dimension == table.dimension &&
           (rule.keep || !table.closed || table.find(rule.label) != nullptr);
  };
  const auto plain = [&](sema::RuleId id) {
    const sema::Rule& rule = program.rules.get(id);
    if (rule.scope.valid() && rule.scope.index >= program.order_scopes.size()) return false;
    const bool otherwise = rule.otherwise && !rule.image_of.valid();
    if (!rule.chain) return !otherwise && sound(program, rule.expr);
    return std::all_of(rule.chain->steps.begin(), rule.chain->steps.end(),
                       [&](const sema::ChainStep& step) { return sound(program, step.expr); });
  };
  const auto refined = [&](const sema::Table::Refined& one) {
    return sound(program, one.where) && sound(program, one.expr);
  };
  return std::all_of(table.refined.begin(), table.refined.end(), refined) &&
         table.refined.size() <= table.rules.size() && table.refinements <= table.refined.size() &&
         std::all_of(table.rules.begin(), table.rules.end(), has_label) &&
         std::all_of(table.rules.begin(), table.rules.end(), plain) &&
         (!table.otherwise ||
          (has_label(*table.otherwise) && program.rules.get(*table.otherwise).otherwise));
}

bool sound(const sema::Program& program) {
  for (uint32_t i = 0; i < program.exprs.size(); ++i) {
    if (!sound(program, sema::ExprId{i})) return false;
  }
  for (const sema::Model& model : program.models) {
    if (model.table(program.kind()) == nullptr) return false;
    for (const sema::Table& table : model.tables) {
      if (!sound(program, table)) return false;
    }
    for (const sema::OrderTable& table : model.order_tables) {
      if (!sound(program, table) || model.any_table(table.over) == nullptr) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("mangled rulesets are reported, or sound") {
  const std::string folder = test::source_folder() + "/";
  std::vector<test::Text> texts;
  for (const char* path : {"rulesets/vllm.kr", "rulesets/generic.kr"}) {
    texts.push_back({path, read_file(folder + path)});
  }
  for (const std::string& name : source::Library({folder}).modules()) {
    if (!name.starts_with("std.")) continue;
    const std::string path = "stdlib/" + name.substr(4) + ".kr";
    texts.push_back({path, read_file(folder + path)});
  }
  std::vector<std::vector<std::string>> pieces;
  for (const test::Text& text : texts) pieces.push_back(pieces_of(text.text));
  size_t clean = 0;
  size_t errors = 0;
  // An `otherwise` is a rule like others: found in round 5.
  const uint64_t rounds = test::rounds(160, 5);
  for (uint32_t seed = 1; seed <= rounds; ++seed) {
    std::mt19937 random(seed);
    std::vector<test::Text> now = texts;
    const size_t which = random() % texts.size();
    now[which].text = mangled(pieces[which], random);
    CAPTURE(seed);
    const test::Loaded loaded = test::load(now, 2);
    errors += loaded.sink.errors();
    if (loaded.sink.has_errors()) continue;
    ++clean;
    REQUIRE(sound(loaded.program()));
  }
  MESSAGE(clean << " of " << rounds << " were clean; " << errors << " errors");
  CHECK(clean > rounds / 32);
  CHECK(errors > rounds / 2);
}
