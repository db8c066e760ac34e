// Everything that the best alignments of two sequences say of each kernel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/aligner.hpp"

namespace kr::align {

/// What the alignments seen so far agree on, of one kernel.
class Opinion {
 public:
  /// It is matched with that item.
  void matched(const Calls& calls, const Item& item);
  /// It is matched with an item of these ops (Sequence::ops).
  void has_ops(uint32_t ops);
  /// One alignment matches it with that item, whose ops are known.
  void ops_at(uint32_t sequence, uint32_t item);
  /// It is not matched in some alignment.
  void unmatched() { unmatched_ = true; }
  /// In all alignments with that sequence it is in this call (Calls::none: in none). `item`:
  /// of one alignment, the item that is matched with it, or the last one before it.
  void stands_in(const Calls& calls, uint32_t call, uint32_t sequence, uint32_t item);

  Placed placed(const Calls& calls, bool within) const;
  /// Where `has_ops_at`, and all alignments match it.
  OpPlace op_place() const { return {ops_sequence_, ops_item_, ops_ != Sequence::unsure}; }
  bool has_ops_at() const { return has_ops_at_; }

 private:
  bool matched_ = false;
  bool unmatched_ = false;
  bool same_ = true;       // path and ops
  bool same_kind_ = true;  // kinds of modules, and ops
  uint64_t unnumbered_ = 0;
  Item first_{};
  uint32_t last_path_ = 0;
  bool stands_ = false;
  uint32_t call_ = Calls::none;
  uint32_t levels_ = 0;  // of the path of `call_`
  uint32_t sequence_ = 0;
  uint32_t item_ = 0;
  bool has_ops_ = false;
  uint32_t ops_ = Sequence::unsure;  // in all alignments; unsure: they differ
  bool has_ops_at_ = false;
  uint32_t ops_sequence_ = 0;
  uint32_t ops_item_ = 0;
};

/// Adds what the best alignments with one sequence say. False: there are too many to look at.
bool add_opinions(Names names, std::span<const Sequence> reference, uint32_t sequence,
                  const NamePlaces& places, const Calls& calls, const Limits& limits,
                  std::vector<Opinion>& opinions);

}  // namespace kr::align
