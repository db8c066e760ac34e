#include "compare/count.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "match/evaluate.hpp"

namespace kr::compare {
namespace {

using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;

Key key_of(const Change& change) {
  return {change.engine, change.model, change.dimension, change.move.from, change.move.to};
}

/// Scans all names for one Program.
std::vector<match::AtomSet> scanned(const ScannedProgram& rules,
                                    const std::vector<TimedName>& names) {
  std::vector<match::AtomSet> sets(names.size());
  match::Scanner scanner(rules.database);
  for (size_t i = 0; i < names.size(); ++i) scanner.scan(names[i].name, sets[i]);
  return sets;
}

/// The label of each name in a dimension of a model.
std::vector<std::string> labels_of(const sema::Program& program, const sema::Model& model,
                                   std::string_view dimension,
                                   const std::vector<match::AtomSet>& sets,
                                   const std::vector<TimedName>& names) {
  std::vector<std::string> labels(sets.size(), std::string(sema::reserved::unclassified));
  const auto id = program.dimension(dimension);
  const sema::Table* table = id ? model.table(*id) : nullptr;
  if (table == nullptr) return labels;
  const match::TableMatcher matcher(program, *table);
  for (size_t i = 0; i < sets.size(); ++i) {
    const auto rule = matcher.match({.name = &sets[i], .kind = names[i].kind});
    if (rule) labels[i] = label_of(program.rules.get(*rule));
  }
  return labels;
}

}  // namespace

std::vector<MoveCount> count_moves(const Comparison& comparison, const ScannedProgram& before,
                                   const ScannedProgram& after,
                                   const std::vector<TimedName>& names) {
  std::vector<MoveCount> counts;
  std::map<Key, size_t> places;
  for (const Change& change : comparison.changes) {
    places.emplace(key_of(change), counts.size());
    counts.push_back({change, 0, 0});
  }
  if (names.empty()) return counts;
  const std::vector<match::AtomSet> old_sets = scanned(before, names);
  const std::vector<match::AtomSet> new_sets = scanned(after, names);
  for (const ComparedDimension& compared : dimensions_compared(*before.program, *after.program)) {
    const auto from = labels_of(*before.program, before.program->models.get(compared.before),
                                compared.dimension, old_sets, names);
    const auto to = labels_of(*after.program, after.program->models.get(compared.after),
                              compared.dimension, new_sets, names);
    for (size_t i = 0; i < names.size(); ++i) {
      if (from[i] == to[i] || !names[i].is_of(compared.engine, compared.model)) continue;
      Change change{compared.engine, compared.model, compared.dimension, {from[i], to[i], {}}};
      const auto [at, added] = places.emplace(key_of(change), counts.size());
      if (added) {
        KR_CHECK(!comparison.proven);
        change.move.witness.name = names[i].name;
        change.move.witness.kind = names[i].kind;
        counts.push_back({std::move(change), 0, 0});
      }
      MoveCount& count = counts[at->second];
      ++count.names;
      KR_CHECK(!__builtin_add_overflow(count.total_ns, names[i].total_ns, &count.total_ns));
    }
  }
  std::ranges::stable_sort(counts, [](const MoveCount& a, const MoveCount& b) {
    return std::tie(a.total_ns, a.names) > std::tie(b.total_ns, b.names);
  });
  return counts;
}

}  // namespace kr::compare
