#include "prove/search.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace kr::prove {
namespace {

struct StatesHash {
  size_t operator()(const std::pair<Side, States>& key) const noexcept {
    auto hash = static_cast<size_t>(key.first) + 0x9e3779b97f4a7c15U;
    for (const uint32_t state : key.second) hash = (hash ^ state) * 0x100000001b3U;
    return hash;
  }
};

/// What is wanted, ready to be asked of sets of matched languages: nodes with operands first.
class Wanted {
 public:
  Wanted(const Formulas& formulas, FormulaId wanted, size_t languages)
      : formulas_(formulas), uses_(languages, 0), stands_for_(languages) {
    compile(wanted);
    for (uint32_t i = 0; i < languages; ++i) stands_for_[i] = i;
    for (const Node& node : nodes_) join_alternatives(node);
    values_.resize(nodes_.size());
  }

  bool uses(uint32_t language) const { return uses_[language] != 0; }
  /// Languages that serve equally well have one that stands for them all.
  uint32_t stands_for(uint32_t language) const { return stands_for_[language]; }

  bool holds(const std::vector<char>& matched) {
    for (size_t i = 0; i < nodes_.size(); ++i) values_[i] = value(nodes_[i], matched) ? 1 : 0;
    return values_.back() != 0;
  }

 private:
  struct Node {
    Op op = Op::never;
    uint32_t language = 0;
    std::vector<uint32_t> operands;
  };

  uint32_t compile(FormulaId id) {
    const Formula& formula = formulas_.get(id);
    KR_CHECK(formula.op != Op::negation);
    if (formula.op == Op::atom) ++uses_[formula.language.index];
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    Node node{formula.op, formula.language.index, {}};
    for (const FormulaId operand : formula.operands) node.operands.push_back(compile(operand));
    nodes_.push_back(std::move(node));
    const auto index = static_cast<uint32_t>(nodes_.size() - 1);
    known_.emplace(id, index);
    return index;
  }

  /// The languages of one `|` that stand nowhere else.
  void join_alternatives(const Node& node) {
    if (node.op != Op::disjunction) return;
    std::optional<uint32_t> first;
    for (const uint32_t operand : node.operands) {
      const Node& one = nodes_[operand];
      if (one.op != Op::atom || uses_[one.language] != 1) continue;
      if (!first) first = one.language;
      stands_for_[one.language] = *first;
    }
  }

  bool value(const Node& node, const std::vector<char>& matched) const {
    const auto holds = [this](uint32_t operand) { return values_[operand] != 0; };
    switch (node.op) {
      case Op::always:
        return true;
      case Op::atom:
        return matched[node.language] != 0;
      case Op::conjunction:
        return std::all_of(node.operands.begin(), node.operands.end(), holds);
      case Op::disjunction:
        return std::any_of(node.operands.begin(), node.operands.end(), holds);
      default:
        return false;
    }
  }

  const Formulas& formulas_;
  std::vector<Node> nodes_;
  std::vector<char> values_;
  std::vector<uint32_t> uses_;        // by language: places in the formula
  std::vector<uint32_t> stands_for_;  // by language
  std::unordered_map<FormulaId, uint32_t> known_;
};

class Searcher {
 public:
  Searcher(const Formulas& formulas, const Automaton& automaton, const PlainQuestion& question,
           size_t& budget)
      : automaton_(automaton),
        wanted_(formulas, question.wanted, automaton.languages()),
        budget_(budget),
        bad_(automaton.languages(), 0),
        active_(automaton.languages(), 0),
        matched_(automaton.languages(), 0),
        is_good_(automaton.languages(), 0) {
    for (const uint32_t language : question.excluded) bad_[language] = 1;
    for (uint32_t i = 0; i < active_.size(); ++i) {
      KR_CHECK(bad_[i] == 0 || !wanted_.uses(i));
      active_[i] = bad_[i] != 0 || wanted_.uses(i) ? 1 : 0;
      sides_matter_ |= active_[i] != 0 && automaton.has_edges(i);
      is_good_[i] = wanted_.uses(i) ? 1 : 0;
      if (wanted_.uses(i)) good_.push_back(i);
    }
  }

  NameFound run() {
    States to;
    enter(to, Side::nothing, no_node, 0);
    // A name has at least one byte, where one will do.
    const bool empty_name = found_ == 0;
    found_ = no_node;
    for (uint32_t at = 0; at < nodes_.size() && found_ == no_node; ++at) {
      for (size_t c = 0; c < automaton_.classes() && found_ == no_node; ++c) {
        if (budget_ == 0) return {Search::out_of_budget, {}};
        if (leads_nowhere(at, c)) continue;
        automaton_.step(nodes_[at].states, nodes_[at].before, c, active_, to);
        charge(1 + (nodes_[at].states.size() + to.size()) / states_a_step);
        enter(to, automaton_.side(c), at, c);
      }
    }
    if (found_ != no_node) return {Search::found, name(found_)};
    if (empty_name) return {Search::found, {}};
    return {Search::none, {}};
  }

 private:
  struct Node {
    States states;
    Side before;
    uint32_t parent;
    uint32_t byte_class;
  };
  static constexpr uint32_t no_node = ~uint32_t{0};
  /// A step over more states than that counts as several.
  static constexpr size_t states_a_step = 32;

  void charge(size_t steps) { budget_ -= std::min(budget_, steps); }

