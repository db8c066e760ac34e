#include "what_if/change.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "classify/classify.hpp"

namespace kr::what_if {
namespace {

constexpr int millionths = 6;

[[noreturn]] void refuse_change(std::string_view text, const std::string& why) {
  throw Error("", "the change `" + std::string(text) + "` " + why,
              "write, for example, `substage/gemm = 0.5x`, `substage/moe_gemm = roof`, "
              "`kind/communication = overlapped`, `name/flash_fwd = 12us` or `host = 0`");
}

struct ChangeUnit {
  std::string_view name;
  int exponent;  // of ten, of ns or of millionths
  bool time;
};
constexpr std::array<ChangeUnit, 6> change_units{{{"ns", 0, true},
                                                  {"us", 3, true},
                                                  {"ms", 6, true},
                                                  {"s", 9, true},
                                                  {"x", millionths, false},
                                                  {"%", millionths - 2, false}}};

void read_value(std::string_view text, std::string_view value, Change& change) {
  if (value == "roof" || value == "overlapped") {
    change.what = value == "roof" ? Change::What::roof : Change::What::overlapped;
    if (change.of_host()) refuse_change(text, "is for operations, not for the host");
    return;
  }
  const size_t end = std::min(value.find_first_not_of("+-.0123456789"), value.size());
  const std::string_view unit = trimmed(value.substr(end));
  const ChangeUnit* found = nullptr;
  for (const ChangeUnit& one : change_units) {
    if (one.name == unit) found = &one;
  }
  int64_t number = 0;
  if (unit.empty()) {
    // Nothing is nothing in every unit.
    if (read_decimal(value, 0, number) != DecimalFault::none || number != 0 ||
        value.find_first_of("123456789") != value.npos) {
      refuse_change(text, "has a value without a unit");
    }
    change.factor = 0;
    return;
  }
  if (found == nullptr || end == 0) {
    refuse_change(text,
                  "has a value that is none of `roof`, `overlapped`, `0`, a factor, a "
                  "percentage and a time");
  }
  switch (read_decimal(value.substr(0, end), found->exponent, number)) {
    case DecimalFault::none:
      break;
    case DecimalFault::negative:
      refuse_change(text, "has a negative value");
    case DecimalFault::too_large:
      refuse_change(text, "has a value that is too large");
    default:
      refuse_change(text, "has a value that is not a number");
  }
  if (!found->time) {
    constexpr double largest = 1000;
    change.factor = static_cast<double>(number) / 1e6;
    if (change.factor > largest) refuse_change(text, "has a factor above 1000");
    return;
  }
  if (change.of_host()) refuse_change(text, "gives the host a time: only a factor is possible");
  constexpr int64_t longest_ns = 3'600'000'000'000;
  if (number > longest_ns) refuse_change(text, "has a time of more than an hour");
  change.what = Change::What::duration;
  change.duration_ns = number;
}

/// Labels that rules of a dimension may give; nothing: any.
std::optional<std::vector<std::string>> labels_of(const sema::Program& program,
                                                  sema::DimensionId dimension) {
  std::set<std::string> labels{std::string(sema::reserved::unclassified)};
  for (const sema::Rule& rule : program.rules) {
    if (rule.dimension != dimension) continue;
    if (rule.keep) return std::nullopt;
    labels.insert(rule.label);
  }
  return std::vector(labels.begin(), labels.end());
}

}  // namespace

Change parse_change(std::string_view text, const sema::Program& program) {
  Change change;
  change.text = trimmed(text);
  const std::string_view whole = change.text;
  const size_t sign = whole.rfind('=');
  if (sign == whole.npos) refuse_change(text, "has no `=`");
  const std::string_view subject = trimmed(whole.substr(0, sign));
  if (subject != "host") {
    const size_t slash = subject.find('/');
    if (slash == 0 || slash == subject.npos || slash + 1 == subject.size()) {
      refuse_change(text, "names neither a DIMENSION/LABEL, nor name/TEXT, nor `host`");
    }
    change.dimension = trimmed(subject.substr(0, slash));
    change.key = trimmed(subject.substr(slash + 1));
  }
  read_value(text, trimmed(whole.substr(sign + 1)), change);
  if (change.of_host() || change.by_name()) return change;
  const sema::DimensionId dimension = classify::named_dimension(program, change.dimension);
  const auto labels = labels_of(program, dimension);
  if (!labels) return change;
  if (std::find(labels->begin(), labels->end(), change.key) == labels->end()) {
    const auto near = nearest(change.key, *labels);
    throw Error(
        "", "unknown label `" + change.key + "` in dimension `" + change.dimension + "`",
        near ? "did you mean `" + *near + "`?" : "`kr list labels` shows those of the rules");
  }
  return change;
}

}  // namespace kr::what_if
