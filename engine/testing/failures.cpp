// Reports failing tests as diagnostics: the expectation, and the rule that labels the name.
#include <algorithm>

#include "testing/testing.hpp"

namespace kr::testing {
namespace {

/// Models that fail one expectation in the same way.
struct Failure {
  const sema::Test* test = nullptr;
  const TestOutcome::Miss* miss = nullptr;
  std::vector<sema::ModelId> models;
};

bool same_way(const TestOutcome::Miss& a, const TestOutcome::Miss& b) {
  return a.span == b.span && a.rule == b.rule && a.actual == b.actual;
}

std::vector<Failure> failures_of(const sema::Program& program,
                                 std::span<const TestOutcome> outcomes) {
  std::vector<Failure> failures;
  size_t first = 0;  // the first failure of the current test
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (i > 0 && outcomes[i].test != outcomes[i - 1].test) first = failures.size();
    for (const TestOutcome::Miss& miss : outcomes[i].misses) {
      auto at = std::find_if(failures.begin() + static_cast<ptrdiff_t>(first), failures.end(),
                             [&](const Failure& other) { return same_way(*other.miss, miss); });
      if (at == failures.end()) {
        at = failures.insert(at, {&program.tests[outcomes[i].test], &miss, {}});
      }
      at->models.push_back(outcomes[i].model);
    }
  }
  return failures;
}

/// `vllm/llama, vllm/ds`; only the first of many models.
std::string titles(const sema::Program& program, const std::vector<sema::ModelId>& models) {
  constexpr size_t shown = 4;
  std::string text;
  for (size_t i = 0; i < models.size(); ++i) {
    if (i == shown && models.size() > shown + 1) {
      return text + fmt::format(" and {} others", models.size() - shown);
    }
    if (i > 0) text += ", ";
    text += program.title(models[i]);
  }
  return text;
}

}  // namespace

void report_failures(const match::CompiledRules& rules, std::span<const TestOutcome> outcomes,
                     diag::Sink& sink) {
  const sema::Program& program = rules.program();
  for (const Failure& failure : failures_of(program, outcomes)) {
    const TestOutcome::Miss& miss = *failure.miss;
    const std::string& dimension = program.dimensions.get(miss.dimension).name;
    diag::Diagnostic& added = sink.add(diag::code::failing_test, miss.span, dimension,
                                       miss.expected, miss.actual, titles(program, failure.models));
    added.witness = failure.test->name;
    if (miss.rule) {
      const sema::Rule& rule = program.rules.get(*miss.rule);
      added.related(rule.span, "this rule wins{}",
                    rule.otherwise ? ", as no other rule matches" : "");
    } else {
      added.help("no rule of `{}` matches this name, and there is no `otherwise`", dimension);
    }
  }
}

}  // namespace kr::testing
