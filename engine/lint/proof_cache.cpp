#include "lint/proof_cache.hpp"

#include <exception>

#include "match/cache.hpp"

namespace kr::lint {
namespace {

/// Versions of the prover share one file: creating the proofs again takes a second.
match::CacheFile file_in(const std::filesystem::path& folder) {
  return {folder, "proofs", ".krproofs"};
}

}  // namespace

ProofCache::ProofCache(const std::optional<match::Database::Cache>& cache) : cache_(cache) {
  if (!cache) return;
  prove::Proofs known;
  if (const auto made = cache->install.databases(); !made.empty()) {
    if (auto proofs = prove::proofs_from(file_in(made).read_installed(cache->install))) {
      known = std::move(*proofs);
    }
  }
  if (!cache->folder.empty()) {
    if (auto own = prove::proofs_from(file_in(cache->folder).read())) own_ = std::move(*own);
  }
  known.insert(own_.begin(), own_.end());
  known_ = std::make_shared<const prove::Proofs>(std::move(known));
}

void ProofCache::add(const prove::Proofs& proven) {
  added_ += proven.size();
  // Bounds the size.
  if (own_.size() + proven.size() > prove::ProofMemo::max_kept) own_.clear();
  for (const auto& [question, proof] : proven) own_.insert_or_assign(question, proof);
}

void ProofCache::write() const noexcept {
  if (added_ == 0 || !cache_ || cache_->folder.empty()) return;
  try {
    file_in(cache_->folder).write(prove::to_bytes(own_));
  } catch (const std::exception&) {
    return;  // the next process proves again
  }
}

}  // namespace kr::lint
