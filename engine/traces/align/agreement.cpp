#include "align/agreement.hpp"

#include <array>
#include <utility>

namespace kr::align {

void Opinion::matched(const Calls& calls, const Item& item) {
  if (!matched_) {
    matched_ = true;
    first_ = item;
    last_path_ = calls.path(item.call);
    return;
  }
  if (item.chain != first_.chain) same_ = same_kind_ = false;
  const uint32_t path = calls.path(item.call);
  if (path == last_path_) return;
  last_path_ = path;
  if (path != calls.path(first_.call)) same_ = false;
  if (!same_kind_) return;
  constexpr uint32_t max_levels = 64;  // bits of `unnumbered_`
  if (calls.kind_path(item.call) != calls.kind_path(first_.call) ||
      calls.levels(item.call) > max_levels) {
    same_kind_ = false;
    return;
  }
  uint32_t a = item.call;
  uint32_t b = first_.call;
  for (; a != b; a = calls[a].outer, b = calls[b].outer) {
    if (calls[a].name != calls[b].name) unnumbered_ |= uint64_t{1} << (calls[a].levels - 1);
  }
}

void Opinion::has_ops(uint32_t ops) {
  if (has_ops_ && ops != ops_) ops = Sequence::unsure;
  has_ops_ = true;
  ops_ = ops;
}

void Opinion::ops_at(uint32_t sequence, uint32_t item) {
  if (std::exchange(has_ops_at_, true)) return;
  ops_sequence_ = sequence;
  ops_item_ = item;
}

void Opinion::stands_in(const Calls& calls, uint32_t call, uint32_t sequence, uint32_t item) {
  if (!stands_) {
    stands_ = true;
    call_ = call;
    levels_ = calls.levels(call);
    sequence_ = sequence;
    item_ = item;
    return;
  }
  const std::vector<uint32_t> known = calls.chain(call_);
  const std::vector<uint32_t> other = calls.chain(call);
  uint32_t levels = 0;
  while (levels < levels_ && levels < other.size() &&
         calls[known[levels]].name == calls[other[levels]].name) {
    ++levels;
  }
  levels_ = levels;
}

Placed Opinion::placed(const Calls& calls, bool within) const {
  Placed placed{Agreement::abstain, sequence_, item_, 0, 0};
  if (matched_ && !unmatched_) {
    if (!same_kind_) return placed;
    placed.how = same_ ? Agreement::instance : Agreement::kind;
    placed.levels = calls.levels(first_.call);
    placed.unnumbered = unnumbered_;
  } else if (within && stands_ && levels_ > 0) {
    placed.how = Agreement::within;
    placed.levels = levels_;
  }
  return placed;
}

namespace {

// Of the calls of several launches, the innermost that encloses all of them. `unset`: of none so
// far.
constexpr uint32_t unset = UINT32_MAX - 1;

/// All best alignments as paths through a grid: (i, j) is where i names and j items are behind. A
/// path goes on by an item that is not matched, by a name that is not matched, or by both as a
/// match. It stays best as long as what is matched and what can still be matched add up.
class BestPaths {
 public:
  BestPaths(Names names, std::span<const Sequence> reference, uint32_t number,
            const NamePlaces& places, const Calls& calls)
      : names_(names),
        number_(number),
        sequence_(reference[number]),
        calls_(calls),
        rest_(names, places) {}

  bool run(const Limits& limits, std::vector<Opinion>& opinions) {
    if (!forward(limits)) return false;
    walk();
    backward(opinions);
    return true;
  }

 private:
  /// A part of a row of the grid that contains all places of best paths.
  struct Row {
    size_t first;  // the column of the first
    size_t begin;  // in `before_`
    size_t size;
  };
  size_t columns() const { return sequence_.names.size(); }
  bool is_match(size_t i, size_t j) const { return names_[i] == sequence_.names[j]; }

  void meet(uint32_t& to, uint32_t call) const {
    if (to == unset) {
      to = call;
    } else if (to != call) {
      to = calls_.common(to, call);
    }
  }

  /// Calls `visit(j, place, skips_item, skips_name, matches)` for the places of best paths in a
  /// row. `place` is that of the row.
  template <class Visit>
  void each(size_t i, const Row& row, const Visit& visit) const {
    uint32_t here = rest_.at(i, row.first);
    uint32_t below = i < names_.size() ? rest_.at(i + 1, row.first) : 0;
    for (size_t k = 0; k < row.size; ++k) {
      const size_t j = row.first + k;
      const bool last_item = j == columns();
      const uint32_t step = last_item ? 0 : rest_.step(i, j);
      const bool has_name = i < names_.size();
      const uint32_t step_below = last_item || !has_name ? 0 : rest_.step(i + 1, j);
      if (before_[row.begin + k] != unset) {
        visit(j, row.begin + k, !last_item && step == 0, has_name && below == here,
              !last_item && has_name && is_match(i, j) && below - step_below + 1 == here);
      }
      here -= step;
      below -= step_below;
    }
  }

