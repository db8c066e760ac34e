// The letters of order rules, which the prover finds, against all short names.
#include "compare/order_letters.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>
#include <set>

#include "match/evaluate.hpp"
#include "match/order_rules.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace {

using kr::match::AtomSet;

/// What rules can tell of an operation: of chains only if they see it.
using Column = std::vector<uint64_t>;

Column column(const kr::order::Block& block, kr::order::Letter letter) {
  Column column;
  for (const kr::order::Scope& scope : block.scopes) {
    column.push_back(scope.passes[letter]);
    column.push_back(scope.continues[letter]);
  }
  for (const kr::order::OrderRule& rule : block.rules) {
    if (!rule.chain) {
      column.push_back(rule.letters[letter]);
    } else {
      const bool seen = block.scopes[rule.chain->scope].sees(letter);
      column.push_back(seen ? rule.chain->takes[letter] : 0);
    }
  }
  return column;
}

class RandomRules {
 public:
  explicit RandomRules(uint32_t seed) : random_(seed) {}

  std::string file() {
    std::string text = "labels substage { u v w }\n";
    text += "engine e \"E\" {\n  substage {\n";
    for (const char* label : {"u", "v", "u"}) {
      text += fmt::format("    {}: {}\n", label, expr(2, false));
    }
    text += one_in(2) ? "    w: otherwise\n  }\n" : "  }\n";
    text += "  part over substage {\n";
    if (!one_in(4)) text += fmt::format("    ignore {}\n", expr(2, true));
    if (one_in(2)) text += fmt::format("    continue {}\n", expr(1, true));
    for (int i = 0; i < 3; ++i) text += fmt::format("    {}: {}\n", one_in(2) ? "p" : "q", rule());
    return text + "    otherwise keep\n  }\n}\n";
  }

  bool one_in(uint32_t of) { return random_() % of == 0; }

 private:
  template <size_t n>
  const char* pick(const char* const (&of)[n]) {
    return of[random_() % n];
  }

  std::string rule() {
    if (one_in(4)) return expr(2, true);
    std::string text = fmt::format("[({}){}]", expr(1, true), one_in(3) ? "+" : "");
    const auto step = [&] {
      if (one_in(6)) return std::string(one_in(2) ? "_" : "end");
      return fmt::format("({}){}", expr(2, true), pick({"", "", "?", "*"}));
    };
    if (one_in(2)) text += " > " + step();
    return fmt::format("({}) > {}", expr(2, true), text);
  }

  std::string expr(int depth, bool words) {
    if (depth == 0 || one_in(4)) {
      if (words && one_in(2)) return pick({"u", "v", "w"});
      return pick({"\"a\"", "\"b\"", "\"ab\"", "^\"b\"", "\"a\"$", "/a.b/", "@memcpy",
                   "(within \"a\")", "(within \"b\" & !\"a\")"});
    }
    if (one_in(4)) return fmt::format("!({})", expr(depth - 1, words));
    return fmt::format("({} {} {})", expr(depth - 1, words), one_in(2) ? "&" : "|",
                       expr(depth - 1, words));
  }

  std::mt19937 random_;
};

/// All texts of up to `longest` of three letters.
std::vector<std::string> all_names(size_t longest) {
  std::vector<std::string> names{""};
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].size() == longest) break;
    for (const char letter : {'a', 'b', 'x'}) names.push_back(names[i] + letter);
  }
  return names;
}

/// The operations that rules may tell apart: names, kinds and what encloses them.
class Operations {
 public:
  explicit Operations(const kr::match::CompiledRules& rules)
      : atoms_(rules.program().atoms.size()), scanner_(rules.database) {}

  AtomSet scanned(std::string_view name) {
    AtomSet set(atoms_);
    scanner_.scan(name, set);
    return set;
  }

