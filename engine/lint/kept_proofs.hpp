// Proofs that stay from one `kr lint` to the next, in the cache folder; and those of the shipped
// rules, which are made with kr. Like all of the cache, they change no result.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "match/scanner.hpp"
#include "prove/memo.hpp"

namespace kr::lint {

class KeptProofs {
 public:
  explicit KeptProofs(const std::optional<match::Database::Cache>& cache);

  const std::shared_ptr<const prove::Proofs>& known() const noexcept { return known_; }
  /// What was proven beside what is known, for the next time.
  void add(const prove::Proofs& proven);
  /// Writes what was added, if anything was.
  void write() const noexcept;

 private:
  std::optional<match::Database::Cache> cache_;
  std::shared_ptr<const prove::Proofs> known_;
  prove::Proofs own_;  // what the user's file holds
  size_t added_ = 0;
};

}  // namespace kr::lint
