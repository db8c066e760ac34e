#include <algorithm>
#include <optional>

#include "prove/find_name.hpp"
#include "prove/progress.hpp"

namespace kr::prove {
namespace {

// A node of the search is the progress of the name towards the wanted formula, and its threats: the
// states of excluded languages. A node dominates another if it has all its progress and no other
// threats. Progress is numbered, so transitions and comparisons are cached; threats are first
// compared by a few bits.
class Searcher {
 public:
  Searcher(const Formulas& formulas, const Automaton& automaton, const PlainQuestion& question,
           Steps& budget)
      : automaton_(automaton),
        progresses_(formulas, automaton, question.wanted),
        budget_(budget),
        excluded_(automaton.languages(), 0) {
    for (const uint32_t language : question.excluded) excluded_[language] = 1;
    for (uint32_t i = 0; i < excluded_.size(); ++i) {
      KR_CHECK(excluded_[i] == 0 || !progresses_.uses(i));
      const bool active = excluded_[i] != 0 || progresses_.uses(i);
      sides_matter_ |= active && automaton.has_edges(i);
    }
    for (std::vector<Begun>& of_side : begun_) of_side.resize(automaton_.classes());
  }

  NameFinding run() {
    enter(Progresses::start, {}, Side::nothing, no_node, 0);
    // Prefer a name of at least one byte.
    const bool empty_name = found_ == 0;
    found_ = no_node;
    States threats;
    for (uint32_t at = 0; at < nodes_.size() && found_ == no_node; ++at) {
      for (const size_t c : automaton_.by_reading()) {
        if (found_ != no_node) break;
        if (budget_.gone()) return {Answer::not_proven, {}};
        const Side side = side_behind(c);
        const uint32_t progress = progresses_.next(nodes_[at].progress, nodes_[at].before, c);
        if (progress == Progresses::dead_state || is_settled(progress, side)) continue;
        const bool none_matched = step_threats(at, c, threats);
        budget_.take_search(1 + (nodes_[at].threats.size() + threats.size()) / states_a_step);
        if (none_matched) enter(progress, threats, side, at, c);
      }
    }
    if (found_ != no_node) return {Answer::found, name(found_)};
    if (empty_name) return {Answer::found, {}};
    return {Answer::none, {}};
  }

 private:
  struct Node {
    States threats;  // none of them has matched
    Side before;
    uint32_t progress;
    uint32_t parent;
    uint32_t byte_class;
  };
  /// A node of one progress.
  struct Kept {
    Summary threats;
    uint32_t node;
  };
  struct AtProgress {
    std::array<std::vector<Kept>, 3> kept;       // by side before
    std::array<std::optional<bool>, 3> settled;  // compared with the side's free node
    std::vector<uint32_t> as_far;                // dominating ones of entered_[0, compared)
    size_t compared = 0;
  };
  /// The threats that begin with a byte.
  struct Begun {
    bool known = false;
    bool matched = false;  // immediately
    States states;
  };
  static constexpr uint32_t no_node = ~uint32_t{0};
  /// A step over more states counts as several.
  static constexpr size_t states_a_step = 32;
  /// A comparison with more nodes counts as several steps of the search.
  static constexpr size_t nodes_a_step = 256;
  /// The comparisons in the time of one step.
  static constexpr size_t comparisons_a_step = 16;

  void charge_comparisons(size_t count) {
    budget_.search -= std::min(budget_.search, count / nodes_a_step);
    comparisons_ += count;
    budget_.take_work(comparisons_ / comparisons_a_step);
    comparisons_ %= comparisons_a_step;
  }

  /// Word bytes and other bytes are the same unless a language has word boundaries.
  Side side_behind(size_t byte_class) const {
    return sides_matter_ ? automaton_.side(byte_class) : Side::other;
  }

  AtProgress& at_progress(uint32_t progress) {
    if (progress >= by_progress_.size()) by_progress_.resize(progress + 1);
    return by_progress_[progress];
  }

  /// Whether the first node without threats dominates. A fast test that is true for most bytes.
  bool is_settled(uint32_t progress, Side side) {
    const auto& free = free_[static_cast<size_t>(side)];
    if (!free) return false;
    std::optional<bool>& settled = at_progress(progress).settled[static_cast<size_t>(side)];
    if (!settled) settled = progresses_.covers(*free, progress);
    return *settled;
  }

