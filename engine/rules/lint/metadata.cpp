// KR325 to KR328: what a file requires of kr, and metadata.
#include "syntax/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "lint/checks.hpp"
#include "syntax/each_declaration.hpp"

namespace kr::lint {
namespace {

constexpr size_t longest_metadata = 60;  // bytes in a message

/// Where the first declaration begins that rules depend on; no place is later if there is none.
uint32_t first_declaration_of(const syntax::File& tree) {
  uint32_t first = static_cast<uint32_t>(-1);
  syntax::each_declaration(tree, [&](const auto& one) { first = std::min(first, one.span.begin); });
  return first;
}

void check_requirements(const syntax::File& tree, diag::Sink& sink) {
  const uint32_t declared = first_declaration_of(tree);
  for (const syntax::Requirement& one : tree.requirements) {
    if (one.span.begin > declared) {
      sink.add(diag::code::late_requires, one.span).help("move it to the head of the file");
    }
    const syntax::Requirement& first = tree.requirements.front();
    if (&one == &first) continue;
    sink.add(diag::code::repeated_metadata, one.span, "`requires`")
        .related(first.span, "first written here")
        .help("keep the one with the later version");
  }
}

/// `2026-11` or `2026-11-26`.
bool is_date(std::string_view text) {
  if (text.size() != 7 && text.size() != 10) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  }
  const auto number = [&](size_t at) {
    return static_cast<unsigned>(text[at] - '0') * 10 + static_cast<unsigned>(text[at + 1] - '0');
  };
  const std::chrono::year year(static_cast<int>(number(0) * 100 + number(2)));
  const std::chrono::day day(text.size() == 10 ? number(8) : 1);
  return (year / std::chrono::month(number(5)) / day).ok();
}

/// An address that a browser opens: `https://`, a host, and no blanks.
bool is_link(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!text.starts_with(scheme)) continue;
    const std::string_view rest = text.substr(scheme.size());
    return !rest.empty() && (is_identifier_byte(rest[0]) || rest[0] == '[') &&
           std::ranges::none_of(rest, [](char c) {
             return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '<' || c == '>' ||
                    c == '"';
           });
  }
  return false;
}

void check_list(const std::vector<syntax::Metadata>& metadata, diag::Sink& sink) {
  for (size_t i = 0; i < metadata.size(); ++i) {
    const syntax::Metadata& one = metadata[i];
    const std::string shown = excerpt(printable(one.text.text), longest_metadata);
    const bool dated = one.kind == syntax::MetadataKind::since;
    const auto first =
        std::find_if(metadata.begin(), metadata.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const syntax::Metadata& other) {
                       return other.kind == one.kind && (dated || other.text.text == one.text.text);
                     });
    if (first != metadata.begin() + static_cast<std::ptrdiff_t>(i)) {
      const std::string_view kind = syntax::to_string(one.kind);
      sink.add(diag::code::repeated_metadata, one.span,
               dated ? fmt::format("`{}`", kind) : fmt::format("`{} \"{}\"`", kind, shown))
          .related(first->span, "first written here")
          .help("remove one of them");
    }
    if (dated && !is_date(one.text.text)) {
      sink.add(diag::code::bad_date, one.text.span, shown)
          .help("write the year and the month, and the day if it matters: `since \"2026-11\"`");
    }
    if (one.kind == syntax::MetadataKind::link && !is_link(one.text.text)) {
      sink.add(diag::code::bad_link, one.text.span, shown)
          .help("write an address that begins with `https://` or `http://`, without blanks");
    }
  }
}

}  // namespace

void check_metadata(const Context& context, diag::Sink& sink) {
  for (const sema::LoadedFile* file : context.roots) {
    check_requirements(file->tree, sink);
    check_list(file->tree.metadata, sink);
    for (const syntax::Table& table : file->tree.tables) check_list(table.metadata, sink);
    each_body(file->tree, [&](const syntax::Body& body) { check_list(body.metadata, sink); });
  }
}

}  // namespace kr::lint