  bool forward(const Limits& limits) {
    std::vector<uint32_t> next{Calls::none};  // nothing is matched before the first place
    size_t first = 0;
    for (size_t i = 0; i <= names_.size(); ++i) {
      // Items that are not matched lead on within the row.
      for (size_t k = 0; k < next.size(); ++k) {
        const size_t j = first + k;
        if (next[k] == unset || j == columns() || rest_.step(i, j) != 0) continue;
        if (k + 1 == next.size()) next.push_back(unset);
        meet(next[k + 1], next[k]);
      }
      rows_.push_back({first, before_.size(), next.size()});
      before_.insert(before_.end(), next.begin(), next.end());
      if (before_.size() > limits.places) return false;
      if (i == names_.size()) break;
      const Row& row = rows_.back();
      next.assign(row.size + 1, unset);
      each(i, row, [&](size_t j, size_t place, bool, bool skips_name, bool matches) {
        if (skips_name) meet(next[j - row.first], before_[place]);
        if (matches) meet(next[j + 1 - row.first], sequence_.items[j].call);
      });
      size_t begin = 0;
      while (next[begin] == unset) ++begin;
      while (next.back() == unset) next.pop_back();
      next.erase(next.begin(), next.begin() + static_cast<ptrdiff_t>(begin));
      first = row.first + begin;
    }
    return true;
  }

  /// One best alignment: by name, its item, or the last one matched before it.
  void walk() {
    size_t j = 0;
    uint32_t last = 0;
    chosen_.reserve(names_.size());
    uint32_t here = rest_.at(0, 0);
    for (size_t i = 0; i < names_.size(); ++i) {
      uint32_t below = rest_.at(i + 1, j);
      while (true) {
        const bool has_item = j < columns();
        const uint32_t step_below = has_item ? rest_.step(i + 1, j) : 0;
        if (has_item && is_match(i, j) && below - step_below + 1 == here) {
          last = static_cast<uint32_t>(j++);
          --here;
          break;
        }
        if (below == here) break;
        below -= step_below;
        ++j;  // the rest is the same behind this item
      }
      chosen_.push_back(last);
    }
  }

  void backward(std::vector<Opinion>& opinions) {
    std::vector<uint32_t> after;  // by place of the row below, the calls of the next match
    for (size_t i = names_.size() + 1; i-- > 0;) {
      const Row& row = rows_[i];
      std::vector<uint32_t> here(row.size, unset);
      uint32_t around = unset;  // the calls in which the name stands
      std::vector<std::array<size_t, 3>> edges;
      each(i, row, [&](size_t j, size_t, bool skips_item, bool skips_name, bool matches) {
        edges.push_back({j, size_t{skips_item} | size_t{skips_name} << 1, size_t{matches}});
      });
      for (size_t e = edges.size(); e-- > 0;) {
        const auto& [j, skips, matches] = edges[e];
        uint32_t& to = here[j - row.first];
        if (i == names_.size() && j == columns()) meet(to, Calls::none);
        if ((skips & 1) != 0) meet(to, here[j + 1 - row.first]);
        if ((skips & 2) != 0) {
          const uint32_t next = after[j - rows_[i + 1].first];
          meet(to, next);
          opinions[i].unmatched();
          meet(around, before_[row.begin + (j - row.first)]);
          meet(around, next);
        }
        if (matches != 0) {
          const Item& item = sequence_.items[j];
          meet(to, item.call);
          opinions[i].matched(calls_, item);
          if (!sequence_.ops.empty()) opinions[i].has_ops(sequence_.ops[j]);
          meet(around, item.call);
        }
      }
      if (i < names_.size()) {
        opinions[i].stands_in(calls_, around, number_, chosen_[i]);
        if (!sequence_.ops.empty()) opinions[i].ops_at(number_, chosen_[i]);
      }
      after = std::move(here);
    }
  }

  Names names_;
  uint32_t number_;
  const Sequence& sequence_;
  const Calls& calls_;
  LcsRest rest_;
  std::vector<Row> rows_;
  std::vector<uint32_t> before_;  // by place, the calls of the match before it
  std::vector<uint32_t> chosen_;
};

}  // namespace

bool add_opinions(Names names, std::span<const Sequence> reference, uint32_t sequence,
                  const NamePlaces& places, const Calls& calls, const Limits& limits,
                  std::vector<Opinion>& opinions) {
  if (names.size() * reference[sequence].names.size() > limits.cells) return false;
  return BestPaths(names, reference, sequence, places, calls).run(limits, opinions);
}

}  // namespace kr::align