  template <class Each>
  void each(const Each& each) {
    std::set<std::vector<uint64_t>> known;
    std::vector<AtomSet> sets;
    for (const std::string& name : all_names(6)) {
      AtomSet set = scanned(name);
      const std::span<const uint64_t> words = set.words();
      if (known.emplace(words.begin(), words.end()).second) sets.push_back(std::move(set));
    }
    const std::vector<std::vector<AtomSet>> enclosing{
        {}, {scanned("a")}, {scanned("b")}, {scanned("ab")}, {scanned("a"), scanned("b")}};
    for (const AtomSet& set : sets) {
      for (const kr::OperationKind kind :
           {kr::OperationKind::kernel, kr::OperationKind::memcpy, kr::OperationKind::memset}) {
        for (const std::vector<AtomSet>& within : enclosing) {
          each(kr::match::Subject{.name = &set, .kind = kind, .within = within});
        }
      }
    }
  }

 private:
  size_t atoms_;
  kr::match::Scanner scanner_;
};

}  // namespace

TEST_CASE("the letters of order rules are those of all operations") {
  size_t letters = 0;
  // What another question decided is taken for false: found in round 9.
  const uint64_t rounds = kr::test::rounds(300, 9);
  for (uint64_t round = 0; round < rounds; ++round) {
    RandomRules random(static_cast<uint32_t>(round));
    const std::string text = random.file();
    CAPTURE(round);
    CAPTURE(text);
    const kr::match::CompiledRules rules = kr::test::compile(text);
    const kr::sema::Program& program = rules.program();
    const kr::sema::Model& model = program.models.get(*program.model({0}, "default"));
    const kr::sema::OrderTable& table = model.order_tables.front();
    const bool any_label = random.one_in(3);
    const kr::compare::OrderSide side{&program, &table,
                                      any_label ? nullptr : model.table(table.over)};
    const std::vector<std::string> named = kr::compare::labels_named(side);

    kr::prove::Formulas formulas;
    kr::prove::Prover prover(formulas);
    const kr::compare::OrderAlphabet alphabet = kr::compare::order_alphabet(
        prover, {&side, 1}, kr::compare::all_operations(formulas, side, named));
    REQUIRE(alphabet.complete);
    const kr::order::Block& block = alphabet.blocks.front();
    REQUIRE(block.letters == alphabet.letters.size());
    letters += block.letters;

    // By the rules as traces are labelled by them.
    Operations operations(rules);
    kr::match::OrderRules order(program, table);
    const kr::match::TableMatcher matcher(program, *model.table(table.over));
    std::vector<std::vector<uint32_t>> words;  // of labels that it can have, by subject
    const auto add = [&](const kr::match::Subject& subject, const std::string* label) {
      order.add(subject);
      words.emplace_back();
      if (label != nullptr) {
        words.back() = {order.word(*label)};
      } else if (any_label) {
        for (const std::string& one : named) words.back().push_back(order.word(one));
        words.back().push_back(0);
      } else {
        const auto rule = matcher.match(subject);
        words.back() = {rule ? order.word(program.rules.get(*rule).label) : 0};
      }
    };
    std::vector<AtomSet> names;
    std::vector<std::vector<AtomSet>> within;
    names.reserve(block.letters);
    within.reserve(block.letters);
    for (const kr::compare::OrderLetter& letter : alphabet.letters) {
      names.push_back(operations.scanned(letter.name.name));
      within.emplace_back();
      for (const std::string& name : letter.name.within) {
        within.back().push_back(operations.scanned(name));
      }
      const kr::match::Subject subject{
          .name = &names.back(), .kind = letter.name.kind, .within = within.back()};
      add(subject, any_label ? &letter.labels.front() : nullptr);
    }
    operations.each([&](const kr::match::Subject& subject) { add(subject, nullptr); });
    order.finish();

    std::set<Column> found;
    for (uint32_t letter = 0; letter < block.letters; ++letter) {
      const Column expected = column(order.block(), order.letter(letter, words[letter].front()));
      CHECK(column(block, letter) == expected);
      found.insert(expected);
    }
    for (size_t subject = block.letters; subject < words.size(); ++subject) {
      for (const uint32_t word : words[subject]) {
        CHECK(found.contains(column(order.block(), order.letter(subject, word))));
      }
    }
  }
  CHECK(letters > 3 * rounds);
}
