#include "diag/formats.hpp"

#include "diag/render.hpp"
#include "diag/renderers.hpp"

namespace kr::diag {

std::optional<FindingFormat> format_from(std::string_view name) noexcept {
  for (size_t i = 0; i < format_names.size(); ++i) {
    if (format_names[i] == name) return static_cast<FindingFormat>(i);
  }
  return std::nullopt;
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
      return render_junit(sources, diagnostics, options);
  }
  return {};
}

}  // namespace kr::diag
