// Remembers proofs from one version of the rules to the next, and from one run to the next: between
// two edits most questions stay the same.
//
// A question is identified by its digest, which depends on its formulas (see Formula), not on their
// places. A remembered answer costs the same steps as a new proof, and it is used only if a new
// proof would give the same answer. So a memo changes only the time, not the findings.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "prove/find_name.hpp"

namespace kr::prove {

/// The result of a question.
struct Proof {
  NameFinding finding;
  Steps budget;  // before the question
  Steps used;
};
using Proofs = std::unordered_map<Hash128, Proof>;

/// Serializes proofs; other versions of the prover do not read them.
std::string to_bytes(const Proofs& proofs);
/// None if the bytes are not complete proofs of this version.
std::optional<Proofs> proofs_from(std::string_view bytes);
/// The version of the prover: a digest of its source.
std::string_view prover_version();

/// For one thread.
class ProofMemo {
 public:
  /// Any number of memos may read `known`; it may be null.
  explicit ProofMemo(std::shared_ptr<const Proofs> known = nullptr) : known_(std::move(known)) {}

  /// The answer of a question with this budget, if it is known; subtracts its steps.
  std::optional<NameFinding> recall(const Hash128& question, Steps& budget);
  /// Remembers the answer of a question that used `used` steps of `budget`.
  void keep(const Hash128& question, NameFinding finding, Steps budget, Steps used);
  /// The recent proofs that were not in `known`.
  const Proofs& kept() const noexcept { return recent_; }

  /// The maximum number of recent proofs, and of older ones.
  static constexpr size_t max_kept = 50000;

 private:
  void add(const Hash128& question, Proof proof);

  std::shared_ptr<const Proofs> known_;
  Proofs recent_;
  Proofs older_;
};

}  // namespace kr::prove
