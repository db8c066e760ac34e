// Keeps proofs from one `kr lint` to the next in the cache folder, and reads the installed proofs
// of the shipped rules. Like the whole cache, they change no result.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "match/scanner.hpp"
#include "prove/memo.hpp"

namespace kr::lint {

class ProofCache {
 public:
  explicit ProofCache(const std::optional<match::Database::Cache>& cache);

  const std::shared_ptr<const prove::Proofs>& known() const noexcept { return known_; }
  /// Adds new proofs.
  void add(const prove::Proofs& proven);
  /// Writes the new proofs, if there are any.
  void write() const noexcept;

 private:
  std::optional<match::Database::Cache> cache_;
  std::shared_ptr<const prove::Proofs> known_;
  prove::Proofs own_;  // those in the user's file
  size_t added_ = 0;
};

}  // namespace kr::lint