  const Begun& begun(Side before, size_t byte_class) {
    Begun& begun = begun_[static_cast<size_t>(before)][byte_class];
    if (begun.known) return begun;
    begun.known = true;
    for (const uint32_t state : automaton_.beginnings(before, byte_class)) {
      if (excluded_[automaton_.language_of(state)] == 0) continue;
      begun.matched |= automaton_.is_matched(state);
      begun.states.push_back(state);
    }
    begun.matched |= is_excluded(automaton_.empty_between(before, automaton_.side(byte_class)));
    std::ranges::sort(begun.states);
    begun.states.erase(std::unique(begun.states.begin(), begun.states.end()), begun.states.end());
    return begun;
  }

  bool is_excluded(const std::vector<uint32_t>& languages) const {
    return std::ranges::any_of(languages,
                               [this](uint32_t language) { return excluded_[language] != 0; });
  }

  /// False if an excluded language matches.
  bool step_threats(uint32_t at, size_t byte_class, States& threats) {
    threats.clear();
    const Node& node = nodes_[at];
    const Begun& begun = this->begun(node.before, byte_class);
    moved_.clear();
    if (begun.matched ||
        !automaton_.step_unmatched(node.threats, node.before, byte_class, moved_)) {
      return false;
    }
    std::ranges::sort(moved_);
    moved_.erase(std::unique(moved_.begin(), moved_.end()), moved_.end());
    std::set_union(moved_.begin(), moved_.end(), begun.states.begin(), begun.states.end(),
                   std::back_inserter(threats));
    return true;
  }

  bool accepts_at_end(uint32_t progress, const States& threats, Side before) {
    return progresses_.accepts_at_end(progress, before) &&
           !is_excluded(automaton_.empty_between(before, Side::nothing)) &&
           std::ranges::none_of(
               threats, [&](uint32_t state) { return automaton_.matches_at_end(state, before); });
  }

  static Summary summary_of(const States& threats) {
    Summary summary;
    for (const uint32_t state : threats) summary.add(state);
    return summary;
  }

  /// Whether a known node dominates.
  bool is_covered(uint32_t progress, const States& threats, const Summary& summary, Side side) {
    AtProgress& here = at_progress(progress);
    size_t compared = entered_.size() - here.compared;
    for (; here.compared < entered_.size(); ++here.compared) {
      const uint32_t other = entered_[here.compared];
      if (progresses_.covers(other, progress)) here.as_far.push_back(other);
    }
    bool covered = false;
    for (const uint32_t other : here.as_far) {
      if (covered) break;
      for (const Kept& kept : by_progress_[other].kept[static_cast<size_t>(side)]) {
        ++compared;
        if (!kept.threats.may_be_subset_of(summary)) continue;
        const States& there = nodes_[kept.node].threats;
        covered = std::ranges::includes(threats, there);
        if (covered) break;
      }
    }
    charge_comparisons(compared);
    return covered;
  }

  void enter(uint32_t progress, const States& threats, Side before, uint32_t parent,
             size_t byte_class) {
    const Summary summary = summary_of(threats);
    if (is_covered(progress, threats, summary, before)) return;
    const auto index = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({threats, before, progress, parent, static_cast<uint32_t>(byte_class)});
    const AtProgress& here = by_progress_[progress];
    const bool first =
        std::ranges::all_of(here.kept, [](const std::vector<Kept>& kept) { return kept.empty(); });
    if (first) entered_.push_back(progress);
    const auto side = static_cast<size_t>(before);
    by_progress_[progress].kept[side].push_back({summary, index});
    if (threats.empty() && !free_[side]) free_[side] = progress;
    if (accepts_at_end(progress, threats, before)) found_ = index;
  }

  std::string name(uint32_t node) const {
    std::string bytes;
    for (; nodes_[node].parent != no_node; node = nodes_[node].parent) {
      bytes += static_cast<char>(automaton_.representative(nodes_[node].byte_class));
    }
    std::ranges::reverse(bytes);
    return bytes;
  }

  const Automaton& automaton_;
  Progresses progresses_;
  Steps& budget_;
  size_t comparisons_ = 0;      // not yet charged as work
  std::vector<char> excluded_;  // by language
  bool sides_matter_ = false;
  std::array<std::vector<Begun>, 3> begun_;  // by side before and class
  std::vector<Node> nodes_;
  std::vector<AtProgress> by_progress_;
  std::vector<uint32_t> entered_;                // progresses that have nodes
  std::array<std::optional<uint32_t>, 3> free_;  // by side: the first progress without threats
  States moved_;                                 // scratch memory
  uint32_t found_ = no_node;
};

}  // namespace

NameFinding search(const Formulas& formulas, const Automaton& automaton,
                   const PlainQuestion& question, Steps& budget) {
  return Searcher(formulas, automaton, question, budget).run();
}

}  // namespace kr::prove
