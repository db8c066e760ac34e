// Findings as workflow commands: `::error file=…,line=…,…::message`.

#include "base/printable.hpp"
#include "diag/renderers.hpp"

namespace kr::diag {
namespace {

/// What has a meaning in messages, and in properties.
constexpr std::string_view message_signs = "%\r\n";
constexpr std::string_view property_signs = "%\r\n:,";

std::string escaped(std::string_view text, std::string_view signs) {
  std::string out;
  for (const char c : text) {
    if (signs.find(c) == signs.npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", c);
    }
  }
  return out;
}

std::string_view command(Severity severity) {
  return severity == Severity::error     ? "error"
         : severity == Severity::warning ? "warning"
                                         : "notice";
}

std::string place(const source::SourceMap& sources, source::Span span) {
  const source::Position begin = sources.begin(span);
  const source::Position end = sources.end(span);
  std::string text = fmt::format("file={},line={},endLine={},",
                                 escaped(printable(sources.path(span.file)), property_signs),
                                 begin.line, end.line);
  // GitHub accepts columns only if the span is on one line.
  if (begin.line == end.line) text += fmt::format("col={},endColumn={},", begin.column, end.column);
  return text;
}

}  // namespace

std::string render_github(const source::SourceMap& sources,
                          std::span<const Diagnostic> diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    std::string message = printable(diagnostic.message);
    const std::string details = detail_lines(sources, diagnostic);
    if (!details.empty()) message += '\n' + details.substr(0, details.size() - 1);
    text +=
        fmt::format("::{} {}title={} {}::{}\n", command(diagnostic.severity),
                    diagnostic.span.valid() ? place(sources, diagnostic.span) : std::string(),
                    diagnostic.code->id, diagnostic.code->name, escaped(message, message_signs));
  }
  return text;
}

}  // namespace kr::diag
