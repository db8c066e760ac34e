// Splits a pattern into its alternatives and writes each as the simplest equivalent atom.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "convert/from_python.hpp"
#include "diag/diagnostic.hpp"
#include "regex/regex.hpp"
#include "syntax/words.hpp"

namespace kr::convert {
namespace {

using regex::Node;
using regex::NodeId;
using regex::NodeKind;
using regex::Regex;

/// A parsed pattern that is not part of a file.
struct Parsed {
  std::optional<Regex> regex;
  diag::Sink sink;
};

Parsed parse(std::string_view text, bool ignore_case) {
  source::SourceMap sources;
  Parsed parsed;
  const source::FileId file = sources.add("pattern", std::string(text));
  const source::Span span{file, 0, static_cast<uint32_t>(text.size())};
  parsed.regex = regex::parse(sources.text(span), span, {.ignore_case = ignore_case}, parsed.sink);
  return parsed;
}

/// The end of the item that begins at `at`: an escape, a class, or one byte. The caller handles
/// groups.
size_t item_end(std::string_view text, size_t at) {
  if (text[at] == '\\') return std::min(at + 2, text.size());
  if (text[at] != '[') return at + 1;
  size_t end = at + 1;
  if (end < text.size() && text[end] == '^') ++end;
  if (end < text.size() && text[end] == ']') ++end;
  while (end < text.size() && text[end] != ']') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

/// The alternatives of a pattern that the dialect accepts.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if (text[at] == '|' && depth == 0) {
      parts.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
    at = item_end(text, at);
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// The content of the group, if the whole text is one group: `(?:a|b)`.
std::optional<std::string_view> inside_group(std::string_view text, bool& ignore_case) {
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0 && at + 1 < text.size()) return std::nullopt;
    const size_t end = item_end(text, at);
    // A parenthesis that is escaped or in a class does not close a group.
    if (end == text.size() && (end != at + 1 || depth != 0)) return std::nullopt;
    at = end;
  }
  size_t head = 1;
  if (text.starts_with("(?i:")) {
    ignore_case = true;
    head = 4;
  } else if (text.starts_with("(?:")) {
    head = 3;
  } else if (text.starts_with("(?")) {
    return std::nullopt;
  }
  return text.substr(head, text.size() - head - 1);
}

bool is_any_run(const Regex& regex, NodeId id) {
  const Node& node = regex.nodes.get(id);
  if (node.kind != NodeKind::repeat || node.min != 0 || node.max != Node::unbounded) return false;
  const Node& operand = regex.nodes.get(node.operands.front());
  return operand.kind == NodeKind::bytes && operand.set.all();
}

/// The items of the outermost sequence, without the `.*` at its ends.
std::vector<NodeId> core(const Regex& regex) {
  const Node& root = regex.nodes.get(regex.root);
  std::vector<NodeId> items =
      root.kind == NodeKind::sequence ? root.operands : std::vector<NodeId>{regex.root};
  const auto kind = [&](size_t at) { return regex.nodes.get(items[at]).kind; };
  while (items.size() > 1) {
    const size_t last = items.size() - 1;
    if (is_any_run(regex, items.front())) {
      items.erase(items.begin());
    } else if (is_any_run(regex, items.back())) {
      items.pop_back();
    } else if (kind(0) == NodeKind::begin && is_any_run(regex, items[1])) {
      items.erase(items.begin(), items.begin() + 2);
    } else if (kind(last) == NodeKind::end && is_any_run(regex, items[last - 1])) {
      items.resize(last - 1);
    } else {
      break;
    }
  }
  return items;
}

/// A letter of either case: as written in the pattern if it is there.
char as_written(std::string_view text, const Node& node, char lower) {
  if (!node.span.valid() || node.span.size() != 1) return lower;
  const char c = text[node.span.begin];
  return static_cast<char>(c | 0x20) == lower ? c : lower;
}

/// The items as a text, if they are single bytes, with or without anchors at the ends.
std::optional<std::string> as_text(std::string_view text, const Regex& regex,
                                   std::vector<NodeId> items) {
  std::string bytes;
  bool begin = false;
  bool end = false;
  size_t folded = 0;
  size_t letters = 0;
  std::reverse(items.begin(), items.end());
  while (!items.empty()) {
    const Node& node = regex.nodes.get(items.back());
    items.pop_back();
    switch (node.kind) {
      case NodeKind::sequence:
        items.insert(items.end(), node.operands.rbegin(), node.operands.rend());
        break;
      case NodeKind::begin:
        if (!bytes.empty() || begin) return std::nullopt;
        begin = true;
        break;
      case NodeKind::end:
        if (end) return std::nullopt;
        end = true;
        break;
      case NodeKind::bytes: {
        if (end || node.set.count() > 2) return std::nullopt;
        size_t first = 0;
        while (!node.set.test(first)) ++first;
        const char c = static_cast<char>(first);
        const bool letter = is_letter(c);
        letters += letter ? 1 : 0;
        if (node.set.count() == 1) {
          bytes += c;
        } else if (letter && (first & 0x20) == 0 && node.set.test(first | 0x20)) {
          bytes += as_written(text, node, static_cast<char>(first | 0x20));
          ++folded;
        } else {
          return std::nullopt;
        }
        break;
      }
      default:
        return std::nullopt;
    }
  }
  if (bytes.empty() || (folded > 0 && folded < letters)) return std::nullopt;
  return fmt::format("{}{}{}{}", begin ? "^" : "", syntax::quoted_text(bytes),
                     folded > 0 ? "i" : "", end ? "$" : "");
}

/// `i` is written only if it changes the expression.
std::string as_regex(std::string_view text, bool ignore_case) {
  const bool matters = ignore_case && regex::to_hyperscan(*parse(text, true).regex) !=
                                          regex::to_hyperscan(*parse(text, false).regex);
  return fmt::format("/{}/{}", text, matters ? "i" : "");
}

/// The part of the text that spells the items, if it parses to the same items.
std::optional<std::string_view> cut(std::string_view text, const Regex& regex,
                                    const std::vector<NodeId>& items, bool ignore_case) {
  const source::Span first = regex.nodes.get(items.front()).span;
  const source::Span last = regex.nodes.get(items.back()).span;
  if (!first.valid() || !last.valid() || first.begin >= last.end) return std::nullopt;
  const std::string_view part = text.substr(first.begin, last.end - first.begin);
  const Parsed again = parse(part, ignore_case);
  if (!again.regex) return std::nullopt;
  const Node& root = again.regex->nodes.get(again.regex->root);
  const size_t count = root.kind == NodeKind::sequence ? root.operands.size() : 1;
  return count == items.size() ? std::optional(part) : std::nullopt;
}

/// Adds one alternative to the rule.
void port_alternative(std::string_view text, bool ignore_case, PortedRule& rule) {
  const Parsed parsed = parse(text, ignore_case);
  const Regex& regex = *parsed.regex;
  const std::vector<NodeId> items = core(regex);
  const auto anchor = [&] {
    const NodeKind kind = regex.nodes.get(items.front()).kind;
    return items.size() == 1 && (kind == NodeKind::begin || kind == NodeKind::end);
  };
  if (regex::vacuity(regex) == regex::Vacuity::always || items.empty() || anchor() ||
      is_any_run(regex, items.front())) {
    rule = {{"/.*/"}, true};
    return;
  }
  const auto literal = as_text(text, regex, items);
  rule.atoms.push_back(
      literal ? *literal
              : as_regex(cut(text, regex, items, ignore_case).value_or(text), ignore_case));
}

}  // namespace

std::optional<PortedRule> port_rule(std::string_view pattern, std::string& why, std::string& help) {
  const PortedPattern ported = from_python(pattern);
  const Parsed parsed = parse(ported.text, ported.ignore_case);
  if (!parsed.regex) {
    const diag::Diagnostic& first = parsed.sink.all().front();
    why = first.message;
    help = first.help_;
    return std::nullopt;
  }
  PortedRule rule;
  std::vector<std::pair<std::string_view, bool>> open{{ported.text, ported.ignore_case}};
  while (!open.empty() && !rule.always) {
    const auto [text, ignore_case] = open.back();
    open.pop_back();
    const auto parts = split(text);
    bool folds = ignore_case;
    if (parts.size() > 1) {
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        open.emplace_back(*part, ignore_case);
      }
    } else if (const auto inner = inside_group(text, folds)) {
      open.emplace_back(*inner, folds);
    } else {
      port_alternative(text, ignore_case, rule);
    }
  }
  return rule;
}

}  // namespace kr::convert
