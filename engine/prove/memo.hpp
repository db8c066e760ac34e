// What was proven, kept from one version of the rules to the next, and from one run to the next:
// between two edits most questions about names stay the same.
//
// A question is known by its digest, which says what is asked as it is written (see Formula) and
// nothing of where it stands. Steps are counted as if they were taken anew, and an answer is given
// only where asking again would give the very same; so a memo changes no finding, but for time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "prove/find_name.hpp"

namespace kr::prove {

/// What came of a question.
struct Proof {
  NameFinding finding;
  Steps budget;  // that was left when it was asked
  Steps used;
};
using Proofs = std::unordered_map<Hash128, Proof>;

/// Proofs as bytes, which other versions of the prover do not read.
std::string to_bytes(const Proofs& proofs);
/// None where the bytes are not such, whole.
std::optional<Proofs> proofs_from(std::string_view bytes);
/// The version of the prover: a digest of its source, so that no proof outlives it.
std::string_view prover_version();

/// For one thread.
class ProofMemo {
 public:
  /// `known` is read by any number of memos; null: nothing is known.
  explicit ProofMemo(std::shared_ptr<const Proofs> known = nullptr) : known_(std::move(known)) {}

  /// What asking would give with as many steps left, where that is known; takes the steps it took.
  std::optional<NameFinding> recall(const Hash128& question, Steps& budget);
  /// Of a question asked with `budget` steps left, of which it took `used`.
  void keep(const Hash128& question, NameFinding finding, Steps budget, Steps used);
  /// What was kept last, and was not known.
  const Proofs& kept() const noexcept { return recent_; }

  /// Of so many kept last, and as many before them, those that were asked for since are still
  /// there.
  static constexpr size_t max_kept = 50000;

 private:
  void add(const Hash128& question, Proof proof);

  std::shared_ptr<const Proofs> known_;
  Proofs recent_;
  Proofs older_;
};

}  // namespace kr::prove
