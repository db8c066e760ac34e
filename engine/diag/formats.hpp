// Diagnostics in every format there is: for a person, and for programs.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "diag/diagnostic.hpp"

namespace kr::diag {

enum class FindingFormat : uint8_t {
  human,    // source lines and carets, see diag/render.hpp
  concise,  // path:line:column: severity CODE name: message
  json,     // one array, names unchanged
  sarif,    // SARIF 2.1.0
  github,   // workflow commands, which GitHub shows beside the lines of a change
  junit,    // JUnit XML: a testsuite a file, a testcase a finding
};

/// As a person writes them, in the order of FindingFormat.
inline constexpr std::array<std::string_view, 6> format_names{"human", "concise", "json",
                                                              "sarif", "github",  "junit"};
std::optional<FindingFormat> format_from(std::string_view name) noexcept;

struct FormatOptions {
  bool color = false;   // human alone
  std::string version;  // of the program, for SARIF
  std::string title;    // what was run, for JUnit: `kr lint`
  /// A code's page as markdown, for SARIF; no page: empty.
  std::function<std::string_view(const CodeInfo&)> page;
};

/// All diagnostics as one text in the order given, ending in a line break unless it is empty. Lines
/// and columns count from 1; columns are bytes, in SARIF characters. Text that is only read by
/// people is shown as `printable` does; JSON carries bytes unchanged (see base/json.hpp).
std::string render_findings(FindingFormat format, const source::SourceMap& sources,
                            std::span<const Diagnostic> diagnostics,
                            const FormatOptions& options = {});

}  // namespace kr::diag
