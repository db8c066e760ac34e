// Conditions under which a comparison fails, as `--fail-if` has them: `substage/gemm > +5%`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kr::changes {

/// `total > +2%`, `substage/gemm > +5%`, `substage/* > +300us`, `total < -10%`.
struct Gate {
  std::string text;       // as it was given
  std::string dimension;  // empty: the total
  std::string label;      // `*`: each label of the dimension
  bool above = true;      // fails above the limit, else below it
  bool relative = true;   // the limit is in percent of the first run, else in ns
  double limit = 0;       // per unit of the comparison
};

/// Throws Error, which says what a condition looks like.
Gate parse_gate(std::string_view text);

enum class Outcome { passed, failed, undecided };

/// What a condition is compared with: a change, and the ends of its interval if it has one.
struct Measured {
  double a_ns = 0;
  double change_ns = 0;
  struct Interval {
    double low_ns = 0;
    double high_ns = 0;
    std::optional<std::pair<double, double>> percent = {};
  };
  std::optional<Interval> interval;
};

/// It fails only if the whole interval lies beyond the limit, and passes only if none of it does.
/// Without an interval nothing fails: it passes where the change itself does not reach the limit.
Outcome judge(const Gate& gate, const Measured& measured);

}  // namespace kr::changes
