// Names of ranges with what else a trace says of them, each stored once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/distinct_texts.hpp"
#include "trace/host_trace.hpp"

namespace kr::trace {

class DistinctRangeNames {
 public:
  /// Their number: from 0, in the order first met.
  uint32_t add(std::string_view name, const RangeText& text = {});
  size_t size() const noexcept { return size_; }

 private:
  uint32_t numbered(std::vector<uint32_t>& numbers, uint32_t place);

  // Most have nothing but a name.
  DistinctTexts names_, with_text_;
  std::vector<uint32_t> number_of_name_, number_of_text_;
  uint32_t size_ = 0;
};

}  // namespace kr::trace
