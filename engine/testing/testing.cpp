#include "testing/testing.hpp"

#include <algorithm>

#include "match/evaluate.hpp"
#include "prove/allowance.hpp"

namespace kr::testing {
namespace {

/// The dimensions of one model, made ready when a test first asks for them.
class ModelMatchers {
 public:
  ModelMatchers(const sema::Program& program, sema::ModelId model)
      : program_(program), tables_(program.models.get(model).tables) {
    matchers_.resize(tables_.size());
  }

  bool has(sema::DimensionId dimension) const { return index_of(dimension).has_value(); }

  /// The rule that labels the subject; none: unclassified.
  std::optional<sema::RuleId> match(sema::DimensionId dimension, const match::Subject& subject) {
    const auto index = index_of(dimension);
    if (!index) return std::nullopt;
    auto& matcher = matchers_[*index];
    if (!matcher) matcher.emplace(program_, tables_[*index]);
    return matcher->match(subject);
  }

 private:
  std::optional<size_t> index_of(sema::DimensionId dimension) const {
    for (size_t i = 0; i < tables_.size(); ++i) {
      if (tables_[i].dimension == dimension) return i;
    }
    return std::nullopt;
  }

  const sema::Program& program_;
  const std::vector<sema::Table>& tables_;
  std::vector<std::optional<match::TableMatcher>> matchers_;
};

class Runner {
 public:
  Runner(const sema::Program& program, std::span<const TestSubject> subjects)
      : program_(program), subjects_(subjects) {
    models_.resize(program_.models.size());
  }

  std::vector<TestOutcome> run() {
    std::vector<TestOutcome> outcomes;
    for (size_t test = 0; test < program_.tests.size(); ++test) {
      for (const sema::ModelId model : program_.tests[test].models) {
        if (auto outcome = run(test, model)) outcomes.push_back(std::move(*outcome));
      }
    }
    return outcomes;
  }

 private:
  ModelMatchers& matchers(sema::ModelId model) {
    auto& matchers = models_[model.index];
    if (!matchers) matchers.emplace(program_, model);
    return *matchers;
  }

  bool is_default(sema::ModelId model) const { return !program_.models.get(model).span.valid(); }

  std::optional<TestOutcome> run(size_t index, sema::ModelId model) {
    const sema::Test& test = program_.tests[index];
    TestOutcome outcome{index, model, {}, {}};
    ModelMatchers& matchers = this->matchers(model);
    size_t asked = 0;
    for (const sema::Expectation& expected : test.expected) {
      if (!matchers.has(expected.dimension) && is_default(model)) continue;
      ++asked;
      const auto rule = matchers.match(expected.dimension, subjects_[index].subject());
      if (rule &&
          std::find(outcome.rules.begin(), outcome.rules.end(), *rule) == outcome.rules.end()) {
        outcome.rules.push_back(*rule);
      }
      std::string actual = label(rule, test.name);
      if (actual == expected.label) continue;
      outcome.misses.push_back(
          {expected.dimension, expected.label, std::move(actual), rule, expected.span});
    }
    if (asked == 0 && !test.expected.empty()) return std::nullopt;
    return outcome;
  }

  std::string label(std::optional<sema::RuleId> id, const std::string& name) const {
    if (!id) return std::string(sema::reserved::unclassified);
    const sema::Rule& rule = program_.rules.get(*id);
    return rule.keep ? name : rule.label;
  }

  const sema::Program& program_;
  std::span<const TestSubject> subjects_;
  std::vector<std::optional<ModelMatchers>> models_;
};

}  // namespace

std::vector<TestSubject> test_subjects(const match::CompiledRules& rules,
                                       const std::atomic<bool>* stop) {
  const sema::Program& program = rules.program();
  match::Scanner scanner(rules.database);
  std::vector<TestSubject> subjects;
  subjects.reserve(program.tests.size());
  for (const sema::Test& test : program.tests) {
    if (stop != nullptr && *stop) throw prove::Stopped();
    TestSubject& subject = subjects.emplace_back();
    subject.name = match::AtomSet(program.atoms.size());
    scanner.scan(test.name, subject.name);
    subject.kind = test.kind.value_or(operation_kind_of(test.name));
    for (const std::string& outer : test.within) {
      scanner.scan(outer, subject.within.emplace_back(program.atoms.size()));
    }
  }
  return subjects;
}

std::vector<TestOutcome> run_tests(const match::CompiledRules& rules) {
  return run_tests(rules, test_subjects(rules));
}

std::vector<TestOutcome> run_tests(const match::CompiledRules& rules,
                                   std::span<const TestSubject> subjects) {
  return Runner(rules.program(), subjects).run();
}

}  // namespace kr::testing
