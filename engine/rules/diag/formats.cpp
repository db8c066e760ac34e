#include <algorithm>

#include "base/printable.hpp"
#include "diag/renderers.hpp"

namespace kr::diag {
namespace {

std::string render_concise(const source::SourceMap& sources,
                           std::span<const Diagnostic> diagnostics) {
  std::string text;
  for (const Diagnostic& one : diagnostics) text += concise_line(sources, one) + '\n';
  return text;
}

}  // namespace

std::string concise_line(const source::SourceMap& sources, const Diagnostic& diagnostic) {
  std::string line;
  if (diagnostic.span.valid()) {
    const source::Position begin = sources.begin(diagnostic.span);
    line = fmt::format("{}:{}:{}: ", printable(sources.path(diagnostic.span.file)), begin.line,
                       begin.column);
  }
  return line + fmt::format("{} {} {}: {}", to_string(diagnostic.severity), diagnostic.code->id,
                            diagnostic.code->name, printable(diagnostic.message));
}

std::string detail_lines(const source::SourceMap& sources, const Diagnostic& diagnostic) {
  std::string lines;
  for (const Related& related : diagnostic.related_) {
    lines += "note: " + printable(related.message);
    if (related.span.valid()) lines += fmt::format(" ({})", printable(sources.place(related.span)));
    lines += '\n';
  }
  if (diagnostic.witness) lines += fmt::format("example: {}\n", printable(*diagnostic.witness));
  if (!diagnostic.help_.empty()) lines += fmt::format("help: {}\n", printable(diagnostic.help_));
  return lines;
}

std::optional<FindingFormat> format_from(std::string_view name) noexcept {
  const auto at = std::ranges::find(format_names, name);
  if (at == format_names.end()) return std::nullopt;
  return static_cast<FindingFormat>(at - format_names.begin());
}

std::string render_findings(FindingFormat format, const source::SourceMap& sources,
                            std::span<const Diagnostic> diagnostics, const FormatOptions& options) {
  switch (format) {
    case FindingFormat::human:
      return render_human(sources, diagnostics, {.color = options.color});
    case FindingFormat::concise:
      return render_concise(sources, diagnostics);
    case FindingFormat::json:
      return render_json(sources, diagnostics);
    case FindingFormat::sarif:
      return render_sarif(sources, diagnostics, options);
    case FindingFormat::github:
      return render_github(sources, diagnostics);
    case FindingFormat::junit:
      return render_junit(sources, diagnostics, options.title);
  }
  return {};
}

}  // namespace kr::diag
