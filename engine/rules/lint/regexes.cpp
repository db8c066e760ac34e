// KR307, KR309, KR310, KR405, KR415: checks of a single regular expression.
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"
#include "lint/checks.hpp"
#include "match/scanner.hpp"
#include "regex/byte_set.hpp"
#include "regex/regex.hpp"

namespace kr::lint {
namespace {

using regex::NodeId;
using regex::NodeKind;

std::string_view written(const Context& context, const WrittenAtom& atom) {
  return context.sources().text(atom.expr->span);
}

void check_empty_name(const Context& context, const WrittenAtom& atom, const regex::Regex& regex,
                      diag::Sink& sink) {
  const regex::Places empty = regex::empty_places(regex);
  const bool in_empty_name = (empty & regex::places_of("")) != 0;
  if (regex::vacuity(empty) == regex::Vacuity::always || !in_empty_name) return;
  sink.add(diag::code::matches_empty_name, atom.expr->span, written(context, atom))
      .help("make it match at least one byte: write `+` for `*`, or remove `^` and `$`");
}

// Texts.

void check_literal(const Context& context, const WrittenAtom& atom, const regex::Regex& regex,
                   diag::Sink& sink) {
  const auto text = regex::text_of(regex);
  if (!text) return;
  std::string instead = written_text(text->bytes, text->ignore_case, text->at_begin, text->at_end);
  diag::Diagnostic& added =
      sink.add(diag::code::regex_is_literal, atom.expr->span, written(context, atom));
  added.help("write {}", instead);
  // As the whole item of a fold, a text without anchors and flag would be a whole name.
  if (atom.lone_fold && !text->ignore_case && !text->at_begin && !text->at_end) {
    instead = "(" + instead + ")";
  }
  added.fix = diag::Fix{true, {{atom.expr->span, std::move(instead)}}};
}

// `.*` at an end.

/// Whether a part matches any bytes or none: `.*`, `[^,]?`, `.{0,3}`.
bool matches_anything(const regex::Node& node, const regex::Regex& regex) {
  if (node.kind != NodeKind::repeat || node.min != 0 || node.max == 0) return false;
  const regex::Node& operand = regex.nodes.get(node.operands.front());
  return operand.kind == NodeKind::bytes && operand.set.count() >= 250;
}

/// Whether a part is `.*`, which next to an anchor matches everything.
bool matches_everything(const regex::Regex& regex, NodeId id) {
  const regex::Node& node = regex.nodes.get(id);
  return matches_anything(node, regex) && node.max == regex::Node::unbounded &&
         regex.nodes.get(node.operands.front()).set.all();
}

/// Reports operands [first, last) of the outermost sequence, which have no effect.
void report_any(const Context& context, const WrittenAtom& atom, const regex::Regex& regex,
                size_t first, size_t last, diag::Sink& sink) {
  regex::Regex rest = regex;
  std::vector<NodeId>& operands = rest.nodes.get(rest.root).operands;
  const bool at_begin = first == 0;
  const source::Span begin = rest.nodes.get(operands[first]).span;
  const source::Span end = rest.nodes.get(operands[last - 1]).span;
  operands.erase(operands.begin() + static_cast<ptrdiff_t>(first),
                 operands.begin() + static_cast<ptrdiff_t>(last));
  if (!begin.valid() || !end.valid() || operands.empty()) return;
  if (operands.size() == 1) rest.root = operands.front();

  const source::Span span = source::join(begin, end);
  diag::Diagnostic& added = sink.add(diag::code::needless_any, span, context.sources().text(span),
                                     at_begin ? "start" : "end");
  const source::Span whole = atom.expr->text_span;
  std::string text = atom.expr->text;
  text.erase(span.begin - whole.begin, span.size());
  diag::Sink ignored;
  const auto parsed = regex::parse(text, whole, {.ignore_case = atom.expr->ignore_case}, ignored);
  if (!parsed || regex::to_hyperscan(*parsed) != regex::to_hyperscan(rest)) return;
  added.help("remove it: `/{}/{}`", text, atom.expr->ignore_case ? "i" : "");
  added.fix = diag::Fix{true, {{span, ""}}};
}

void check_any(const Context& context, const WrittenAtom& atom, const regex::Regex& regex,
               diag::Sink& sink) {
  // The content of a named group depends on where the match begins.
  if (!regex::group_names(regex).empty()) return;
  const regex::Node& root = regex.nodes.get(regex.root);
  const size_t count = root.operands.size();
  if (root.kind != NodeKind::sequence || count < 2) return;
  if (regex::vacuity(regex) == regex::Vacuity::always) return;  // another check reports this
  const auto node = [&](size_t i) -> const regex::Node& {
    return regex.nodes.get(root.operands[i]);
  };
  // One at a time: the next round of fixes finds the other.
  if (matches_anything(node(0), regex)) {
    report_any(context, atom, regex, 0, 1, sink);
  } else if (node(0).kind == NodeKind::begin && matches_everything(regex, root.operands[1])) {
    report_any(context, atom, regex, 0, 2, sink);
  } else if (matches_anything(node(count - 1), regex)) {
    report_any(context, atom, regex, count - 1, count, sink);
  } else if (node(count - 1).kind == NodeKind::end &&
             matches_everything(regex, root.operands[count - 2])) {
    report_any(context, atom, regex, count - 2, count, sink);
  }
}

// A dot that looks literal.

bool word_byte(const regex::Regex& regex, NodeId id) {
  const regex::Node& node = regex.nodes.get(id);
  if (node.kind != NodeKind::bytes) return false;
  const auto letter = regex::letter_of(node.set);
  return letter && regex::is_word(static_cast<unsigned char>(letter->byte));
}

void check_dots(const Context& context, const WrittenAtom& atom, const regex::Regex& regex,
                diag::Sink& sink) {
  for (const regex::Node& node : regex.nodes) {
    if (node.kind != NodeKind::sequence) continue;
    for (size_t i = 1; i + 1 < node.operands.size(); ++i) {
      const regex::Node& dot = regex.nodes.get(node.operands[i]);
      if (dot.kind != NodeKind::bytes || !dot.set.all() || !dot.span.valid()) continue;
      if (context.sources().text(dot.span) != ".") continue;
      if (!word_byte(regex, node.operands[i - 1]) || !word_byte(regex, node.operands[i + 1])) {
        continue;
      }
      diag::Diagnostic& added =
          sink.add(diag::code::looks_literal, dot.span, written(context, atom));
      added.help("write `\\.` for a dot");
      added.fix = diag::Fix{false, {{dot.span, "\\."}}};
      break;  // one per sequence is enough
    }
  }
}

// Size.

void check_size(const Context& context, const WrittenAtom& atom, const regex::Regex& regex,
                diag::Sink& sink) {
  if (!match::may_leave_hyperscan(regex)) return;
  constexpr size_t max_shown = 60;
  sink.add(diag::code::outside_hyperscan, atom.expr->span,
           excerpt(written(context, atom), max_shown))
      .help("match a shorter part, or repeat it less often");
}

}  // namespace

void check_regexes(const Context& context, diag::Sink& sink) {
  for (const WrittenAtom& atom : context.atoms) {
    const auto regex = atom.regex();
    if (!regex) continue;
    check_size(context, atom, *regex, sink);
    if (!atom.is_regex()) continue;
    check_empty_name(context, atom, *regex, sink);
    check_literal(context, atom, *regex, sink);
    check_any(context, atom, *regex, sink);
    check_dots(context, atom, *regex, sink);
  }
}

}  // namespace kr::lint
