#include "align/aligner.hpp"

#include <algorithm>

#include "align/agreement.hpp"

namespace kr::align {
namespace {

/// Sorted names of a list, for a bound of what two lists may have in common.
std::vector<uint32_t> sorted(Names names) {
  std::vector<uint32_t> all(names.begin(), names.end());
  std::sort(all.begin(), all.end());
  return all;
}

size_t in_common(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  size_t count = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j])
      ++count, ++i, ++j;
    else if (a[i] < b[j])
      ++i;
    else
      ++j;
  }
  return count;
}

bool is_equal(Names names, const Sequence& sequence) {
  return std::equal(names.begin(), names.end(), sequence.names.begin(), sequence.names.end());
}

}  // namespace

Aligned align(Names names, std::span<const Sequence> reference,
              std::span<const uint32_t> candidates, const Calls& calls, bool within,
              const Limits& limits) {
  Aligned out;
  out.kernels.resize(names.size());
  if (names.empty()) return out;
  std::vector<Opinion> opinions(names.size());
  for (const uint32_t one : candidates) {
    if (!is_equal(names, reference[one])) continue;
    out.best.push_back(one);
    for (size_t i = 0; i < names.size(); ++i) {
      const Item& item = reference[one].items[i];
      opinions[i].matched(calls, item);
      opinions[i].stands_in(calls, item.call, one, static_cast<uint32_t>(i));
      if (reference[one].ops.empty()) continue;
      opinions[i].has_ops(reference[one].ops[i]);
      opinions[i].ops_at(one, static_cast<uint32_t>(i));
    }
  }
  if (!out.best.empty()) {
    out.evidence = Evidence::equal;
    out.matched = names.size();
  } else {
    // Those that may have most in common come first; then few have to be compared.
    const size_t least = (names.size() + 1) / 2;
    const std::vector<uint32_t> own = sorted(names);
    std::vector<std::pair<size_t, uint32_t>> by_bound;
    for (const uint32_t one : candidates) {
      const size_t bound = in_common(own, sorted(reference[one].names));
      if (bound >= least) by_bound.emplace_back(bound, one);
    }
    std::stable_sort(by_bound.begin(), by_bound.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [bound, one] : by_bound) {
      if (bound < std::max(least, out.matched)) break;
      if (names.size() * reference[one].names.size() > limits.cells) {
        out.evidence = Evidence::too_long;
        out.best = {one};
        return out;
      }
      const size_t length = lcs_length(names, NamePlaces(reference[one].names));
      if (length < std::max(least, out.matched)) continue;
      if (length > out.matched) out.best.clear();
      out.matched = length;
      out.best.push_back(one);
    }
    if (out.best.empty()) return out;
    std::sort(out.best.begin(), out.best.end());
    out.evidence = Evidence::names;
    for (const uint32_t one : out.best) {
      const NamePlaces places(reference[one].names);
      if (!add_opinions(names, reference, one, places, calls, limits, opinions)) {
        out.evidence = Evidence::too_long;
        return out;
      }
    }
  }
  for (size_t i = 0; i < names.size(); ++i) out.kernels[i] = opinions[i].placed(calls, within);
  if (out.matched < names.size() || !opinions[0].has_ops_at()) return out;
  out.ops.reserve(names.size());
  for (const Opinion& one : opinions) out.ops.push_back(one.op_place());
  return out;
}

namespace {

/// The modules that are known, as texts.
std::vector<uint32_t> known_names(const Placed& placed, std::span<const Sequence> reference,
                                  const Calls& calls) {
  std::vector<uint32_t> names;
  for (const uint32_t call : calls.chain(reference[placed.sequence].items[placed.item].call)) {
    if (names.size() == placed.levels) break;
    const bool numbered = (placed.unnumbered >> std::min<size_t>(names.size(), 63) & 1) == 0;
    names.push_back(numbered ? calls[call].name : calls[call].kind);
  }
  return names;
}

/// Whether both can be true. A name without its number is compared by its kind.
bool agree(const Placed& a, const Placed& b, std::span<const Sequence> reference,
           const Calls& calls) {
  const std::vector<uint32_t> one = known_names(a, reference, calls);
  const std::vector<uint32_t> other = known_names(b, reference, calls);
  const auto complete = [](const Placed& placed) { return placed.how > Agreement::within; };
  if (complete(a) && complete(b) && one.size() != other.size()) return false;
  if (complete(a) && one.size() < other.size()) return false;
  if (complete(b) && other.size() < one.size()) return false;
  for (size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    if (one[i] == other[i]) continue;
    const bool numbers = ((a.unnumbered | b.unnumbered) >> std::min<size_t>(i, 63) & 1) == 0;
    if (numbers) return false;
    if (kind_of_module(calls.text(one[i])) != kind_of_module(calls.text(other[i]))) return false;
  }
  if (!complete(a) || !complete(b)) return true;
  return reference[a.sequence].items[a.item].chain == reference[b.sequence].items[b.item].chain;
}

}  // namespace

std::vector<Placed> combine(const std::vector<Placed>& names, const std::vector<Placed>& families,
                            std::span<const Sequence> reference, const Calls& calls) {
  std::vector<Placed> out(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const Placed& a = names[i];
    const Placed& b = families[i];
    if (a.how == Agreement::abstain || b.how == Agreement::abstain) {
      out[i] = a.how == Agreement::abstain ? b : a;
    } else if (agree(a, b, reference, calls)) {
      const bool more = b.how > a.how || (b.how == a.how && b.levels > a.levels);
      out[i] = more ? b : a;
    }
  }
  return out;
}

}  // namespace kr::align
