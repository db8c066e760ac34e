// Renders the Markdown of the pages for a terminal.
#include "base/printable.hpp"
#include "explain/explain.hpp"

namespace kr::explain {
namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view code_color = "\x1b[36m";
constexpr std::string_view off = "\x1b[0m";

std::string_view severity_color(std::string_view text) {
  if (text.starts_with("error:")) return "\x1b[1;31m";
  if (text.starts_with("warning:")) return "\x1b[1;33m";
  if (text.starts_with("info:")) return "\x1b[1;36m";
  return {};
}

/// Replaces the backticks of `code` by a colour.
std::string with_code(std::string_view text) {
  std::string out;
  for (;;) {
    const size_t open = text.find('`');
    const size_t close = open == text.npos ? text.npos : text.find('`', open + 1);
    if (close == text.npos) return out + std::string(text);
    out += text.substr(0, open);
    out += code_color;
    out += text.substr(open + 1, close - open - 1);
    out += off;
    text.remove_prefix(close + 1);
  }
}

/// Columns of a word, without colour codes.
size_t columns_of(std::string_view word) {
  size_t columns = 0;
  while (!word.empty()) {
    if (word[0] == '\x1b') {
      word.remove_prefix(std::min(word.find('m') + 1, word.size()));
      continue;
    }
    const Glyph glyph = first_glyph(word);
    columns += glyph.columns;
    word.remove_prefix(glyph.bytes);
  }
  return columns;
}

/// A paragraph with its line breaks moved to fit the width.
std::string wrapped(std::string text, size_t width) {
  size_t column = 0;
  size_t blank = text.npos;  // the last blank
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const size_t columns = columns_of(std::string_view(text).substr(begin, end - begin));
    if (blank != text.npos) {
      const bool fits = column + 1 + columns <= width;
      text[blank] = fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    column += columns;
    blank = end;
    begin = end + 1;
  }
  return text;
}

class Page {
 public:
  explicit Page(PageStyle style) : style_(style) {}

  void add(std::string_view line) {
    if (line.starts_with("```")) {
      end_paragraph();
      code_ = !code_;
    } else if (code_) {
      if (!line.empty()) out_ += "    ";
      put(line);
    } else if (line.starts_with('#')) {
      end_paragraph();
      line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
      put(style_.color ? fmt::format("{}{}{}", bold, line, off) : std::string(line));
    } else if (line.empty()) {
      end_paragraph();
      put(line);
    } else {
      if (!paragraph_.empty()) paragraph_ += '\n';
      paragraph_ += line;
    }
  }

  std::string finish() {
    end_paragraph();
    return std::move(out_);
  }

 private:
  void put(std::string_view line) {
    out_ += line;
    out_ += '\n';
  }

  void end_paragraph() {
    if (paragraph_.empty()) return;
    std::string text = style_.color ? colored(paragraph_) : paragraph_;
    // Lists and tables keep their lines.
    const bool flows = paragraph_[0] != '-' && paragraph_[0] != '|';
    put(style_.width > 0 && flows ? wrapped(std::move(text), style_.width) : text);
    paragraph_.clear();
  }

  static std::string colored(std::string_view text) {
    const std::string_view severity = severity_color(text);
    if (severity.empty()) return with_code(text);
    const size_t colon = text.find(':') + 1;
    return fmt::format("{}{}{}{}", severity, text.substr(0, colon), off,
                       with_code(text.substr(colon)));
  }

  PageStyle style_;
  std::string out_;
  std::string paragraph_;
  bool code_ = false;
};

}  // namespace

std::string render_page(std::string_view page, PageStyle style) {
  Page rendered(style);
  while (!page.empty()) {
    const size_t end = std::min(page.find('\n'), page.size());
    rendered.add(page.substr(0, end));
    page.remove_prefix(std::min(end + 1, page.size()));
  }
  return rendered.finish();
}

}  // namespace kr::explain
