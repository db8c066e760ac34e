#include "changes/gate.hpp"

#include <algorithm>
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
              "write, for example, `step > +2%`, `step/decode > +300us/step`, `idle > +10%`, "
              "`span > +5ms/run` or `substage/gemm > +5%`");
}

struct TimeName {
  std::string_view name;
  int exponent;  // of ten, in ns
};
constexpr std::array<TimeName, 4> times{{{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}}};

struct SubjectName {
  std::string_view name;
  Gate::Subject subject;
  bool has_phase;
};
constexpr std::array subjects{SubjectName{"total", Gate::Subject::total, false},
                              SubjectName{"step", Gate::Subject::step, true},
                              SubjectName{"idle", Gate::Subject::idle, true},
                              SubjectName{"busy", Gate::Subject::busy, true},
                              SubjectName{"span", Gate::Subject::span, false},
                              SubjectName{"work", Gate::Subject::work, false}};
constexpr std::array<std::string_view, 4> units{"step", "block", "operation", "run"};

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
  if (number.empty()) refuse(text, "has a limit that is not a number");
  if (!gate.relative) {
    const size_t slash = unit.find('/');
    if (slash == unit.npos) {
      refuse(text, "has a limit in time that does not say of what: `/step`, `/block` or `/run`");
    }
    gate.per = trimmed(unit.substr(slash + 1));
    unit = trimmed(unit.substr(0, slash));
    if (std::find(units.begin(), units.end(), gate.per) == units.end()) {
      refuse(text, "has a limit per `" + gate.per + "`, not per step, block, operation or run");
    }
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

void read_subject(std::string_view text, std::string_view subject, Gate& gate) {
  const size_t slash = subject.find('/');
  const std::string_view head = subject.substr(0, slash);
  const std::string_view rest = slash == subject.npos ? "" : subject.substr(slash + 1);
  for (const SubjectName& one : subjects) {
    if (one.name != head || (slash != subject.npos && (!one.has_phase || rest.empty()))) continue;
    gate.subject = one.subject;
    gate.phase = rest;
    return;
  }
  if (head.empty() || rest.empty()) {
    refuse(text,
           "names neither `step`, `idle`, `busy`, `span`, `work`, `total` nor a "
           "DIMENSION/LABEL");
  }
  gate.subject = Gate::Subject::label;
  gate.dimension = head;
  gate.label = rest;
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
  read_subject(text, subject, gate);
  read_limit(text, trimmed(whole.substr(sign + 1)), gate);
  return gate;
}

Outcome judge(const Gate& gate, const Measured& measured) {
  const double limit_ns = gate.relative ? measured.a_ns * gate.limit / 100 : gate.limit;
  const bool beyond = gate.above ? measured.change_ns > limit_ns : measured.change_ns < limit_ns;
  if (!beyond) return Outcome::passed;
  if (!measured.interval) return Outcome::undecided;
  const bool certain = gate.above ? measured.interval->low_ns > std::min(limit_ns, 0.0)
                                  : measured.interval->high_ns < std::max(limit_ns, 0.0);
  return certain ? Outcome::failed : Outcome::undecided;
}

}  // namespace kr::changes
