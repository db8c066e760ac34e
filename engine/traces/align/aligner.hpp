// What a reference says of the kernels of a sequence that has only names: unique or abstain.
//
// Alignments match equal names in order. The best have the most matches: those of a longest common
// subsequence, over all sequences of the reference that reach it. A kernel is attributed only as
// far as ALL best alignments agree, never by choosing one of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/calls.hpp"
#include "align/lcs.hpp"

namespace kr::align {

/// A launch of a reference. Names are numbers of any kind, equal for equal names.
struct Item {
  uint32_t call;   // the innermost call of a module that encloses it, or Calls::none
  uint32_t chain;  // a number for the framework's ops that enclose it
};

/// The launches of one thread, in order.
struct Sequence {
  static constexpr uint32_t unsure = UINT32_MAX - 1;

  std::vector<uint32_t> names;
  std::vector<Item> items;  // by place
  /// By place, a number that is equal for equal ops with equal arguments around the launch, or
  /// `unsure`. Empty: they are not known.
  std::vector<uint32_t> ops = {};
};

/// How far the best alignments agree.
enum class Agreement : uint8_t {
  abstain,
  within,    // not always matched, but always inside one call, or calls of one path
  kind,      // always matched: equal modules but for their numbers, and equal ops
  instance,  // always matched: equal modules and ops
};

/// Where a kernel belongs, as the modules and ops of one item of the reference, as far as they are
/// known. The item is that of one best alignment; of `within`, one that is in the same call.
struct Placed {
  Agreement how = Agreement::abstain;
  uint32_t sequence = 0;
  uint32_t item = 0;
  uint32_t levels = 0;  // modules from the outermost on that are known
  /// Bit by level: the number in its name is not known. Only of `kind`.
  uint64_t unnumbered = 0;

  friend bool operator==(const Placed&, const Placed&) = default;
};

/// What one best alignment matches a kernel with.
struct OpPlace {
  uint32_t sequence = 0;  // the first that knows its ops
  uint32_t item = 0;
  bool sure = false;  // in all best alignments, ops and arguments are equal to those of this one
};

/// What was compared, to say it.
enum class Evidence : uint8_t {
  none,      // no sequence of the reference has half of the names
  equal,     // a sequence has the same names in the same order
  names,     // the longest common subsequence of names
  families,  // the same of names without numbers and template arguments, beside that of names
  too_long,  // too many names, or too many best alignments, to look at all of them
};

struct Aligned {
  std::vector<Placed> kernels;  // by place
  Evidence evidence = Evidence::none;
  size_t matched = 0;          // names in a best alignment
  std::vector<uint32_t> best;  // the sequences that reach it
  /// By place. Empty: not all names are matched, or no best sequence knows its ops.
  std::vector<OpPlace> ops;
};

/// Beyond these nothing is compared: 128 MB of rows, and of places of best alignments.
struct Limits {
  size_t cells = size_t{1} << 30;
  size_t places = size_t{1} << 25;
};

/// Aligns `names` with those sequences of the reference. `within`: whether what stands between two
/// launches was captured between them, as on one stream. Deterministic.
Aligned align(Names names, std::span<const Sequence> reference,
              std::span<const uint32_t> candidates, const Calls& calls, bool within,
              const Limits& limits = {});

/// What both say, of one sequence of kernels: by place, the one that says more; where they
/// contradict each other, neither.
std::vector<Placed> combine(const std::vector<Placed>& names, const std::vector<Placed>& families,
                            std::span<const Sequence> reference, const Calls& calls);

}  // namespace kr::align
