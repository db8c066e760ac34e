// How many steps all questions of one piece of work may take together, so that no file of rules
// takes minutes. Steps are counted, never time: what is proven is the same on every machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>

namespace kr::prove {

/// Thrown out of Prover::find once the work is not wanted any more.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

/// Steps that are left for one question, counted twice.
struct Steps {
  Steps(size_t both) : search(both), work(both) {}
  Steps(size_t search_steps, size_t all_work) : search(search_steps), work(all_work) {}

  /// Places of the search alone. They decide which questions are too much, whatever a step takes.
  size_t search;
  /// All that takes time: a unit is some 0.3 us of a processor of 2024.
  size_t work;

  void take_search(size_t count) {
    search -= std::min(search, count);
    take_work(count);
  }
  void take_work(size_t count) { work -= std::min(work, count); }
  bool gone() const { return search == 0 || work == 0; }
  friend bool operator==(const Steps&, const Steps&) = default;
};

/// Several Provers may share one, on one thread.
class Allowance {
 public:
  /// Some two seconds of a processor of 2024.
  static constexpr size_t default_steps = 6'000'000;
  /// What a question may still take when the steps are gone: what is easy stays proven.
  static constexpr size_t few = 1000;

  /// `stop` may be null, and be set by any thread.
  explicit Allowance(size_t steps = default_steps, const std::atomic<bool>* stop = nullptr)
      : left_(steps), spare_(steps / 4), stop_(stop) {}

  /// What one question may take, `most` steps of its search at the most. A question of which one
  /// step takes very long gets a part of what is left, so that others are answered too. Throws
  /// Stopped.
  Steps granted(size_t most) const {
    if (stop_ != nullptr && *stop_) throw Stopped();
    if (left_ >= few) return {most, std::max(few, left_ / 4)};
    return {std::min(most, few), std::min(few, left_ + spare_)};
  }
  void take(size_t work) {
    const size_t first = std::min(work, left_);
    left_ -= first;
    spare_ -= std::min(work - first, spare_);
  }
  /// No question gets any more steps.
  bool is_used_up() const { return left_ + spare_ == 0; }
  /// A question was given up that might have been answered with more steps for all together.
  bool ran_out() const { return ran_out_; }
  void set_ran_out() { ran_out_ = true; }

 private:
  size_t left_;
  size_t spare_;
  const std::atomic<bool>* stop_;
  bool ran_out_ = false;
};

}  // namespace kr::prove
