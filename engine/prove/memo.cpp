#include "prove/memo.hpp"

#include <algorithm>

namespace kr::prove {
namespace {

/// Whether with `budget` steps it goes as it went with `before` of which it took `used`. Steps run
/// out, or a question is given up, only where fewer than `reserve` are left.
bool goes_alike(size_t budget, size_t before, size_t used) {
  return budget == before || std::min(budget, before) >= used + reserve;
}

}  // namespace

std::optional<NameFinding> ProofMemo::recall(const Digest& question, Steps& budget) {
  auto at = recent_.find(question);
  if (at == recent_.end()) {
    const auto old = older_.find(question);
    if (old == older_.end()) return std::nullopt;
    Kept kept = std::move(old->second);
    older_.erase(old);
    add(question, std::move(kept));
    at = recent_.find(question);
  }
  const Kept& kept = at->second;
  if (!goes_alike(budget.search, kept.budget.search, kept.used.search) ||
      !goes_alike(budget.work, kept.budget.work, kept.used.work)) {
    return std::nullopt;
  }
  budget.search -= kept.used.search;
  budget.work -= kept.used.work;
  return kept.finding;
}

void ProofMemo::keep(const Digest& question, NameFinding finding, Steps budget, Steps used) {
  add(question, {std::move(finding), budget, used});
}

void ProofMemo::add(const Digest& question, Kept kept) {
  if (recent_.size() >= max_kept) {
    older_ = std::move(recent_);
    recent_.clear();
  }
  recent_.insert_or_assign(question, std::move(kept));
}

}  // namespace kr::prove
