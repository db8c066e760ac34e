#include "lint/suppress.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "lint/checks.hpp"

namespace kr::lint {
namespace {

bool is_blank_in_line(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

void skip_blanks(std::string_view text, size_t& at) {
  while (at < text.size() && is_blank_in_line(text[at])) ++at;
}

bool skip_word(std::string_view text, size_t& at, std::string_view word) {
  if (!text.substr(at).starts_with(word)) return false;
  at += word.size();
  return true;
}

void add_rules(const std::vector<syntax::Rule>& rules, std::vector<source::Span>& items) {
  for (const syntax::Rule& rule : rules) items.push_back(rule.span);
}

/// Items of one `fold` or `abbreviate` form one span: commas separate them.
template <class Items>
void add_list(std::string_view text, const Items& list, std::vector<source::Span>& items) {
  for (size_t i = 0; i < list.size();) {
    source::Span whole = list[i].span;
    for (++i; i < list.size(); ++i) {
      const source::Span next = list[i].span;
      if (next.begin < whole.end) break;
      const std::string_view between = text.substr(whole.end, next.begin - whole.end);
      if (between.find_first_not_of(", \t\r\n") != between.npos) break;
      whole.end = next.end;
    }
    items.push_back(whole);
  }
}

void add_costs(const std::vector<syntax::CostBlock>& costs, std::vector<source::Span>& items) {
  for (const syntax::CostBlock& block : costs) {
    items.push_back(block.span);
    for (const syntax::CostClause& clause : block.clauses) items.push_back(clause.span);
  }
}

void add_body(std::string_view text, const syntax::Body& body, std::vector<source::Span>& items) {
  for (const auto* blocks : {&body.dimensions, &body.phases}) {
    for (const syntax::Block& block : *blocks) {
      items.push_back(block.span);
      add_rules(block.rules, items);
    }
  }
  add_list(text, body.folds, items);
  add_list(text, body.abbreviations, items);
  for (const syntax::Detect& detect : body.detects) items.push_back(detect.span);
  add_costs(body.costs, items);
}

std::vector<source::Span> items_of(std::string_view text, const syntax::File& tree) {
  std::vector<source::Span> items;
  const auto add_metadata = [&](const std::vector<syntax::Metadata>& metadata) {
    for (const syntax::Metadata& one : metadata) items.push_back(one.span);
  };
  for (const syntax::Requirement& one : tree.requirements) items.push_back(one.span);
  add_metadata(tree.metadata);
  for (const syntax::Use& use : tree.uses) items.push_back(use.span);
  for (const syntax::Pattern& pattern : tree.patterns) items.push_back(pattern.span);
  for (const syntax::Labels& labels : tree.labels) {
    items.push_back(labels.span);
    for (const syntax::LabelDecl& label : labels.labels) items.push_back(label.span);
  }
  for (const syntax::Table& table : tree.tables) {
    items.push_back(table.span);
    add_metadata(table.metadata);
    add_rules(table.rules, items);
  }
  add_costs(tree.costs, items);
  for (const syntax::Engine& engine : tree.engines) {
    items.push_back(engine.span);
    for (const syntax::Model& model : engine.models) items.push_back(model.span);
  }
  each_body(tree, [&](const syntax::Body& body) {
    add_metadata(body.metadata);
    add_body(text, body, items);
  });
  for (const syntax::Test& test : tree.tests) {
    items.push_back(test.span);
    for (const syntax::TestCase& one : test.cases) items.push_back(one.span);
  }
  std::ranges::sort(items, [](source::Span a, source::Span b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  return items;
}

}  // namespace

Suppressions::Suppressions(const source::SourceMap& sources, const syntax::File& tree)
    : sources_(sources), tree_(tree) {
  for (const syntax::Comment& comment : tree.comments) {
    if (!comment.doc) read(comment);
  }
}

void Suppressions::read(const syntax::Comment& comment) {
  const std::string_view text = sources_.text(comment.span);
  size_t at = 1;
  skip_blanks(text, at);
  if (!skip_word(text, at, "kr:")) return;
  skip_blanks(text, at);
  if (!skip_word(text, at, "allow")) return;
  const bool file = skip_word(text, at, "-file");
  skip_blanks(text, at);
  if (!skip_word(text, at, "(")) return;
  const size_t close = std::min(text.find(')', at), text.size());
  Allow allow;
  allow.comment = comment.span;
  while (at <= close) {
    size_t end = std::min(text.find(',', at), close);
    const size_t next = end + 1;
    skip_blanks(text, at);
    while (end > at && is_blank_in_line(text[end - 1])) --end;
    Code code;
    code.written = std::string(text.substr(at, end - at));
    code.info = diag::find_code(code.written);
    code.span = {comment.span.file, comment.span.begin + static_cast<uint32_t>(at),
                 comment.span.begin + static_cast<uint32_t>(end)};
    if (end > at) allow.codes.push_back(std::move(code));
    at = next;
  }
  at = std::min(close + 1, text.size());
  skip_blanks(text, at);
  allow.reason = at < text.size();
  if (items_.empty()) items_ = items_of(sources_.text(tree_.file), tree_);
  settle(allow, file);
  allows_.push_back(std::move(allow));
}

void Suppressions::settle(Allow& allow, bool file) const {
  const std::string_view text = sources_.text(tree_.file);
  if (file) {
    allow.end = static_cast<uint32_t>(text.size()) + 1;
    return;
  }
  size_t line = allow.comment.begin;
  while (line > 0 && text[line - 1] != '\n') --line;
  const std::string_view before = text.substr(line, allow.comment.begin - line);
  if (before.find_first_not_of(" \t") != before.npos) {
    allow.begin = static_cast<uint32_t>(line);
    allow.end = allow.comment.end;
    return;
  }
  const auto next = std::ranges::find_if(
      items_, [&](source::Span item) { return item.begin >= allow.comment.end; });
  if (next == items_.end()) return;
  allow.begin = next->begin;
  allow.end = next->end;
}

void Suppressions::filter(std::vector<diag::Diagnostic>& findings) {
  std::erase_if(findings, [&](const diag::Diagnostic& finding) {
    if (finding.span.file != tree_.file) return false;
    bool allowed = false;
    for (Allow& allow : allows_) {
      if (finding.span.begin < allow.begin || finding.span.begin >= allow.end) continue;
      for (Code& code : allow.codes) {
        if (code.info == finding.code) code.used = allowed = true;
      }
    }
    return allowed;
  });
}

/// The edit that removes a code from its list, or the whole comment if it is the only code.
diag::Edit Suppressions::without(const Allow& allow, size_t code) const {
  const std::vector<Code>& codes = allow.codes;
  if (codes.size() == 1) return removal(sources_, allow.comment);
  source::Span span = codes[code].span;
  if (code + 1 < codes.size()) {
    span.end = codes[code + 1].span.begin;
  } else {
    span.begin = codes[code - 1].span.end;
  }
  return {span, ""};
}

void Suppressions::apply(std::vector<diag::Diagnostic>& findings, bool infos) {
  if (allows_.empty()) return;
  filter(findings);

  diag::Sink wrong;
  for (const Allow& allow : allows_) {
    if (!allow.reason) {
      wrong.add(diag::code::allow_without_reason, allow.comment)
          .help("write the reason after the parenthesis");
    }
    for (const Code& code : allow.codes) {
      if (code.info != nullptr) continue;
      std::vector<std::string> names;
      for (const diag::CodeInfo& info : diag::all_codes()) names.emplace_back(info.name);
      diag::Diagnostic& added = wrong.add(diag::code::unknown_allow, code.span, code.written);
      if (const auto near = nearest(code.written, names)) added.help("did you mean `{}`?", *near);
    }
  }
  std::vector<diag::Diagnostic> own = wrong.sorted();
  filter(own);
  std::move(own.begin(), own.end(), std::back_inserter(findings));

  diag::Sink unused;
  for (const Allow& allow : allows_) {
    for (size_t i = 0; i < allow.codes.size(); ++i) {
      const Code& code = allow.codes[i];
      if (code.used || code.info == nullptr || code.info == diag::code::unused_allow.info())
        continue;
      if (!infos && code.info->severity == diag::Severity::info) continue;
      diag::Diagnostic& added = unused.add(diag::code::unused_allow, code.span, code.info->name);
      added.help("remove it");
      added.fix = diag::Fix{true, {without(allow, i)}};
    }
  }
  own = unused.sorted();
  filter(own);
  std::move(own.begin(), own.end(), std::back_inserter(findings));
  std::ranges::stable_sort(findings, [](const diag::Diagnostic& a, const diag::Diagnostic& b) {
    return a.span.file != b.span.file ? a.span.file < b.span.file : a.span.begin < b.span.begin;
  });
}

}  // namespace kr::lint
