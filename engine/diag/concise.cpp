// A finding a line, as editors and `grep` read them.
#include "base/printable.hpp"
#include "diag/renderers.hpp"

namespace kr::diag {

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

std::string remark_lines(const source::SourceMap& sources, const Diagnostic& diagnostic) {
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

std::string render_concise(const source::SourceMap& sources,
                           std::span<const Diagnostic> diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += concise_line(sources, diagnostic) + '\n';
  }
  return text;
}

}  // namespace kr::diag
