#include "trace/range_names.hpp"

#include <fmt/format.h>

namespace kr::trace {

uint32_t DistinctRangeNames::numbered(std::vector<uint32_t>& numbers, uint32_t place) {
  if (place == numbers.size()) numbers.push_back(size_++);
  return numbers[place];
}

uint32_t DistinctRangeNames::add(std::string_view name, const RangeText& text) {
  if (text.text.empty() && text.domain.empty()) return numbered(number_of_name_, names_.add(name));
  // The sizes say where each ends, whatever is in it.
  return numbered(number_of_text_,
                  with_text_.add(fmt::format("{} {} {}{}{}", name.size(), text.text.size(), name,
                                             text.text, text.domain)));
}

}  // namespace kr::trace
