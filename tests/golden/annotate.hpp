// Diagnostics written beneath the lines they speak of, in comments that begin with `#~`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.hpp"

namespace kr::golden {

/// One file of a golden case.
struct Part {
  std::string name;
  std::string text;  // without its `#~` lines
};

/// `text` without its `#~` lines, cut at its `#--- NAME` lines; the first part is called `name`.
std::vector<Part> split(std::string_view name, std::string_view text);

/// The golden text that `parts` with `diagnostics` should have. `shown` names a part as the
/// SourceMap knows it. `stop` is the message of an Error that ended the load, or empty.
std::string annotate(const std::vector<Part>& parts, const source::SourceMap& sources,
                     const std::vector<diag::Diagnostic>& diagnostics,
                     const std::map<std::string, std::string>& shown, std::string_view stop);

}  // namespace kr::golden
