#include "compare/moves.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "compare/invent.hpp"

namespace kr::compare {
namespace {

using LabelPair = std::pair<std::string, std::string>;

void add_time(int64_t& total_ns, int64_t more_ns) {
  if (__builtin_add_overflow(total_ns, more_ns, &total_ns)) {
    throw Error("", "the sum of the times of all runs exceeds 64 bits of nanoseconds");
  }
}

/// Each name once, with the sum of its times and the best place where it was seen.
std::vector<SeenName> joined(std::vector<SeenName> names) {
  const auto key = [](const SeenName& one) {
    return std::tie(one.name, one.kind, one.within, one.engine, one.model);
  };
  std::ranges::stable_sort(names, {}, [](const SeenName& one) { return one.seen_in; });
  std::ranges::stable_sort(names,
                           [&](const SeenName& a, const SeenName& b) { return key(a) < key(b); });
  std::vector<SeenName> unique;
  for (SeenName& one : names) {
    if (!unique.empty() && key(unique.back()) == key(one)) {
      add_time(unique.back().total_ns, one.total_ns);
    } else {
      unique.push_back(std::move(one));
    }
  }
  return unique;
}

prove::Witness witness_of(const SeenName& seen) {
  prove::Witness witness;
  witness.name = seen.name;
  witness.kind = seen.kind;
  witness.kind_matters = true;
  witness.within = seen.within;
  return witness;
}

class Counter {
 public:
  Counter(const ScannedProgram& before, const ScannedProgram& after, ModelPairs pairs,
          std::vector<SeenName> names)
      : before_(*before.program),
        after_(*after.program),
        pairs_(std::move(pairs)),
        seen_(before, after, std::move(names)),
        inventor_(seen_) {}

  RuleChanges count() && {
    Comparison comparison = compare_programs(
        before_, after_, pairs_, [this](TableOf a, TableOf b) { return moves_seen(a, b); });
    RuleChanges changes;
    changes.proven = comparison.proven;
    std::map<std::tuple<std::string, std::string, std::string>, std::vector<Move>> by_dimension;
    for (Change& one : comparison.changes) {
      if (one.move.order) {
        CountedMove& counted = changes.moves.emplace_back();
        counted.before = one.move.order->before;
        counted.after = one.move.order->after;
        counted.change = std::move(one);
        continue;
      }
      by_dimension[{one.engine, one.model, one.dimension}].push_back(std::move(one.move));
    }
    std::set<std::string> dimensions;
    for (const ComparedDimension& one : dimensions_compared(before_, after_, pairs_)) {
      dimensions.insert(one.dimension);
      const auto moves = by_dimension.find({one.engine, one.model, one.dimension});
      if (moves == by_dimension.end() && comparison.proven) continue;
      count(one, moves == by_dimension.end() ? std::vector<Move>() : std::move(moves->second),
            comparison.proven, changes.moves);
    }
    changes.models = pairs_.pairs.size();
    for (const ModelPair& pair : pairs_.pairs) {
      const sema::Model& a = before_.models.get(pair.before);
      const sema::Model& b = after_.models.get(pair.after);
      for (const auto& [program, model] : {std::pair(&before_, &a), std::pair(&after_, &b)}) {
        for (const sema::OrderTable& table : model->order_tables) {
          dimensions.insert(program->dimensions.get(table.dimension).name);
        }
        changes.has_phases |= !model->phases.empty();
        changes.has_costs |= !model->costs.empty();
      }
    }
    changes.dimensions.assign(dimensions.begin(), dimensions.end());
    prove::Formulas formulas;
    prove::Prover prover(formulas);
    compare_phases(prover, changes);
    SettingsCompared settings = compare_settings(prover, before_, after_, pairs_);
    changes.settings = std::move(settings.changes);
    changes.proven &= settings.proven;
    changes.renamed = pairs_.renamed;
    changes.only_before = std::move(comparison.only_before);
    changes.only_after = std::move(comparison.only_after);
    changes.names = seen_.names();
    std::ranges::stable_sort(changes.moves, [](const CountedMove& a, const CountedMove& b) {
      return std::tie(a.total_ns, a.names, a.known_names) >
             std::tie(b.total_ns, b.names, b.known_names);
    });
    return changes;
  }

 private:
  /// Phases are a list of rules, too. What they label are texts of steps, which no list of names of
  /// kernels has.
  void compare_phases(prove::Prover& prover, RuleChanges& changes) {
    std::map<std::pair<RulesOf, RulesOf>, std::vector<CountedMove>> known;
    for (const ModelPair& pair : pairs_.pairs) {
      const sema::Model& a = before_.models.get(pair.before);
      const TableOf old_table{&before_, phases_of(before_, a)};
      const TableOf new_table{&after_, phases_of(after_, after_.models.get(pair.after))};
      const auto [at, added] = known.try_emplace({rules_of(old_table), rules_of(new_table)});
      if (added) {
        TableComparison compared = compare_tables(prover, old_table, new_table);
        changes.proven &= compared.proven;
        for (Move& move : compared.moves) {
          CountedMove& one = at->second.emplace_back();
          const auto decide = [&](Labeller& side, const sema::Table* table) {
            const prove::Witness& witness = move.witness;
            return side.decide(table, side.scan(witness.name, witness.kind, witness.within));
          };
          one.before = decide(seen_.before(), old_table.table);
          one.after = decide(seen_.after(), new_table.table);
          one.change.move = std::move(move);
        }
      }
      for (CountedMove one : at->second) {
        one.change.engine = before_.engines.get(a.engine).name;
        one.change.model = a.name;
        one.change.dimension = phases_dimension;
        changes.moves.push_back(std::move(one));
      }
    }
  }

