// What was proven, kept from one version of the rules to the next: between two edits most questions
// about names stay the same.
//
// A question is known by its digest, which says what is asked as it is written (see Formula) and
// nothing of where it stands. Steps are counted as if they were taken anew, and an answer is given
// only where asking again would give the very same; so a memo changes no finding, but for time.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "prove/find_name.hpp"

namespace kr::prove {

/// For one thread.
class ProofMemo {
 public:
  /// What asking would give with as many steps left, where that is known; takes the steps it took.
  std::optional<NameFinding> recall(const Digest& question, Steps& budget);
  /// Of a question asked with `budget` steps left, of which it took `used`.
  void keep(const Digest& question, NameFinding finding, Steps budget, Steps used);

  /// Of so many kept last, and as many before them, those that were asked for since are still
  /// there.
  static constexpr size_t max_kept = 50000;

 private:
  struct Kept {
    NameFinding finding;
    Steps budget;
    Steps used;
  };
  using Answers = std::unordered_map<Digest, Kept>;

  void add(const Digest& question, Kept kept);

  Answers recent_;
  Answers older_;
};

}  // namespace kr::prove
