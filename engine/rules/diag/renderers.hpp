// The renderers of the single formats, and what they share.
#pragma once

#include <span>
#include <string>

#include "diag/render.hpp"

namespace kr::diag {

std::string render_json(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics);
std::string render_sarif(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         const FormatOptions& options);
std::string render_github(const source::SourceMap& sources,
                          std::span<const Diagnostic> diagnostics);
std::string render_junit(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         std::string_view title);

/// `path:line:column: severity CODE name: message` on one line, without a line break.
std::string concise_line(const source::SourceMap& sources, const Diagnostic& diagnostic);

/// The details of a diagnostic, one per line: `note: … (path:line)`, `example: …`, `help: …`.
std::string detail_lines(const source::SourceMap& sources, const Diagnostic& diagnostic);

}  // namespace kr::diag