  const sema::Table* phases_of(const sema::Program& program, const sema::Model& model) {
    auto table = std::make_unique<sema::Table>();
    for (const sema::RuleId id : model.phases) {
      if (program.rules.get(id).otherwise) {
        table->otherwise = id;
      } else {
        table->rules.push_back(id);
      }
    }
    return phases_.emplace_back(std::move(table)).get();
  }

  /// The best example of each pair of labels.
  std::vector<Move> moves_seen(TableOf before, TableOf after) {
    std::vector<Move> moves;
    std::set<LabelPair> shown;
    for (const SeenMove& move : seen_.moves(before, after)) {
      LabelPair labels = labels_of(move);
      if (!shown.insert(labels).second) continue;
      moves.push_back({std::move(labels.first), std::move(labels.second),
                       witness_of(seen_.names()[move.name])});
    }
    return moves;
  }

  LabelPair labels_of(const SeenMove& move) {
    return {std::string(seen_.before().label(move.before)),
            std::string(seen_.after().label(move.after))};
  }

  void count(const ComparedDimension& of, std::vector<Move> moves, bool proven,
             std::vector<CountedMove>& out) {
    std::vector<CountedMove> counted;
    std::map<LabelPair, size_t> places;
    const auto add = [&](Move move) -> CountedMove& {
      places.emplace(LabelPair{move.from, move.to}, counted.size());
      CountedMove& one = counted.emplace_back();
      one.change = {of.engine, of.model, of.dimension, std::move(move)};
      return one;
    };
    for (Move& move : moves) add(std::move(move));
    const std::vector<SeenMove>& all_seen = seen_.moves(of.before, of.after);
    for (const SeenMove& move : all_seen) {
      const SeenName& name = seen_.names()[move.name];
      LabelPair labels = labels_of(move);
      const auto place = places.find(labels);
      KR_CHECK(place != places.end() || !proven);
      CountedMove& one = place != places.end()
                             ? counted[place->second]
                             : add({std::move(labels.first), std::move(labels.second), {}});
      const bool counts =
          name.is_of(of.engine, of.model) || name.is_of(of.other_engine, of.other_model);
      if (!one.is_seen() || (counts && one.moved.empty())) {
        one.change.move.witness = witness_of(name);
        one.seen_in = name.seen_in;
        one.before = move.before;
        one.after = move.after;
      }
      if (!counts) continue;
      one.moved.push_back(move.name);
      one.deciding.emplace_back(move.before, move.after);
      ++(name.is_callers() ? one.names : one.known_names);
      add_time(one.total_ns, name.total_ns);
    }
    for (CountedMove& one : counted) {
      if (!one.is_seen()) invent(of, all_seen, one);
      out.push_back(std::move(one));
    }
  }

  /// Models that share their tables share what is invented.
  void invent(const ComparedDimension& of, const std::vector<SeenMove>& tables, CountedMove& one) {
    const Move& move = one.change.move;
    const auto [at, added] = invented_.try_emplace({&tables, move.from, move.to});
    if (added) at->second = inventor_.example(of.before, of.after, move);
    one.change.move.witness = at->second.witness;
    one.before = at->second.before;
    one.after = at->second.after;
    one.extends_seen = at->second.extends_seen;
  }

  const sema::Program& before_;
  const sema::Program& after_;
  ModelPairs pairs_;
  std::vector<std::unique_ptr<const sema::Table>> phases_;  // by model and side
  SeenNames seen_;
  Inventor inventor_;
  /// By the moves seen of two tables, which identify these, and by labels.
  std::map<std::tuple<const std::vector<SeenMove>*, std::string, std::string>, Example> invented_;
};

}  // namespace

RuleChanges compare_rules(const ScannedProgram& before, const ScannedProgram& after,
                          std::vector<SeenName> names, const Chosen& chosen_before,
                          const Chosen& chosen_after) {
  ModelPairs pairs = pair_models(*before.program, *after.program, chosen_before, chosen_after);
  for (const ScannedProgram* side : {&before, &after}) {
    std::ranges::move(names_in_tests(*side->program), std::back_inserter(names));
  }
  return Counter(before, after, std::move(pairs), joined(std::move(names))).count();
}

std::vector<MoveGroup> RuleChanges::groups() const {
  std::vector<MoveGroup> groups;
  std::map<std::tuple<std::string, std::string, std::string>, size_t> places;
  for (size_t i = 0; i < moves.size(); ++i) {
    const Change& change = moves[i].change;
    const auto [at, added] =
        places.try_emplace({change.dimension, change.move.from, change.move.to}, groups.size());
    if (added) groups.emplace_back();
    groups[at->second].moves.push_back(i);
  }
  for (MoveGroup& group : groups) {
    std::set<uint32_t> moved;
    for (const size_t move : group.moves) {
      moved.insert(moves[move].moved.begin(), moves[move].moved.end());
    }
    for (const uint32_t i : moved) {
      ++(names[i].is_callers() ? group.names : group.known_names);
      add_time(group.total_ns, names[i].total_ns);
    }
    std::stable_partition(group.moves.begin(), group.moves.end(),
                          [this](size_t move) { return moves[move].is_seen(); });
  }
  const auto rank = [this](const MoveGroup& one) {
    const CountedMove& example = moves[one.moves.front()];
    return std::tuple(one.total_ns, one.names, one.known_names, example.is_seen(),
                      example.extends_seen);
  };
  std::ranges::stable_sort(
      groups, [&](const MoveGroup& a, const MoveGroup& b) { return rank(a) > rank(b); });
  return groups;
}

}  // namespace kr::compare
