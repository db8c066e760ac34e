#include <algorithm>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "diag/renderers.hpp"

namespace kr::diag {
namespace {

constexpr size_t widest = 110;  // columns after which a source line is cut
constexpr size_t lead = 40;     // bytes kept before the span in a cut line
constexpr size_t tab = 4;

struct Palette {
  std::string_view severity, note, help, gutter, bold, off;
};

Palette palette_of(Severity severity, bool color) {
  if (!color) return {};
  const std::string_view own = severity == Severity::error     ? "\x1b[1;31m"
                               : severity == Severity::warning ? "\x1b[1;33m"
                                                               : "\x1b[1;36m";
  return {own, "\x1b[1;32m", "\x1b[1;36m", "\x1b[34m", "\x1b[1m", "\x1b[0m"};
}

/// One source line as printed, and the columns of the carets below it.
struct ShownLine {
  std::string text;
  size_t caret = 0;
  size_t carets = 1;
};

/// Bytes [begin, end) of a line are marked. Only the part near them is read, so that a very long
/// line costs no more than a short one.
ShownLine make_row(std::string_view line, size_t begin, size_t end) {
  begin = std::min(begin, line.size());
  end = std::clamp(end, begin, line.size());
  size_t from = 0;
  if (line.size() > widest && begin > lead) from = character_begin(line, begin - lead);
  ShownLine row;
  size_t columns = 0;
  if (from > 0) {
    row.text = "…";
    columns = 1;
  }
  size_t caret_end = 0;
  row.caret = columns;
  for (size_t at = from; at < line.size();) {
    if (columns >= widest) {
      row.text += "…";
      if (end > at) caret_end = columns + 1;
      break;
    }
    Glyph glyph = first_glyph(line.substr(at));
    if (glyph.shown == "\t") {
      glyph.columns = tab - columns % tab;
      glyph.shown.assign(glyph.columns, ' ');
    }
    row.text += glyph.shown;
    if (at < begin) row.caret = columns + glyph.columns;
    columns += glyph.columns;
    at += glyph.bytes;
    if (at <= end) caret_end = columns;
  }
  row.carets = std::max<size_t>(caret_end > row.caret ? caret_end - row.caret : 0, 1);
  return row;
}

class Snippet {
 public:
  Snippet(const source::SourceMap& sources, source::Span span, const Palette& palette,
          std::string_view mark, std::string& out)
      : sources_(sources), span_(span), palette_(palette), mark_(mark), out_(out) {}

  void write() {
    const source::Position begin = sources_.begin(span_);
    source::Position end = sources_.end(span_);
    // A span that ends with a line break ends on the previous line.
    if (end.line > begin.line && end.column == 1) {
      end.line -= 1;
      end.column = static_cast<uint32_t>(sources_.line(span_.file, end.line).size()) + 1;
    }
    width_ = std::to_string(end.line).size();
    out_ += fmt::format("{:>{}}{}-->{} {}:{}:{}\n", "", width_, palette_.gutter, palette_.off,
                        printable(sources_.path(span_.file)), begin.line, begin.column);
    out_ += fmt::format("{:>{}} {}|{}\n", "", width_, palette_.gutter, palette_.off);
    if (begin.line == end.line) {
      line(begin.line, begin.column - 1, end.column - 1);
      return;
    }
    line(begin.line, begin.column - 1, sources_.line(span_.file, begin.line).size());
    if (end.line > begin.line + 1) out_ += "...\n";
    const std::string_view last = sources_.line(span_.file, end.line);
    const size_t first = std::min(last.find_first_not_of(" \t"), last.size());
    line(end.line, std::min<size_t>(first, end.column - 1), end.column - 1);
  }

 private:
  void line(uint32_t number, size_t begin, size_t end) {
    const ShownLine row = make_row(sources_.line(span_.file, number), begin, end);
    out_ +=
        fmt::format("{}{:>{}} |{} {}\n", palette_.gutter, number, width_, palette_.off, row.text);
    out_ += fmt::format("{:>{}} {}|{} {:>{}}{}{}{}\n", "", width_, palette_.gutter, palette_.off,
                        "", row.caret, mark_, std::string(row.carets, '^'), palette_.off);
  }

  const source::SourceMap& sources_;
  source::Span span_;
  const Palette& palette_;
  std::string_view mark_;
  std::string& out_;
  size_t width_ = 1;
};

}  // namespace

std::string render_human(const source::SourceMap& sources, const Diagnostic& diagnostic,
                         RenderOptions options) {
  const Palette palette = palette_of(diagnostic.severity, options.color);
  std::string out =
      fmt::format("{}{} {} {}{}:{} {}{}\n", palette.severity, to_string(diagnostic.severity),
                  diagnostic.code->id, diagnostic.code->name, palette.off, palette.bold,
                  printable(diagnostic.message), palette.off);
  if (diagnostic.span.valid()) {
    Snippet(sources, diagnostic.span, palette, palette.severity, out).write();
  }
  for (const Related& related : diagnostic.related_) {
    out += fmt::format("{}note{}: {}\n", palette.note, palette.off, printable(related.message));
    if (related.span.valid()) Snippet(sources, related.span, palette, palette.note, out).write();
  }
  if (diagnostic.witness) {
    out +=
        fmt::format("{}example{}: {}\n", palette.note, palette.off, printable(*diagnostic.witness));
  }
  if (!diagnostic.help_.empty()) {
    out += fmt::format("{}help{}: {}\n", palette.help, palette.off, printable(diagnostic.help_));
  }
  return out;
}

std::string render_human(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         RenderOptions options) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!out.empty()) out += '\n';
    out += render_human(sources, diagnostic, options);
  }
  return out;
}

}  // namespace kr::diag
