// Conditions under which a comparison fails, as `--fail-if` has them: `step > +5%`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kr::changes {

/// `step > +2%`, `step/decode > +300us/step`, `idle > +10%`, `span > +5ms/run`,
/// `substage/gemm > +5%`, `substage/* > +300us/step`.
struct Gate {
  enum class Subject : uint8_t {
    total,  // `step` where both sides have steps, else `span`
    step,   // the median wall time of the steps
    idle,   // what of it has no operation of the step
    busy,   // what of it has one
    span,   // from the first start to the last end of a run
    work,   // the sum of the durations
    label,
  };
  std::string text;  // as it was given
  Subject subject = Subject::total;
  std::string phase;      // of step, idle and busy; empty: each phase
  std::string dimension;  // of a label
  std::string label;      // `*`: each label of the dimension
  bool above = true;      // fails above the limit, else below it
  bool relative = true;   // the limit is in percent of the first run, else in ns
  double limit = 0;       // per unit
  std::string per;        // what a limit in ns is of: `step`, `block`, `operation` or `run`
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

/// It fails if the change is beyond the limit and beyond noise: its interval does not contain 0; of
/// a condition that a change of 0 would meet, such as `> -10%`, not the limit. It passes if the
/// change is not beyond the limit. Else, and without an interval, it is undecided.
Outcome judge(const Gate& gate, const Measured& measured);

}  // namespace kr::changes
