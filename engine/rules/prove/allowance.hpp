// Limits the steps of all proofs of one task, so that no rules file takes minutes. Steps are
// counted, not time: every machine proves the same.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>

namespace kr::prove {

/// Thrown by Prover::find after the task was cancelled.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

/// The remaining steps for one question, counted in two ways.
struct Steps {
  Steps(size_t both) : search(both), work(both) {}
  Steps(size_t search_steps, size_t all_work) : search(search_steps), work(all_work) {}

  /// States of the search only. They determine which questions are too expensive.
  size_t search;
  /// Everything that takes time: one unit is about 0.3 us on a processor of 2024.
  size_t work;

  void take_search(size_t count) {
    search -= std::min(search, count);
    take_work(count);
  }
  void take_work(size_t count) { work -= std::min(work, count); }
  bool gone() const { return search == 0 || work == 0; }
  friend bool operator==(const Steps&, const Steps&) = default;
};

/// Several Provers may share an Allowance, on one thread.
class Allowance {
 public:
  /// About two seconds on a processor of 2024.
  static constexpr size_t default_steps = 6'000'000;
  /// Steps for a question after the allowance is used up: easy questions are still answered.
  static constexpr size_t few = 1000;

  /// `stop` may be null; any thread may set it.
  explicit Allowance(size_t steps = default_steps, const std::atomic<bool>* stop = nullptr)
      : left_(steps), spare_(steps / 4), stop_(stop) {}

  /// The steps that one question may take, at most `most` steps of the search. An expensive
  /// question gets only a part of the remaining steps, so that others are answered too. Throws
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
  /// The remaining steps.
  size_t left() const { return left_ + spare_; }
  /// Whether no steps remain for any question.
  bool is_used_up() const { return left_ + spare_ == 0; }
  /// Whether a question was abandoned that a larger allowance might have answered.
  bool ran_out() const { return ran_out_; }
  void set_ran_out() { ran_out_ = true; }

 private:
  size_t left_;
  size_t spare_;
  const std::atomic<bool>* stop_;
  bool ran_out_ = false;
};

}  // namespace kr::prove
