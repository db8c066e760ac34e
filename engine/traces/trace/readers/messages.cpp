#include "trace/readers/messages.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"

namespace kr::trace {
namespace {

constexpr size_t max_listed = 3;

}  // namespace

std::string describe(DecimalFault fault, std::string_view column, std::string_view text) {
  switch (fault) {
    case DecimalFault::missing:
      return fmt::format("`{}` is missing", column);
    case DecimalFault::negative:
      return fmt::format("`{}` is negative: {}", column, shown_text(text));
    case DecimalFault::not_a_number:
      return fmt::format("`{}` is not a number: `{}`", column, shown_text(text));
    case DecimalFault::too_large:
      return fmt::format("`{}` does not fit in 64 bits of nanoseconds: {}", column,
                         shown_text(text));
    case DecimalFault::none:
      break;
  }
  return {};
}

std::string some_of(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size() && i < max_listed; ++i) {
    out += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > max_listed ? out + ", …" : out;
}

std::string shown_text(std::string_view text) {
  return excerpt(text, 60);
}

}  // namespace kr::trace
