#include "golden/annotate.hpp"

#include "base/printable.hpp"

namespace kr::golden {
namespace {

constexpr std::string_view mark = "#~";
constexpr std::string_view cut = "#--- ";

/// Calls `each` with every line, its line break included.
template <class F>
void for_lines(std::string_view text, F each) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    each(text.substr(0, end));
    text.remove_prefix(end);
  }
}

bool plain(std::string_view bytes) {
  for (const char c : bytes) {
    if (c < ' ' || c > '~') return false;
  }
  return true;
}

/// Carets below the span where they can be set; otherwise its columns in numbers.
std::string place_of(const source::SourceMap& sources, source::Span span) {
  const source::Position begin = sources.begin(span);
  const source::Position end = sources.end(span);
  const std::string_view line = sources.line(span.file, begin.line);
  const size_t width = end.column - begin.column;
  if (begin.line == end.line && begin.column > mark.size() && width > 0 &&
      plain(line.substr(0, end.column - 1))) {
    return fmt::format("{}{:{}}{}", mark, "", begin.column - 1 - mark.size(),
                       std::string(width, '^'));
  }
  if (begin.line == end.line) return fmt::format("{} {}..{}", mark, begin.column, end.column);
  return fmt::format("{} {}..+{}:{}", mark, begin.column, end.line - begin.line, end.column);
}

std::string relative(const source::SourceMap& sources, source::Span from, source::Span to) {
  if (!to.valid()) return "nowhere";
  const source::Position at = sources.begin(to);
  if (!from.valid() || from.file != to.file) {
    const std::string& path = sources.path(to.file);
    return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), at.line);
  }
  return fmt::format(
      "{:+}", static_cast<int64_t>(at.line) - static_cast<int64_t>(sources.begin(from).line));
}

std::string describe(const source::SourceMap& sources, const diag::Diagnostic& diagnostic) {
  std::string out = fmt::format(
      "{} {} {}: {}\n",
      diagnostic.span.valid() ? place_of(sources, diagnostic.span) : std::string(mark) + " nowhere",
      diag::to_string(diagnostic.severity), diagnostic.code->id, printable(diagnostic.message));
  for (const diag::Related& related : diagnostic.related_) {
    out += fmt::format("{} {}: {}\n", mark, relative(sources, diagnostic.span, related.span),
                       printable(related.message));
  }
  if (diagnostic.witness) {
    out += fmt::format("{} example: {}\n", mark, printable(*diagnostic.witness));
  }
  if (diagnostic.fix) {
    for (const diag::Edit& edit : diagnostic.fix->edits) {
      out += fmt::format("{} {}: `{}` -> `{}`\n", mark, diagnostic.fix->safe ? "fix" : "unsafe fix",
                         printable(sources.text(edit.span)), printable(edit.text));
    }
  }
  for (const diag::Fix& choice : diagnostic.choices) {
    for (const diag::Edit& edit : choice.edits) {
      out += fmt::format("{} choice ({}): `{}` -> `{}`\n", mark, choice.title,
                         printable(sources.text(edit.span)), printable(edit.text));
    }
  }
  if (!diagnostic.help_.empty()) {
    out += fmt::format("{} help: {}\n", mark, printable(diagnostic.help_));
  }
  return out;
}

}  // namespace

std::vector<Part> split(std::string_view name, std::string_view text) {
  std::vector<Part> parts{{std::string(name), {}}};
  for_lines(text, [&parts](std::string_view line) {
    if (line.starts_with(mark)) return;
    if (line.starts_with(cut)) {
      line.remove_prefix(cut.size());
      parts.push_back({std::string(line.substr(0, line.find_last_not_of(" \r\n") + 1)), {}});
      return;
    }
    parts.back().text += line;
  });
  // A file that ends with an annotation may lack the break of its last line.
  return parts;
}

std::string annotate(const std::vector<Part>& parts, const source::SourceMap& sources,
                     const std::vector<diag::Diagnostic>& diagnostics,
                     const std::map<std::string, std::string>& shown, std::string_view stop) {
  std::string out;
  std::map<std::pair<std::string, uint32_t>, std::string> notes;  // by file and line
  std::string elsewhere;
  for (const diag::Diagnostic& diagnostic : diagnostics) {
    if (!diagnostic.span.valid() || !shown.contains(sources.path(diagnostic.span.file))) {
      elsewhere += describe(sources, diagnostic);
      continue;
    }
    notes[{shown.at(sources.path(diagnostic.span.file)), sources.begin(diagnostic.span).line}] +=
        describe(sources, diagnostic);
  }
  if (!stop.empty()) out += fmt::format("{} stops: {}\n", mark, printable(stop));
  out += elsewhere;
  for (const Part& part : parts) {
    if (&part != &parts.front()) out += fmt::format("{}{}\n", cut, part.name);
    uint32_t number = 0;
    for_lines(part.text, [&](std::string_view line) {
      out += line;
      const auto note = notes.find({part.name, ++number});
      if (note == notes.end()) return;
      if (!line.ends_with('\n')) out += '\n';
      out += note->second;
      notes.erase(note);
    });
    // The end of the file is a line of its own.
    if (const auto note = notes.find({part.name, ++number}); note != notes.end()) {
      if (!out.empty() && !out.ends_with('\n')) out += '\n';
      out += note->second;
    }
  }
  return out;
}

}  // namespace kr::golden
