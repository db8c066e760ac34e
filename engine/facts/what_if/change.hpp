// A change of a run as a user writes it: `substage/moe_gemm = roof`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sema/program.hpp"

namespace kr::what_if {

/// Subject: DIMENSION/LABEL, `name/TEXT` (names of operations that contain the text), or `host`.
struct Change {
  enum class What : uint8_t {
    factor,      // `0.5x`, `50%`, `0`: of its measured duration
    duration,    // `12us`: each operation takes so long
    roof,        // each takes as long as at the roof of the GPU, where that is known
    overlapped,  // no other operation waits for it
  };
  std::string text;       // as written, without blanks around it
  std::string dimension;  // `name`, or empty: the host
  std::string key;        // the label or the text
  What what = What::factor;
  double factor = 1;
  int64_t duration_ns = 0;

  bool of_host() const noexcept { return dimension.empty(); }
  bool by_name() const noexcept { return dimension == "name"; }
};

/// Throws Error: it is no change, or the rules have no such dimension or label.
Change parse_change(std::string_view text, const sema::Program& program);

}  // namespace kr::what_if
