#include "overview/health_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.hpp"
#include "render/shown_table.hpp"

namespace kr::overview {

std::optional<std::string> health_line(const tables::Source& source,
                                       const std::set<std::string>& known) {
  const tables::Run* of = nullptr;
  const analyze::Finding* worst = nullptr;  // the first of the worst
  size_t all = 0;
  for (const tables::Run& run : source.runs) {
    for (const analyze::Finding& one : run.summary.findings) {
      if (one.severity == analyze::Severity::info || known.contains(one.code)) continue;
      ++all;
      if (worst != nullptr && one.severity >= worst->severity) continue;
      worst = &one;
      of = &run;
    }
  }
  if (of == nullptr) return std::nullopt;
  std::string text = "trace health: ";
  if (source.runs.size() > 1) text += source.run_name(of->summary.id) + ": ";
  text += fmt::format("{} {}: {}", analyze::to_string(worst->severity), worst->code, worst->effect);
  if (all > 1)
    text += fmt::format(" (and {}: --tables trace_health)", plural(all - 1, "more finding"));
  return text;
}

std::string markdown_health(const tables::Source& source) {
  const auto line = health_line(source);
  return line ? fmt::format("> {}\n\n", render::markdown_text(*line)) : std::string();
}

}  // namespace kr::overview
