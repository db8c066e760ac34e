// Renders diagnostics as text: for people, and in the formats that other programs read.
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
  human,    // source lines and carets
  concise,  // path:line:column: severity CODE name: message
  json,     // one array, names unchanged
  sarif,    // SARIF 2.1.0
  github,   // workflow commands, which GitHub shows beside the lines of a change
  junit,    // JUnit XML: one test suite per file, one test case per finding
};

/// The names of the formats on the command line, in the order of FindingFormat.
inline constexpr std::array<std::string_view, 6> format_names{"human", "concise", "json",
                                                              "sarif", "github",  "junit"};
std::optional<FindingFormat> format_from(std::string_view name) noexcept;

struct FormatOptions {
  bool color = false;   // only `human` has colours
  std::string version;  // of the program, for SARIF
  std::string title;    // the command, for JUnit: `kr lint`
  /// The documentation of a code as Markdown, for SARIF; empty if there is none.
  std::function<std::string_view(const CodeInfo&)> page;
};

/// All diagnostics in the given order. The text ends with a line break unless it is empty. Lines
/// and columns count from 1. Columns are bytes, but characters in SARIF. Formats for people escape
/// text as `printable` does; JSON keeps the bytes (see base/json.hpp).
std::string render_findings(FindingFormat format, const source::SourceMap& sources,
                            std::span<const Diagnostic> diagnostics,
                            const FormatOptions& options = {});

struct RenderOptions {
  bool color = false;
};

/// One diagnostic with its source line, carets, related places and help:
///
///   error KR204 unknown-label: `gem` is not a label of `substage`
///     --> rulesets/mine.kr:12:5
///      |
///   12 |     gem: "gemm"
///      |     ^^^
///   note: labels of `substage`
///     --> …
///   help: did you mean `gemm`?
std::string render_human(const source::SourceMap& sources, const Diagnostic& diagnostic,
                         RenderOptions options = {});
std::string render_human(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         RenderOptions options = {});

}  // namespace kr::diag
