// Labels from neighbours: order rules on the operations of each stream of a run, in the order in
// which they ran there (docs/language.md, Order rules).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "classify/classify.hpp"
#include "order/chain.hpp"

namespace kr::classify {

/// Why operations of a trace have no order: it has sums, or pages of kernels, and no starts. Empty:
/// they have one.
std::string no_order(const trace::Trace& trace);

/// The rules of one order dimension, and the letters of a run: what these rules can tell of its
/// operations. Everything is by subject class and word, so it is small.
class OrderRules {
 public:
  /// All arguments must outlive this.
  OrderRules(const TraceSubjects& subjects, const sema::OrderTable& table);

  const order::Block& block() const noexcept { return block_; }
  /// The number of a label among those that the rules name, for `letter_of`; 0: they do not name it.
  uint32_t word(std::string_view label) const;
  order::Letter letter_of(uint32_t subject_class, uint32_t word) const {
    return letters_[subject_class * words_ + word];
  }

 private:
  order::Block block_;
  std::unordered_map<std::string_view, uint32_t> word_of_;
  size_t words_ = 1;
  std::vector<order::Letter> letters_;  // by class and word
};

/// Adds the order dimensions of the model to the labels of a run, each after those it looks at.
/// `keep_matches` also keeps what each chain matched. Deterministic; the order of a file's rows has
/// no effect. Memory: 4 bytes per operation for the rows of labels, and during the computation some
/// 30 per operation of the largest stream.
void add_order_labels(const TraceSubjects& subjects, bool keep_matches, Labelled& labelled);

}  // namespace kr::classify
