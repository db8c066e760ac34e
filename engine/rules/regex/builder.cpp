#include "regex/builder.hpp"

#include <algorithm>
#include <charconv>

#include "base/utf8.hpp"
#include "regex/byte_set.hpp"

namespace kr::regex {
namespace {

constexpr int64_t repeat_limit = 1000;  // RE2's
constexpr size_t max_nesting = 256;

/// A count; a value beyond every limit if it has too many digits.
int count(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  (void)end;
  return error == std::errc() ? std::min(value, 1'000'000'000) : 1'000'000'000;
}

struct Bounds {
  int min = 0;
  int max = Node::unbounded;
  bool counted = false;
};

/// Parses a quantifier without its suffix: `*`, `{2,3}`.
Bounds bounds(std::string_view text) {
  if (text == "*") return {0, Node::unbounded};
  if (text == "+") return {1, Node::unbounded};
  if (text == "?") return {0, 1};
  const std::string_view inner = text.substr(1, text.size() - 2);
  const size_t comma = inner.find(',');
  if (comma == std::string_view::npos) return {count(inner), count(inner), true};
  const std::string_view last = inner.substr(comma + 1);
  return {count(inner.substr(0, comma)), last.empty() ? Node::unbounded : count(last), true};
}

}  // namespace

Builder::Builder(std::string_view text, source::Span span, bool ignore_case, diag::Sink& sink)
    : text_(text), span_(span), sink_(sink), ignore_case_(ignore_case) {
  frames_.emplace_back().open = text.substr(0, 0);
}

std::string Builder::quoted(std::string_view item) {
  constexpr size_t longest = 60;
  if (item.size() <= longest) return std::string(item);
  return fmt::format("{}…", item.substr(0, longest));
}

source::Span Builder::place(std::string_view item) const {
  const auto offset = static_cast<uint32_t>(item.data() - text_.data());
  const uint32_t begin = span_.begin + offset;
  return {span_.file, begin, begin + static_cast<uint32_t>(item.size())};
}

NodeId Builder::add(Node node, std::string_view item, int64_t weight) {
  node.span = place(item);
  weights_.push_back(weight);
  return regex_.nodes.add(std::move(node));
}

void Builder::push(Node node, std::string_view item, Last last, int64_t weight) {
  frames_.back().sequence.push_back(add(std::move(node), item, weight));
  last_ = last;
}

void Builder::set(std::string_view item, const ByteSet& set) {
  push({.kind = NodeKind::bytes, .set = ignore_case_ ? folded(set) : set}, item, Last::operand);
}

void Builder::byte(std::string_view item, unsigned char value) {
  set(item, single(value));
}

void Builder::beyond_ascii(std::string_view item) {
  for (size_t i = 0; i < item.size(); ++i) {
    byte(item.substr(i, 1), static_cast<unsigned char>(item[i]));
  }
  last_ = Last::beyond_ascii;
}

void Builder::assertion(std::string_view item, NodeKind kind) {
  push({.kind = kind}, item, Last::assertion);
}

NodeId Builder::joined(NodeKind kind, std::vector<NodeId> operands, std::string_view item) {
  if (operands.size() == 1) return operands.front();
  Node node;
  node.kind = operands.empty() ? NodeKind::empty : kind;
  int64_t weight = 1;
  for (const NodeId operand : operands) weight = std::max(weight, weights_[operand.index]);
  const bool written = !operands.empty();
  const source::Span span = written ? source::join(regex_.nodes.get(operands.front()).span,
                                                   regex_.nodes.get(operands.back()).span)
                                    : source::Span();
  node.operands = std::move(operands);
  const NodeId id = add(std::move(node), item, weight);
  if (written) regex_.nodes.get(id).span = span;
  return id;
}

void Builder::bar(std::string_view) {
  Frame& frame = frames_.back();
  frame.alternatives.push_back(joined(NodeKind::sequence, std::move(frame.sequence), frame.open));
  frame.sequence.clear();
  last_ = Last::nothing;
}

void Builder::open_group(std::string_view item, std::string name) {
  if (frames_.size() > max_nesting && !too_deep_) {
    too_deep_ = true;
    report(diag::code::regex_size, item,
           Said{fmt::format("groups are nested more than {} deep", max_nesting)})
        .help("write it with fewer nested groups");
  }
  Frame frame;
  frame.open = item;
  frame.name = std::move(name);
  frame.outer_ignore_case = ignore_case_;
  frames_.push_back(std::move(frame));
  last_ = Last::nothing;
}

void Builder::open_folded(std::string_view item) {
  open(item);
  ignore_case_ = true;
}

void Builder::open_named(std::string_view item, std::string_view name) {
  const auto taken = std::ranges::find(names_, name, &std::pair<std::string, source::Span>::first);
  if (taken == names_.end()) {
    names_.emplace_back(name, place(name));
  } else {
    report(diag::code::regex_spelling, name, name, Said{"group name: it is used twice"})
        .related(taken->second, "first used here")
        .help("give each group a different name");
  }
  open_group(item, std::string(name));
}

NodeId Builder::ended(Frame& frame, std::string_view item) {
  const NodeId last = joined(NodeKind::sequence, std::move(frame.sequence), item);
  if (frame.alternatives.empty()) return last;
  frame.alternatives.push_back(last);
  return joined(NodeKind::alternation, std::move(frame.alternatives), item);
}

void Builder::close(std::string_view item) {
  if (frames_.size() == 1) {
    report(diag::code::regex_bracket, item, item, Said{"closes nothing"})
        .help("write `\\)` for the character");
    last_ = Last::operand;
    return;
  }
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  const auto size = static_cast<size_t>(item.data() + item.size() - frame.open.data());
  const std::string_view whole(frame.open.data(), size);
  NodeId inner = ended(frame, whole);
  if (!frame.name.empty()) {
    Node group;
    group.kind = NodeKind::group;
    group.name = std::move(frame.name);
    group.operands = {inner};
    inner = add(std::move(group), whole, weights_[inner.index]);
  }
  regex_.nodes.get(inner).span = place(whole);
  ignore_case_ = frame.outer_ignore_case;
  frames_.back().sequence.push_back(inner);
  last_ = Last::operand;
}

bool Builder::repeatable(std::string_view item) {
  std::string said, help;
  switch (last_) {
    case Last::operand:
      return !frames_.back().sequence.empty();
    case Last::nothing:
      said = "has nothing before it to repeat";
      help = fmt::format("write `\\{}` for the character", item.substr(0, 1));
      break;
    case Last::assertion:
      said = "repeats a position, not a byte";
      help = fmt::format("remove `{}`, or put it after what it repeats", item);
      break;
    case Last::repeat:
      said = "repeats a repeat";
      help = fmt::format("use one quantifier, or group the inner one: `(?:…*){}`", item);
      break;
    case Last::beyond_ascii: {
      const std::string_view before =
          text_.substr(0, static_cast<size_t>(item.data() - text_.data()));
      const std::string_view character = before.substr(character_begin(before, before.size() - 1));
      said = fmt::format("repeats the last byte of `{}`, not the character", quoted(character));
      help = fmt::format("group the character: `(?:{}){}`", character, item);
      break;
    }
  }
  reject(diag::code::regex_repeat, item, item, Said{said}).help("{}", help);
  return false;
}

void Builder::quantifier(std::string_view item) {
  const bool counted = item.front() == '{';
  const size_t size = counted ? item.find('}') + 1 : 1;
  const std::string_view base = item.substr(0, size);
  const std::string_view suffix = item.substr(size);
  if (!repeatable(item)) return;
  if (suffix == "+") {
    reject(diag::code::regex_construct, item, item, Said{"possessive"}).help("write `{}`", base);
    return;
  }
  const Bounds repeat = bounds(base);
  if (repeat.max != Node::unbounded && repeat.max < repeat.min) {
    reject(diag::code::regex_repeat, item, item, Said{"ends before it begins"})
        .help("write `{{{},{}}}`", repeat.max, repeat.min);
    return;
  }
  std::vector<NodeId>& sequence = frames_.back().sequence;
  const NodeId operand = sequence.back();
  const int64_t times = repeat.max == Node::unbounded ? repeat.min : repeat.max;
  int64_t weight = weights_[operand.index];
  if (repeat.counted && times > 0) weight *= times;
  if (weight > repeat_limit) {
    auto& finding = reject(diag::code::regex_repeat, item, item,
                           Said{fmt::format("repeats {} times, more than 1000", weight)});
    if (times > repeat_limit) {
      finding.help("write a smaller count, or `*` and `+` without one");
    } else {
      finding.help("counts of nested repeats multiply: write smaller ones");
    }
    return;
  }
  sequence.pop_back();
  const source::Span begin = regex_.nodes.get(operand).span;
  const std::string_view whole = text_.substr(
      begin.begin - span_.begin,
      static_cast<size_t>(item.data() + item.size() - text_.data()) - (begin.begin - span_.begin));
  push({.kind = NodeKind::repeat,
        .operands = {operand},
        .min = repeat.min,
        .max = repeat.max,
        .lazy = suffix == "?"},
       whole, Last::repeat, weight);
}

void Builder::class_open(std::string_view item) {
  in_class_ = true;
  class_begin_ = item;
  class_negated_ = item.size() > 1;
  class_set_.reset();
  class_atoms_.clear();
}

void Builder::class_byte(std::string_view item, unsigned char value) {
  class_atoms_.push_back({item, single(value), true});
}

void Builder::class_set(std::string_view item, const ByteSet& set) {
  class_atoms_.push_back({item, set, false});
}

void Builder::class_bad(std::string_view item) {
  // Any set that causes no further errors.
  class_atoms_.push_back({item, ByteSet().set(), false});
}

void Builder::class_item(std::string_view item) {
  // Errors in the bounds of the range have been reported.
  if (class_atoms_.size() == 2 && class_atoms_[0].single && class_atoms_[1].single) {
    unsigned first = 0;
    unsigned last = 0;
    while (!class_atoms_[0].set.test(first)) ++first;
    while (!class_atoms_[1].set.test(last)) ++last;
    if (last < first) {
      report(diag::code::regex_class, item, item, Said{"is a range that ends before it begins"})
          .help("write `{}-{}`, or `\\-` for the character", class_atoms_[1].item,
                class_atoms_[0].item);
      class_set_.set();
    } else {
      class_set_ |= range(static_cast<unsigned char>(first), static_cast<unsigned char>(last));
    }
  } else {
    if (class_atoms_.size() == 2 && (!class_atoms_[0].set.all() && !class_atoms_[1].set.all())) {
      report(diag::code::regex_class, item, item, Said{"is a range from or to a class"})
          .help("write `\\-` for the character: `{}\\-{}`", class_atoms_[0].item,
                class_atoms_[1].item);
    }
    for (const ClassAtom& atom : class_atoms_) class_set_ |= atom.set;
  }
  class_atoms_.clear();
}

void Builder::class_close(std::string_view item, bool closed) {
  in_class_ = false;
  const std::string_view whole(
      class_begin_.data(), static_cast<size_t>(item.data() + item.size() - class_begin_.data()));
  const std::string_view inside = whole.substr(class_begin_.size());
  if (!closed) {
    if (!inside.empty() && inside.front() == ']') {
      const std::string_view empty = whole.substr(0, class_begin_.size() + 1);
      reject(diag::code::regex_class, empty, empty, Said{"contains no byte"})
          .help("a `]` that comes first is a member; write `.` for any byte");
    } else {
      reject(diag::code::regex_bracket, class_begin_, class_begin_,
             Said{"opens a class that is never closed"})
          .help("close it with `]`, or write `\\[` for the character");
    }
    return;
  }
  ByteSet set = ignore_case_ ? folded(class_set_) : class_set_;
  if (class_negated_) set.flip();
  if (set.none() && errors_ == 0) {
    reject(diag::code::regex_class, whole, whole, Said{"contains no byte"})
        .help("remove what cannot match");
    return;
  }
  push({.kind = NodeKind::bytes, .set = set}, whole, Last::operand);
}

std::optional<Regex> Builder::finish() {
  for (size_t i = frames_.size(); i-- > 1;) {
    report(diag::code::regex_bracket, frames_[i].open, frames_[i].open, Said{"is never closed"})
        .help("close it with `)`, or write `\\(` for the character");
  }
  if (errors_ > 0) return std::nullopt;
  regex_.root = ended(frames_.front(), text_);
  const uint64_t states = state_count(regex_);
  if (states > max_states) {
    report(diag::code::regex_size, text_,
           Said{fmt::format("it needs {} states, more than {}", states, max_states)})
        .help("write smaller repeats, or several expressions joined by `|`");
    return std::nullopt;
  }
  return std::move(regex_);
}

}  // namespace kr::regex
