#include "compare/invent.hpp"

#include <algorithm>

namespace kr::compare {
namespace {

/// Names of this kind that are tried, for each of the two labels.
constexpr size_t max_bases = 4;

/// The part of the witness that a rule needs: no byte can be removed at its ends. Empty if the rule
/// needs no text.
std::string words_for(Labeller& side, Decision decision, const prove::Witness& witness) {
  if (!side.has_expression(decision)) return {};
  const auto matches = [&](const std::string& text) {
    return side.holds(*decision, side.scan(text, witness.kind, witness.within));
  };
  std::string text = witness.name;
  while (!text.empty() && matches(text.substr(1))) text.erase(0, 1);
  while (!text.empty() && matches(text.substr(0, text.size() - 1))) text.pop_back();
  return text;
}

/// The place of the function in `void ns::function<T>(int)`: [begin, end).
std::pair<size_t, size_t> function_in(std::string_view name) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  size_t end = 0;
  while (true) {
    end = std::min(name.find_first_of("<(", end), name.size());
    if (!name.substr(end).starts_with(anonymous)) break;
    end += anonymous.size();
  }
  const size_t before = name.substr(0, end).find_last_of(" :");
  return {before == name.npos ? 0 : before + 1, end};
}

/// Adds `words` to a name where a programmer could have written them.
void add_with(const std::string& name, const std::string& words, std::vector<std::string>& out) {
  const auto [begin, end] = function_in(name);
  out.push_back(name.substr(0, end) + '_' + words + name.substr(end));
  out.push_back(name.substr(0, begin) + words + '_' + name.substr(begin));
  if (end != name.size()) out.push_back(name + '_' + words);
  if (begin != 0) out.push_back(words + '_' + name);
}

std::vector<std::string> joined_words(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty() || one == other) return {one.empty() ? other : one};
  return {one + '_' + other, other + '_' + one};
}

}  // namespace

Example Inventor::example(TableOf before, TableOf after, const Move& move) {
  const prove::Witness& shortest = move.witness;
  const auto labelled = [&](const std::string& name) {
    Example example{shortest, {}, {}, false};
    example.witness.name = name;
    const auto decide = [&](Labeller& side, const sema::Table* table) {
      return side.decide(table, side.scan(name, shortest.kind, shortest.within));
    };
    example.before = decide(seen_.before(), before.table);
    example.after = decide(seen_.after(), after.table);
    return example;
  };
  const auto moves = [&](const Example& example) {
    return seen_.before().label(example.before) == move.from &&
           seen_.after().label(example.after) == move.to;
  };
  Example known = labelled(shortest.name);
  KR_CHECK(moves(known));
  const std::string old_words = words_for(seen_.before(), known.before, shortest);
  const std::string new_words = words_for(seen_.after(), known.after, shortest);
  std::vector<std::string> names;
  const auto extend = [&](const std::string& label, const std::string& words) {
    if (words.empty()) return;
    for (const std::string& name : seen_.short_names(before, label, shortest.kind, max_bases)) {
      add_with(name, words, names);
    }
  };
  extend(move.from, new_words);
  extend(move.to, old_words);
  const size_t extended = names.size();
  for (const std::string& words : joined_words(old_words, new_words)) {
    if (words.empty()) continue;
    names.push_back(words + "_kernel");
    names.push_back(words);
  }
  names.push_back(shortest.name + "_kernel");
  for (size_t i = 0; i < names.size(); ++i) {
    // A rule may depend on the kind, which then must be what the name says.
    if (!shortest.kind_matters && operation_kind_of(names[i]) != shortest.kind) continue;
    Example example = labelled(names[i]);
    example.extends_seen = i < extended;
    if (moves(example)) return example;
  }
  return known;
}

}  // namespace kr::compare
