// Many chains as one deterministic automaton, in one direction. Its states are made when a sequence
// first reaches them, so that a place of a sequence costs one look-up, however many chains there
// are. Sequences of real runs repeat, and reach few states.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/hash_index.hpp"
#include "order/bits.hpp"

namespace kr::order {

/// Letters that no rule in work distinguishes are one class.
using Class = uint32_t;

class Joint {
 public:
  /// A part of a chain. Its state: the steps that may take the next place.
  struct Part {
    Moves moves;
    /// The steps that may take any place.
    Steps always = 0;
    /// Only these steps count.
    Steps keep = 0;
    /// By class: whether the chain sees it, and the steps that take it.
    std::vector<uint8_t> sees;
    std::vector<Steps> takes;
  };
  static constexpr uint32_t no_state = UINT32_MAX;
  static constexpr size_t max_edges = 1 << 24;

  Joint(std::vector<Part> parts, size_t classes, size_t max_states)
      : parts_(std::move(parts)),
        classes_(classes),
        max_states_(std::max<size_t>(1, std::min(max_states, max_edges / classes))) {
    for (const Part& part : parts_) scratch_.push_back(part.always & part.keep);
    initial_ = intern();
  }

  /// States are numbered in steps of the number of classes: state + class is an edge.
  uint32_t initial() const { return initial_; }
  uint32_t edge(uint32_t state, Class read) const { return state + read; }
  /// `no_state` if there would be too many states.
  uint32_t next(uint32_t state, Class read) {
    const uint32_t known = edges_[state + read];
    return known != no_state ? known : make(state, read);
  }
  /// By part: the steps that may take the next place. Valid until the next state is made.
  std::span<const Steps> active(uint32_t state) const {
    return {sets_.data() + state / classes_ * parts_.size(), parts_.size()};
  }
  size_t states() const { return edges_.size() / classes_; }
  size_t classes() const { return classes_; }
  const std::vector<Part>& parts() const { return parts_; }

 private:
  uint32_t make(uint32_t state, Class read) {
    const std::span<const Steps> from = active(state);
    for (size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      if (part.sees[read] == 0) {
        scratch_[p] = from[p];
        continue;
      }
      scratch_[p] = (part.always | part.moves.next(from[p] & part.takes[read])) & part.keep;
    }
    const uint32_t to = intern();
    if (to != no_state) edges_[state + read] = to;
    return to;
  }

  uint32_t intern() {
    const std::string_view bytes(reinterpret_cast<const char*>(scratch_.data()),
                                 scratch_.size() * sizeof(Steps));
    if (states() >= max_states_) return no_state;
    const auto next = static_cast<uint32_t>(edges_.size());
    const uint32_t found = index_.find_or_add(hash_bytes(bytes), next, [&](uint32_t state) {
      return std::ranges::equal(active(state), scratch_);
    });
    if (found == next) {
      sets_.insert(sets_.end(), scratch_.begin(), scratch_.end());
      edges_.resize(edges_.size() + classes_, no_state);
    }
    return found;
  }

  std::vector<Part> parts_;
  size_t classes_;
  size_t max_states_;
  uint32_t initial_ = 0;
  std::vector<uint32_t> edges_;
  std::vector<Steps> sets_;
  std::vector<Steps> scratch_;
  HashIndex index_;
};

}  // namespace kr::order