  Side key_of(Side before) const { return sides_matter_ ? before : Side::other; }

  /// Whether a set of states is known, of those that nothing excluded has come on in, that has come
  /// as far in all that is wanted. Cheap to ask, and true for most bytes.
  bool leads_nowhere(uint32_t at, size_t byte_class) {
    const auto& neutral = neutral_[static_cast<size_t>(key_of(automaton_.side(byte_class)))];
    if (!neutral) return false;
    automaton_.step_some(nodes_[at].states, nodes_[at].before, byte_class, good_, is_good_, some_);
    std::sort(some_.begin(), some_.end());
    return covers(nodes_[*neutral].states, some_, false);
  }

  /// Where a language has matched, those it stands for need not be followed. False where an
  /// excluded one has matched.
  bool settle(States& states) {
    const auto is_bad = [this](uint32_t state) {
      return automaton_.is_matched(state) && bad_[automaton_.language_of(state)] != 0;
    };
    if (std::any_of(states.begin(), states.end(), is_bad)) return false;
    groups_.clear();
    for (const uint32_t state : states) {
      if (!automaton_.is_matched(state)) continue;
      const uint32_t group = wanted_.stands_for(automaton_.language_of(state));
      if (matched_[group] != 0) continue;
      matched_[group] = 1;
      groups_.push_back(group);
    }
    if (groups_.empty()) return true;
    std::erase_if(states, [this](uint32_t state) {
      return matched_[wanted_.stands_for(automaton_.language_of(state))] != 0;
    });
    for (const uint32_t group : groups_) {
      states.push_back(automaton_.matched(group));
      matched_[group] = 0;
    }
    std::sort(states.begin(), states.end());
    return true;
  }

  bool ends_well(const States& states, Side before) {
    automaton_.matched_at_end(states, before, active_, groups_);
    for (const uint32_t language : groups_) {
      if (bad_[language] != 0) return false;
    }
    for (const uint32_t language : groups_) matched_[language] = 1;
    const bool well = wanted_.holds(matched_);
    for (const uint32_t language : groups_) matched_[language] = 0;
    return well;
  }

  /// Whether X has come at least as far as Y in every wanted language, or every excluded one.
  bool covers(const States& x, const States& y, bool excluded) const {
    size_t j = 0;
    for (const uint32_t state : y) {
      const uint32_t language = automaton_.language_of(state);
      if ((bad_[language] != 0) != excluded) continue;
      const uint32_t matched = automaton_.matched(language);
      while (j < x.size() && x[j] < matched) ++j;
      if (j < x.size() && x[j] == matched) continue;
      const uint32_t group = wanted_.stands_for(language);
      if (group != language && std::binary_search(x.begin(), x.end(), automaton_.matched(group))) {
        continue;
      }
      size_t k = j;
      while (k < x.size() && x[k] < state) ++k;
      if (k == x.size() || x[k] != state) return false;
    }
    return true;
  }

  void enter(States& states, Side before, uint32_t parent, size_t byte_class) {
    if (!settle(states)) return;
    const Side key = parent == no_node ? Side::nothing : key_of(before);
    if (!seen_.emplace(key, states).second) return;
    const std::vector<uint32_t>& others = by_side_[static_cast<size_t>(key)];
    for (const uint32_t other : others) {
      const States& there = nodes_[other].states;
      if (covers(there, states, false) && covers(states, there, true)) return;
    }
    charge(others.size() / states_a_step);
    nodes_.push_back({states, before, parent, static_cast<uint32_t>(byte_class)});
    const auto index = static_cast<uint32_t>(nodes_.size() - 1);
    by_side_[static_cast<size_t>(key)].push_back(index);
    auto& neutral = neutral_[static_cast<size_t>(key)];
    const auto excluded = [this](uint32_t state) {
      return bad_[automaton_.language_of(state)] != 0;
    };
    if (!neutral && std::none_of(states.begin(), states.end(), excluded)) neutral = index;
    if (ends_well(states, before)) found_ = index;
  }

  std::string name(uint32_t node) const {
    std::string bytes;
    for (; nodes_[node].parent != no_node; node = nodes_[node].parent) {
      bytes += static_cast<char>(automaton_.representative(nodes_[node].byte_class));
    }
    std::reverse(bytes.begin(), bytes.end());
    return bytes;
  }

  const Automaton& automaton_;
  Wanted wanted_;
  size_t& budget_;
  std::vector<char> bad_;      // by language: excluded
  std::vector<char> active_;   // by language: wanted or excluded
  std::vector<char> matched_;  // by language; scratch, all 0 between uses
  std::vector<uint32_t> groups_;
  std::vector<char> is_good_;  // by language: wanted
  std::vector<uint32_t> good_;
  States some_;  // scratch
  bool sides_matter_ = false;
  std::vector<Node> nodes_;
  std::array<std::optional<uint32_t>, 3> neutral_;  // by side: a node without excluded states
  std::array<std::vector<uint32_t>, 3> by_side_;
  std::unordered_set<std::pair<Side, States>, StatesHash> seen_;
  uint32_t found_ = no_node;
};

}  // namespace

NameFound search(const Formulas& formulas, const Automaton& automaton,
                 const PlainQuestion& question, size_t& budget) {
  return Searcher(formulas, automaton, question, budget).run();
}

}  // namespace kr::prove
