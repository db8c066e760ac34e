#include "overview/health_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.hpp"
#include "render/shown_table.hpp"

namespace kr::overview {

std::optional<std::string> health_line(const tables::Source& source) {
  const tables::Run* of = nullptr;  // the first run with a finding as bad as any
  size_t all = 0;
  for (const tables::Run& run : source.runs) {
    const auto& findings = run.summary.findings;
    const auto shown = static_cast<size_t>(std::count_if(
        findings.begin(), findings.end(),
        [](const analyze::Finding& one) { return one.severity != analyze::Severity::info; }));
    all += shown;
    if (shown == 0) continue;
    if (of == nullptr || findings[0].severity < of->summary.findings[0].severity) of = &run;
  }
  if (of == nullptr) return std::nullopt;
  const analyze::Finding& worst = of->summary.findings[0];
  std::string text = "trace health: ";
  if (source.runs.size() > 1) text += source.run_name(of->summary.id) + ": ";
  text += fmt::format("{} {}: {}", analyze::to_string(worst.severity), worst.code, worst.effect);
  if (all > 1)
    text += fmt::format(" (and {}: --tables trace_health)", plural(all - 1, "more finding"));
  return text;
}

std::string markdown_health(const tables::Source& source) {
  const auto line = health_line(source);
  return line ? fmt::format("> {}\n\n", render::markdown_text(*line)) : std::string();
}

}  // namespace kr::overview
