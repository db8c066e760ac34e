// Expressions and names in words.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.hpp"
#include "lsp/features.hpp"

namespace kr::lsp {
namespace {

constexpr size_t max_alternatives = 24;

std::string text_in_words(const syntax::Expr& expr) {
  const char* how = expr.at_begin && expr.at_end ? "is"
                    : expr.at_begin              ? "begins with"
                    : expr.at_end                ? "ends with"
                                                 : "contains";
  return fmt::format("{} {}{}", how, as_code(expr.text),
                     expr.ignore_case ? " (ignoring case)" : "");
}

std::string in_words(const syntax::File& tree, syntax::ExprId id, int depth);

std::string joined(const syntax::File& tree, const syntax::Expr& expr, std::string_view with,
                   int depth) {
  std::string out;
  size_t written = 0;
  for (const syntax::ExprId operand : expr.operands) {
    if (!out.empty()) out += with;
    if (written++ == max_alternatives) return out + "…";
    const syntax::ExprKind kind = tree.exprs.get(operand).kind;
    const bool joins =
        kind == syntax::ExprKind::conjunction || kind == syntax::ExprKind::disjunction;
    const std::string one = in_words(tree, operand, depth + 1);
    out += joins ? "(" + one + ")" : one;
  }
  return out;
}

std::string operand_of(const syntax::File& tree, const syntax::Expr& expr, int depth) {
  return expr.operands.empty() ? "…" : in_words(tree, expr.operands[0], depth + 1);
}

std::string in_words(const syntax::File& tree, syntax::ExprId id, int depth) {
  // Deeper expressions are not clear in words.
  if (!id.valid() || depth > 12) return "…";
  const syntax::Expr& expr = tree.exprs.get(id);
  switch (expr.kind) {
    case syntax::ExprKind::text:
      return text_in_words(expr);
    case syntax::ExprKind::regex:
      return fmt::format("matches {}",
                         as_code(fmt::format("/{}/{}", expr.text, expr.ignore_case ? "i" : "")));
    case syntax::ExprKind::pattern:
      return expr.name.text() == "_" ? "is any operation" : "matches " + as_code(expr.name.text());
    case syntax::ExprKind::operation:
      return expr.operation == OperationKind::memcpy   ? "is a copy (`@memcpy`)"
             : expr.operation == OperationKind::memset ? "is a set (`@memset`)"
                                                       : "is a kernel (`@kernel`)";
    case syntax::ExprKind::within:
      return fmt::format("is within something that {}", operand_of(tree, expr, depth));
    case syntax::ExprKind::within_op:
      return fmt::format("is within an op that {}", operand_of(tree, expr, depth));
    case syntax::ExprKind::own:
      return fmt::format("has a function whose own name {}", operand_of(tree, expr, depth));
    case syntax::ExprKind::op:
      return fmt::format("is launched by an op that {}{}", operand_of(tree, expr, depth),
                         expr.called ? " and fits these arguments" : "");
    case syntax::ExprKind::phase: {
      std::string labels;
      for (const syntax::Word& label : expr.labels) {
        labels += (labels.empty() ? "" : " or ") + as_code(label.text);
      }
      return "is of a step of the phase " + labels;
    }
    case syntax::ExprKind::otherwise:
      return "no other rule matches";
    case syntax::ExprKind::negation:
      return fmt::format("not ({})", operand_of(tree, expr, depth));
    case syntax::ExprKind::conjunction:
      return joined(tree, expr, " and ", depth);
    case syntax::ExprKind::disjunction:
      return joined(tree, expr, " or ", depth);
  }
  return "…";
}

struct About {
  std::string_view word;
  std::string_view text;
};

constexpr auto words = std::to_array<About>({
    {"use",
     "`use std.gemm`, `use \"./common.kr\" as c`: reads another file; its patterns, labels, "
     "tables and engines are written `gemm.any`, `c.mine`."},
    {"as",
     "`use … as NAME` gives a module another name; `abbreviate \"A\" as \"B\"` shows B for A."},
    {"pattern", "`pattern NAME = EXPRESSION`: an expression with a name, for rules to share."},
    {"labels",
     "`labels DIMENSION { … }`: the labels that rules of a dimension may give, with titles "
     "and colours."},
    {"extends",
     "`model M extends BASE`: tries its own rules, then those of BASE. `labels D extends "
     "m.D`: adds to the labels of a module."},
    {"color", "`color \"#rrggbb\"`: the colour of a label in charts."},
    {"table", "`table NAME for DIMENSION { … }`: a list of rules for blocks to `include`."},
    {"over",
     "`part over substage { … }`: order rules. Their words are labels of the second dimension; "
     "what "
     "ran before and after an operation decides."},
    {"ignore", "`ignore EXPRESSION`: chains of this block do not see these operations."},
    {"continue",
     "`continue EXPRESSION`: such an operation gets the label of the operation before it; chains "
     "of this block do not see it."},
    {"start", "In a chain: the place before the first operation of a stream."},
    {"end", "In a chain: the place after the last operation of a stream."},
    {"_", "In a chain: any operation."},
    {"for", "`table NAME for DIMENSION`: the dimension whose labels the table gives."},
    {"engine",
     "`engine NAME \"TITLE\" { … }`: how the operations of an inference engine are labelled; all "
     "its models share its rules."},
    {"model",
     "`model NAME \"TITLE\" { … }`: rules for one model, tried before those of its engine."},
    {"detect", "`detect: EXPRESSION`: matches names in traces that this engine or model made."},
    {"phases", "`phases { prefill: … }`: assigns steps and ranges to phases by their texts."},
    {"fold", "`fold NAME, …`: nodes of a module tree that are shown without their children."},
    {"abbreviate",
     "`abbreviate \"LONG\" as \"SHORT\", …`: how names are shortened when shown; never "
     "when matched."},
    {"refine",
     "`refine LABEL { A: EXPRESSION … }`: what the rules label LABEL gets the label of the first "
     "of "
     "these that matches; what none matches stays LABEL."},
    {"from",
     "`stage from substage { attention: attention rope }`: each label of the second dimension gets "
     "the label on the left of the line that lists it."},
    {"own",
     "`own EXPRESSION`: over the function's own name, without return type, template arguments and "
     "parameters."},
    {"word",
     "`word \"topk\"i`: the text as a whole word: in `topk_v2` and `TopKKernel`, not in "
     "`stopkey`."},
    {"op",
     "`op \"aten::mm\" ([_, K], [K, 6144])`: the innermost framework op around the launch, and "
     "what "
     "its arguments are. `within op EXPRESSION`: any op around it."},
    {"phase", "`phase prefill`, `phase (prefill | mixed)`: the phase of the operation's step."},
    {"include", "`include TABLE`: inserts the rules of a table here."},
    {"otherwise",
     "`LABEL: otherwise`: what no other rule matches; evaluated last, at any place in the block."},
    {"keep", "`otherwise keep`: what no rule matches keeps its own name as its label."},
    {"within",
     "`within EXPRESSION`: matches if the expression matches a node or range that encloses the "
     "operation."},
    {"test",
     "`test ENGINE/MODEL { \"NAME\" => DIMENSION LABEL }`: names and the labels they must get; "
     "`kr test` and `kr lint` run them."},
    {"requires",
     "`requires kr >= 0.2`: the least version of kr that reads the file; an earlier one says so "
     "instead of reporting what it does not know."},
    {"kr", "`requires kr >= 0.2`: the program whose version is compared."},
    {"author", "`author \"NAME\"`: who wrote the rules; shown by `kr list`."},
    {"since", "`since \"2026-11\"`: the date since which the rules apply; shown by `kr list`."},
    {"link", "`link \"https://…\"`: where to read more; shown by `kr list`."},
    {"@kernel", "`@kernel`: the operation is a kernel, with any name."},
    {"@memcpy", "`@memcpy`: the operation is a copy of the runtime, however the source spells it."},
    {"@memset", "`@memset`: the operation is a set of the runtime, however the source spells it."},
});

}  // namespace

std::string as_code(std::string_view text) {
  const std::string shown = printable(text);
  if (shown.find('`') == std::string::npos) return "`" + shown + "`";
  // One backtick more than the longest run in the text, and blanks around the text.
  size_t longest = 0;
  size_t run = 0;
  for (const char c : shown) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{} {} {}", fence, shown, fence);
}

std::string describe(const syntax::File& tree, syntax::ExprId expr) {
  if (!expr.valid()) return "";
  const syntax::Expr& top = tree.exprs.get(expr);
  if (top.kind != syntax::ExprKind::disjunction) return "that " + in_words(tree, expr, 0);
  std::string out = "that does one of these:\n";
  size_t written = 0;
  for (const syntax::ExprId operand : top.operands) {
    if (written++ == max_alternatives) {
      out += fmt::format("\n- … and {} more", top.operands.size() - max_alternatives);
      break;
    }
    out += "\n- " + in_words(tree, operand, 1);
  }
  return out;
}

std::string describe(const syntax::File& tree, const std::vector<syntax::ChainStep>& chain) {
  std::string out;
  bool inside = false;
  size_t number = 0;
  for (const syntax::ChainStep& step : chain) {
    inside = inside || step.open.valid();
    const char* count = step.quantifier == '?'   ? "perhaps one"
                        : step.quantifier == '*' ? "any number"
                        : step.quantifier == '+' ? "one or more"
                                                 : "one";
    out += fmt::format("\n{}. {} that {}{}", ++number, count, in_words(tree, step.expr, 0),
                       inside ? " — **gets the label**" : "");
    inside = inside && !step.close.valid();
  }
  return out;
}

std::string_view about_word(std::string_view word) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const About& one) { return one.word == word; });
  return found == words.end() ? std::string_view() : found->text;
}

}  // namespace kr::lsp
