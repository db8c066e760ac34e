// What the formats share, and each of them: behind diag/formats.hpp.
#pragma once

#include <span>
#include <string>

#include "diag/formats.hpp"

namespace kr::diag {

std::string render_concise(const source::SourceMap& sources,
                           std::span<const Diagnostic> diagnostics);
std::string render_json(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics);
std::string render_sarif(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         const FormatOptions& options);
std::string render_github(const source::SourceMap& sources,
                          std::span<const Diagnostic> diagnostics);
std::string render_junit(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         const FormatOptions& options);

/// `path:line:column: severity CODE name: message` on one line, without a line break.
std::string concise_line(const source::SourceMap& sources, const Diagnostic& diagnostic);

/// What a person is told beside the message, a line each: `note: … (path:line)`, `example: …`,
/// `help: …`.
std::string remark_lines(const source::SourceMap& sources, const Diagnostic& diagnostic);

}  // namespace kr::diag
