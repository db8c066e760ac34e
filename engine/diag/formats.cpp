#include "diag/formats.hpp"

#include "diag/render.hpp"
#include "diag/renderers.hpp"

namespace kr {

std::optional<Format> format_from(std::string_view name) noexcept {
  for (size_t i = 0; i < format_names.size(); ++i) {
    if (format_names[i] == name) return static_cast<Format>(i);
  }
  return std::nullopt;
}

std::string render(Format format, const SourceMap& sources, std::span<const Diagnostic> diagnostics,
                   const FormatOptions& options) {
  switch (format) {
    case Format::human:
      return render_human(sources, diagnostics, {.color = options.color});
    case Format::concise:
      return render_concise(sources, diagnostics);
    case Format::json:
      return render_json(sources, diagnostics);
    case Format::sarif:
      return render_sarif(sources, diagnostics, options);
    case Format::github:
      return render_github(sources, diagnostics);
    case Format::junit:
      return render_junit(sources, diagnostics, options);
  }
  return {};
}

}  // namespace kr
