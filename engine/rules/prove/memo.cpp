#include "prove/memo.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace kr::prove {
namespace {

/// Whether a proof with `budget` steps gives the same result as one with `before` steps that used
/// `used`. A question is abandoned only if fewer than `reserve` steps are left.
bool same_result(size_t budget, size_t before, size_t used) {
  return budget == before || std::min(budget, before) >= used + reserve;
}

constexpr std::string_view proofs_magic = "kr proofs 2\n";

}  // namespace

std::string to_bytes(const Proofs& proofs) {
  // Sorted, so that the same proofs give the same bytes.
  std::vector<std::pair<Hash128, const Proof*>> sorted;
  sorted.reserve(proofs.size());
  for (const auto& [question, proof] : proofs) sorted.emplace_back(question, &proof);
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return a.first < b.first; });
  ByteWriter body;
  body.number(sorted.size());
  for (const auto& [question, proof] : sorted) {
    body.hash(question);
    for (const uint64_t number : {uint64_t{proof->budget.search}, uint64_t{proof->budget.work},
                                  uint64_t{proof->used.search}, uint64_t{proof->used.work},
                                  static_cast<uint64_t>(proof->finding.answer)}) {
      body.number(number);
    }
    body.text(proof->finding.name);
  }
  ByteWriter file;
  file.text(proofs_magic);
  file.text(prover_version());
  file.checked(std::move(body).take());
  return std::move(file).take();
}

std::optional<Proofs> proofs_from(std::string_view bytes) {
  ByteReader file(bytes);
  if (file.text() != proofs_magic || file.text() != prover_version()) return std::nullopt;
  const auto body = file.checked();
  if (!body) return std::nullopt;
  ByteReader reader(*body);
  Proofs proofs;
  const size_t count = reader.number().value_or(0);
  proofs.reserve(std::min(count, body->size() / 64));
  for (size_t i = 0; i < count; ++i) {
    const auto question = reader.hash();
    std::array<uint64_t, 5> numbers{};
    for (uint64_t& number : numbers) {
      const auto read = reader.number();
      if (!read) return std::nullopt;
      number = *read;
    }
    const auto name = reader.text();
    if (!name || numbers[4] > static_cast<uint64_t>(Answer::not_proven)) return std::nullopt;
    const NameFinding finding{static_cast<Answer>(numbers[4]), std::string(*name)};
    proofs.emplace(*question, Proof{finding, {numbers[0], numbers[1]}, {numbers[2], numbers[3]}});
  }
  if (reader.left() != 0) return std::nullopt;
  return proofs;
}

std::optional<NameFinding> ProofMemo::recall(const Hash128& question, Steps& budget) {
  const Proof* proof = nullptr;
  if (const auto at = recent_.find(question); at != recent_.end()) {
    proof = &at->second;
  } else if (const auto old = older_.find(question); old != older_.end()) {
    add(question, std::move(old->second));
    older_.erase(question);
    proof = &recent_.at(question);
  } else if (known_) {
    const auto known = known_->find(question);
    if (known != known_->end()) proof = &known->second;
  }
  if (proof == nullptr || !same_result(budget.search, proof->budget.search, proof->used.search) ||
      !same_result(budget.work, proof->budget.work, proof->used.work)) {
    return std::nullopt;
  }
  budget.search -= proof->used.search;
  budget.work -= proof->used.work;
  return proof->finding;
}

void ProofMemo::keep(const Hash128& question, NameFinding finding, Steps budget, Steps used) {
  add(question, {std::move(finding), budget, used});
}

void ProofMemo::add(const Hash128& question, Proof proof) {
  if (recent_.size() >= max_kept) {
    older_ = std::move(recent_);
    recent_.clear();
  }
  recent_.insert_or_assign(question, std::move(proof));
}

}  // namespace kr::prove
