// What the formats share, and each of them: behind diag/formats.hpp.
#pragma once

#include <span>
#include <string>

#include "diag/formats.hpp"

namespace kr {

std::string render_concise(const SourceMap& sources, std::span<const Diagnostic> diagnostics);
std::string render_json(const SourceMap& sources, std::span<const Diagnostic> diagnostics);
std::string render_sarif(const SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         const FormatOptions& options);
std::string render_github(const SourceMap& sources, std::span<const Diagnostic> diagnostics);
std::string render_junit(const SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         const FormatOptions& options);

/// `path:line:column: severity CODE name: message` on one line, without a line break.
std::string concise_line(const SourceMap& sources, const Diagnostic& diagnostic);

/// What a person is told beside the message, a line each: `note: … (path:line)`, `example: …`,
/// `help: …`.
std::string remark_lines(const SourceMap& sources, const Diagnostic& diagnostic);

}  // namespace kr
