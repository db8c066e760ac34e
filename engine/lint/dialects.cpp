// KR409: constructs whose meaning changes on export, to Python's `re` on text (not bytes) and its
// older versions.
#include <fmt/format.h>

#include <algorithm>

#include "lint/checks.hpp"

namespace kr::lint {
namespace {

/// The letters of the escapes of a regular expression, without duplicates, in the order written.
std::string escapes_of(std::string_view pattern) {
  std::string letters;
  for (size_t at = 0; at + 1 < pattern.size(); ++at) {
    if (pattern[at] != '\\') continue;
    ++at;
    if (letters.find(pattern[at]) == letters.npos) letters += pattern[at];
  }
  return letters;
}

bool holds_high_byte(const regex::Regex& regex) {
  // A negated class contains all of them, but is not about them.
  return std::ranges::any_of(regex.nodes, [](const regex::Node& node) {
    return node.kind == regex::NodeKind::bytes && (node.set >> 128).any() && node.set.count() < 64;
  });
}

}  // namespace

void check_dialects(const Context& context, diag::Sink& sink) {
  for (const WrittenAtom& atom : context.atoms) {
    const std::string_view text = context.sources().text(atom.expr->span);
    if (holds_high_byte(atom.regex)) {
      sink.add(diag::code::dialect_difference, atom.expr->span, text,
               "an `re` for text reads its bytes from 0x80 as characters");
    }
    if (atom.expr->kind != syntax::ExprKind::regex) continue;
    const std::string escapes = escapes_of(atom.expr->text);
    if (escapes.find('B') != escapes.npos && regex::EmptyMatches(atom.regex).any("")) {
      sink.add(diag::code::dialect_difference, atom.expr->span, text,
               "`\\B` matches the empty name, but not in Python before 3.14");
    }
    std::string classes;
    for (const char letter : escapes) {
      if (std::string_view("wWdDsSb").find(letter) == std::string_view::npos) continue;
      classes += fmt::format("{}`\\{}`", classes.empty() ? "" : ", ", letter);
    }
    if (!classes.empty()) {
      sink.add(diag::code::dialect_difference, atom.expr->span, text,
               fmt::format("{} are ASCII here, but Unicode in an `re` for text", classes));
    }
  }
}

}  // namespace kr::lint
