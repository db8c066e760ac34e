// Limits the size of rules after inheritance and includes. A table that includes another twice
// doubles it, so a short file could fill the memory.
#pragma once

#include "diag/diagnostic.hpp"

namespace kr::sema {

class Budget {
 public:
  explicit Budget(diag::Sink& sink) : sink_(sink) {}

  /// Whether the budget allows `places` more. The first excess is reported at `span`.
  bool spend(size_t places, source::Span span) {
    if (places <= left_) {
      left_ -= places;
      return true;
    }
    left_ = 0;
    if (!reported_) {
      sink_.add(diag::code::too_large, span)
          .help("include each table once, and keep chains of `extends` short");
    }
    reported_ = true;
    return false;
  }

 private:
  diag::Sink& sink_;
  size_t left_ = 4'000'000;  // the shipped rulesets need 1% of it
  bool reported_ = false;
};

}  // namespace kr::sema
