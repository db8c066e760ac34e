#include "testing/testing.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "match/costs.hpp"
#include "match/evaluate.hpp"
#include "match/order_rules.hpp"
#include "prove/allowance.hpp"

namespace kr::testing {
namespace {

std::string label_of(const sema::Program& program, std::optional<sema::RuleId> id,
                     const std::string& name) {
  if (!id) return std::string(sema::reserved::unclassified);
  const sema::Rule& rule = program.rules.get(*id);
  return rule.keep ? name : rule.label;
}

/// Models that fail one expectation in the same way.
struct Failure {
  const sema::Test* test = nullptr;
  const TestOutcome::Miss* miss = nullptr;
  std::vector<sema::ModelId> models;
};

bool same_way(const TestOutcome::Miss& a, const TestOutcome::Miss& b) {
  return a.span == b.span && a.rule == b.rule && a.cost == b.cost && a.actual == b.actual;
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

std::string amount_text(const std::optional<int64_t>& amount) {
  return amount ? fmt::format("{}", *amount) : "unknown";
}

/// The first clause of the model that fits the call of a test.
void run_call(const sema::Program& program, const TestSubject& subject, const sema::Test& test,
              TestOutcome& outcome) {
  const sema::Test::Call& call = *test.call;
  const match::PhaseNumbers numbers = [&](std::string_view name) {
    const auto at = std::ranges::find(call.numbers, name, &std::pair<std::string, int64_t>::first);
    return at == call.numbers.end() ? std::nullopt : std::optional(at->second);
  };
  match::OpCost cost;
  for (const sema::CostId id : program.models.get(outcome.model).costs) {
    const sema::CostClause& clause = program.costs.get(id);
    const bool named = clause.expr.valid() ? match::holds(program, clause.expr, subject.subject())
                                           : clause.name == test.name;
    if (!named) continue;
    if (const auto found = match::cost_of(clause, call.arguments, numbers)) {
      cost = *found;
      outcome.cost = id;
      break;
    }
  }
  for (const sema::Test::Call::Expected& expected : call.expected) {
    const std::optional<int64_t>& actual = expected.bytes ? cost.bytes : cost.flops;
    if (actual == expected.value) continue;
    outcome.misses.push_back({expected.bytes ? "bytes" : "flops",
                              amount_text(expected.value),
                              amount_text(actual),
                              {},
                              outcome.cost,
                              expected.span,
                              0});
  }
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

std::vector<TestSubject> test_subjects(const match::CompiledRules& rules,
                                       const std::atomic<bool>* stop) {
  const sema::Program& program = rules.program();
  match::Scanner scanner(rules.database);
  std::vector<TestSubject> subjects;
  subjects.reserve(program.tests.size());
  const auto scan = [&](const sema::Test& test, TestSubject& subject) {
    subject.name = match::AtomSet(program.atoms.size());
    scanner.scan(test.name, subject.name);
    subject.kind = test.kind.value_or(operation_kind_of(test.name));
    for (const std::string& outer : test.within) {
      scanner.scan(outer, subject.within.emplace_back(program.atoms.size()));
    }
    const sema::ContextMarks& marks = program.marks;
    if (!test.op.empty() && marks.beside.valid()) {
      match::AtomSet& op = subject.within.emplace_back(program.atoms.size());
      scanner.scan(test.op, op);
      op.add(marks.beside);
      for (const sema::AtomId mark : {marks.op, marks.innermost}) {
        if (mark.valid()) op.add(mark);
      }
      for (const sema::ContextMarks::Arguments& one : marks.arguments) {
        if (match::cost_of(one.fits, test.op_arguments, {})) op.add(one.mark);
      }
    }
    for (const auto& [label, mark] : marks.phases) {
      if (label != test.phase) continue;
      match::AtomSet& phase = subject.within.emplace_back(program.atoms.size());
      phase.add(marks.beside);
      phase.add(mark);
    }
  };
  for (const sema::Test& test : program.tests) {
    if (stop != nullptr && *stop) throw prove::Stopped();
    TestSubject& subject = subjects.emplace_back();
    scan(test, subject);
    for (const sema::Test& later : test.later) scan(later, subject.later.emplace_back());
  }
  return subjects;
}

std::vector<TestOutcome> run_tests(const match::CompiledRules& rules) {
  return run_tests(rules, test_subjects(rules));
}

std::vector<TestOutcome> run_tests(const match::CompiledRules& rules,
                                   std::span<const TestSubject> subjects) {
  const sema::Program& program = rules.program();
  std::unordered_map<const sema::Table*, match::TableMatcher> matchers;  // created on demand
  std::vector<TestOutcome> outcomes;
  for (size_t index = 0; index < program.tests.size(); ++index) {
    const sema::Test& test = program.tests[index];
    for (const sema::ModelId id : test.models) {
      const sema::Model& model = program.models.get(id);
      const bool is_default = !model.span.valid();
      TestOutcome outcome;
      outcome.test = index;
      outcome.model = id;
      if (test.call) {
        // The engine itself may leave the costs to its models.
        if (is_default && test.models.size() > 1 && model.costs.empty()) continue;
        run_call(program, subjects[index], test, outcome);
        outcomes.push_back(std::move(outcome));
        continue;
      }
      bool any = test.expected.empty() && test.later.empty();
      std::vector<match::Subject> sequence{subjects[index].subject()};
      for (const TestSubject& later : subjects[index].later) sequence.push_back(later.subject());
      std::vector<uint32_t> places(sequence.size());
      std::iota(places.begin(), places.end(), 0U);
      std::optional<match::LabelledSequence> ordered;  // by neighbours, if it is expected
      const auto by_neighbours = [&]() -> match::LabelledSequence& {
        if (!ordered) ordered.emplace(program, model, sequence, places);
        return *ordered;
      };
      const auto rule_of = [&](sema::DimensionId dimension,
                               size_t place) -> std::optional<sema::RuleId> {
        if (const sema::Table* table = model.table(dimension)) {
          const auto at = matchers.try_emplace(table, program, *table).first;
          return at->second.match(sequence[place]);
        }
        if (model.order_table(dimension) == nullptr) return std::nullopt;
        return by_neighbours().rule(dimension, place);
      };
      const auto label_at = [&](sema::DimensionId dimension, size_t place,
                                const std::string& name) {
        if (model.order_table(dimension) == nullptr) {
          return label_of(program, rule_of(dimension, place), name);
        }
        return label_of(program, by_neighbours().rule_of_label(dimension, place), name);
      };
      for (size_t place = 0; place < sequence.size(); ++place) {
        const sema::Test& operation = place == 0 ? test : test.later[place - 1];
        for (const sema::Expectation& expected : operation.expected) {
          if (model.any_table(expected.dimension) == nullptr && is_default) continue;
          any = true;
          const std::optional<sema::RuleId> rule = rule_of(expected.dimension, place);
          if (rule && std::ranges::find(outcome.rules, *rule) == outcome.rules.end()) {
            outcome.rules.push_back(*rule);
          }
          std::string actual = label_at(expected.dimension, place, operation.name);
          if (actual == expected.label) continue;
          outcome.misses.push_back({program.dimensions.get(expected.dimension).name,
                                    expected.label,
                                    std::move(actual),
                                    rule,
                                    {},
                                    expected.span,
                                    place});
        }
      }
      if (any) outcomes.push_back(std::move(outcome));
    }
  }
  return outcomes;
}

void report_failures(const match::CompiledRules& rules, std::span<const TestOutcome> outcomes,
                     diag::Sink& sink) {
  const sema::Program& program = rules.program();
  for (const Failure& failure : failures_of(program, outcomes)) {
    const TestOutcome::Miss& miss = *failure.miss;
    const std::string& dimension = miss.dimension;
    diag::Diagnostic& added = sink.add(diag::code::failing_test, miss.span, dimension,
                                       miss.expected, miss.actual, titles(program, failure.models));
    const sema::Test& test = *failure.test;
    added.witness = miss.place == 0 ? test.name : test.later[miss.place - 1].name;
    if (miss.cost) {
      added.related(program.costs.get(*miss.cost).span, "this clause fits");
    } else if (failure.test->call) {
      added.help("no clause of a `cost` block fits this call");
    } else if (miss.rule) {
      const sema::Rule& rule = program.rules.get(*miss.rule);
      added.related(rule.span, "this rule wins{}",
                    rule.otherwise ? ", as no other rule matches" : "");
    } else {
      added.help("no rule of `{}` matches this name, and there is no `otherwise`", dimension);
    }
  }
}

}  // namespace kr::testing
