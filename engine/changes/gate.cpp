#include "changes/gate.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "base/ascii.hpp"
#include "base/decimal.hpp"
#include "base/error.hpp"

namespace kr::changes {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw Error("", "the condition `" + std::string(text) + "` " + why,
              "write, for example, `substage/gemm > +5%`, `total > +2%` or `total > +300us`");
}

struct TimeName {
  std::string_view name;
  int exponent;  // of ten, in ns
};
constexpr std::array<TimeName, 4> times{{{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}}};

/// Splits a limit into its number and what follows it.
std::pair<std::string_view, std::string_view> split_number(std::string_view limit) {
  const size_t end = std::min(limit.find_first_not_of("+-.0123456789"), limit.size());
  return {limit.substr(0, end), trimmed(limit.substr(end))};
}

void read_limit(std::string_view text, std::string_view limit, Gate& gate) {
  auto [number, unit] = split_number(limit);
  const bool negative = number.starts_with('-');
  if (negative || number.starts_with('+')) number.remove_prefix(1);
  int exponent = 3;  // thousandths of a percent
  gate.relative = unit == "%";
  if (!gate.relative) {
    exponent = -1;
    for (const TimeName& time : times) {
      if (time.name == unit) exponent = time.exponent;
    }
    if (exponent < 0) refuse(text, "needs a limit in percent, or in ns, us, ms or s");
  }
  int64_t value = 0;
  if (read_decimal(number, exponent, value) != DecimalFault::none) {
    refuse(text, "has a limit that is not a number");
  }
  gate.limit = static_cast<double>(value) / (gate.relative ? 1000 : 1) * (negative ? -1 : 1);
}

}  // namespace

Gate parse_gate(std::string_view text) {
  Gate gate;
  gate.text = trimmed(text);
  const size_t sign = gate.text.find_first_of("<>");
  if (sign == std::string::npos) refuse(text, "does not compare: it has neither `>` nor `<`");
  gate.above = gate.text[sign] == '>';
  const std::string_view whole = gate.text;
  const std::string_view subject = trimmed(whole.substr(0, sign));
  if (subject != "total") {
    const size_t slash = subject.find('/');
    if (slash == 0 || slash == subject.npos || slash + 1 == subject.size()) {
      refuse(text, "names neither `total` nor a DIMENSION/LABEL");
    }
    gate.dimension = subject.substr(0, slash);
    gate.label = subject.substr(slash + 1);
  }
  read_limit(text, trimmed(whole.substr(sign + 1)), gate);
  return gate;
}

Outcome judge(const Gate& gate, const Measured& measured) {
  // Beyond the limit is above zero.
  const auto beyond = [&](double change, double limit) {
    return gate.above ? change - limit : limit - change;
  };
  const double limit_ns = gate.relative ? measured.a_ns * gate.limit / 100 : gate.limit;
  if (!measured.interval) {
    return beyond(measured.change_ns, limit_ns) > 0 ? Outcome::undecided : Outcome::passed;
  }
  const auto& percent = measured.interval->percent;
  const bool relative = gate.relative && percent;
  const double low =
      relative ? beyond(percent->first, gate.limit) : beyond(measured.interval->low_ns, limit_ns);
  const double high =
      relative ? beyond(percent->second, gate.limit) : beyond(measured.interval->high_ns, limit_ns);
  if (low > 0 && high > 0) return Outcome::failed;
  return low > 0 || high > 0 ? Outcome::undecided : Outcome::passed;
}

}  // namespace kr::changes
