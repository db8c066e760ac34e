#include "coverage/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/error.hpp"
#include "coverage/label_words.hpp"
#include "coverage/name_parts.hpp"
#include "layout/layout.hpp"
#include "syntax/words.hpp"

namespace kr::coverage {
namespace {

int64_t add(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw Error("", "the sum of the times of all runs exceeds 292 years",
                "give fewer runs at once");
  }
  return sum;
}

/// An unexplained name of one place.
struct Open {
  MeasuredName name;
  size_t text = 0;  // index into the names of the place
  std::map<size_t, Suggestion::InRun> runs;
  sema::ModelId model;  // of the run with the longest time
  int64_t longest_ns = -1;
};

struct Group {
  std::vector<size_t> open;  // indices, total descending
  int64_t total_ns = 0;
  std::string name;  // the one with the longest time
};

/// The largest first, then by name.
struct Later {
  bool operator()(const Group& a, const Group& b) const {
    return std::tie(a.total_ns, b.name) < std::tie(b.total_ns, a.name);
  }
};
using Groups = std::priority_queue<Group, std::vector<Group>, Later>;

/// One place for new rules: the runs that these apply to, and their unexplained names.
class Place {
 public:
  Place(const match::CompiledRules& rules, sema::DimensionId dimension,
        const std::vector<MeasuredRun>& runs, InsertionPlace where, std::vector<size_t> own)
      : program_(rules.program()),
        dimension_(dimension),
        runs_(runs),
        where_(std::move(where)),
        own_(std::move(own)),
        labels_(program_, dimension, program_.models.get(runs[own_[0]].model).table(dimension)),
        names_(all_names()) {
    // `rulesets/vllm.kr`
    module_ = rules.sources().path(where_.file);
    if (module_.ends_with(".kr")) module_.resize(module_.size() - 3);
    std::replace(module_.begin(), module_.end(), '/', '.');
    collect();
  }

  /// Groups of similar names.
  Groups groups() const {
    std::unordered_set<std::string_view> known_bases;
    std::unordered_set<std::string_view> known_arguments;
    std::vector<char> is_open(names_.size(), 0);
    for (const Open& one : open_) is_open[one.text] = 1;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (is_open[i] != 0) continue;
      const NameParts& parts = names_.parts(i);
      known_bases.insert(parts.base);
      known_arguments.insert(parts.arguments.begin(), parts.arguments.end());
    }
    std::map<std::pair<std::string, std::string>, std::vector<size_t>> by_key;
    for (size_t i = 0; i < open_.size(); ++i) {
      const NameParts& parts = names_.parts(open_[i].text);
      std::string within;
      // A template of many kernels is identified by its argument.
      if (known_bases.contains(parts.base)) {
        for (const std::string& argument : parts.arguments) {
          if (known_arguments.contains(argument)) continue;
          within = descriptive_words(argument);
          break;
        }
      }
      by_key[{descriptive_words(parts.base), within}].push_back(i);
    }
    Groups groups;
    for (auto& [key, members] : by_key) groups.push(group(std::move(members)));
    return groups;
  }

  /// A suggestion for the group. If no expression matches only this group, its parts are added to
  /// `groups`.
  std::optional<Suggestion> suggest(const Group& group, Groups& groups) const {
    std::vector<size_t> texts;
    for (const size_t i : group.open) texts.push_back(open_[i].text);
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    auto expression = find_expression(names_, texts);
    if (!expression && texts.size() > 1) {
      split(group, groups);
      return std::nullopt;
    }
    Suggestion suggestion = sums_of(group);
    suggestion.common_text = common_text_of(texts, expression);
    if (expression) spell(group, *expression, suggestion);
    return suggestion;
  }

 private:
  /// Every name once: all names of the runs of this place, those that other runs explain, and those
  /// of tests.
  std::vector<std::string_view> all_names() const {
    std::unordered_set<std::string_view> seen;
    std::vector<std::string_view> names;
    const auto take = [&](std::string_view name) {
      if (seen.insert(name).second) names.push_back(name);
    };
    for (size_t run = 0; run < runs_.size(); ++run) {
      const bool own = std::find(own_.begin(), own_.end(), run) != own_.end();
      for (const MeasuredName& name : runs_[run].names) {
        if (own || name.explained) take(name.name);
      }
    }
    for (const sema::Test& test : program_.tests) {
      sema::each_operation(test, [&](const sema::Test& operation) { take(operation.name); });
    }
    return names;
  }

  void collect() {
    std::unordered_map<std::string_view, size_t> texts;
    for (size_t i = 0; i < names_.size(); ++i) texts.emplace(names_.name(i), i);
    std::map<std::pair<std::string_view, OperationKind>, size_t> places;
    for (const size_t run : own_) {
      for (const MeasuredName& name : runs_[run].names) {
        if (name.explained) {
          labels_.learn(name.name, name.label);
          continue;
        }
        const auto [at, added] = places.try_emplace({name.name, name.kind}, open_.size());
        if (added) {
          Open& made = open_.emplace_back();
          made.name = {name.name, name.kind};
          made.text = texts.at(name.name);
        }
        Open& one = open_[at->second];
        one.name.instances += name.instances;
        one.name.total_ns = add(one.name.total_ns, name.total_ns);
        Suggestion::InRun& in_run =
            one.runs.try_emplace(run, Suggestion::InRun{run, 0, 0}).first->second;
        in_run.instances += name.instances;
        in_run.total_ns += name.total_ns;
        if (name.total_ns > one.longest_ns) {
          one.longest_ns = name.total_ns;
          one.model = runs_[run].model;
        }
      }
    }
  }

  Group group(std::vector<size_t> members) const {
    std::sort(members.begin(), members.end(), [&](size_t a, size_t b) {
      const MeasuredName& x = open_[a].name;
      const MeasuredName& y = open_[b].name;
      return std::tie(y.total_ns, x.name, x.kind) < std::tie(x.total_ns, y.name, y.kind);
    });
    Group made{std::move(members), 0, {}};
    for (const size_t i : made.open) made.total_ns = add(made.total_ns, open_[i].name.total_ns);
    made.name = open_[made.open[0]].name.name;
    return made;
  }

  /// By the function's name; if it is the same everywhere, name by name.
  void split(const Group& whole, Groups& groups) const {
    std::map<std::string_view, std::vector<size_t>> parts;
    for (const size_t i : whole.open) parts[names_.parts(open_[i].text).base].push_back(i);
    if (parts.size() == 1) {
      parts.clear();
      for (const size_t i : whole.open) parts[open_[i].name.name].push_back(i);
    }
    for (auto& [key, members] : parts) groups.push(group(std::move(members)));
  }

  Suggestion sums_of(const Group& group) const {
    Suggestion suggestion;
    suggestion.total_ns = group.total_ns;
    suggestion.place = where_;
    std::map<size_t, Suggestion::InRun> runs;
    for (const size_t i : group.open) {
      suggestion.names.push_back(open_[i].name);
      suggestion.instances += open_[i].name.instances;
      for (const auto& [run, one] : open_[i].runs) {
        Suggestion::InRun& sum = runs.try_emplace(run, Suggestion::InRun{run, 0, 0}).first->second;
        sum.instances += one.instances;
        sum.total_ns += one.total_ns;
      }
    }
    for (const auto& [run, sum] : runs) suggestion.runs.push_back(sum);
    return suggestion;
  }

  /// `acme_topk_*_v2`; of instances of a template also the argument.
  std::string common_text_of(const std::vector<size_t>& texts,
                             const std::optional<NameExpression>& expression) const {
    std::string_view head = names_.parts(texts[0]).base;
    std::string_view tail = head;
    bool one_base = true;
    for (const size_t i : texts) {
      const std::string_view base = names_.parts(i).base;
      one_base = one_base && base == names_.parts(texts[0]).base;
      head = head.substr(
          0, static_cast<size_t>(
                 std::mismatch(head.begin(), head.end(), base.begin(), base.end()).first -
                 head.begin()));
      const auto same = std::mismatch(tail.rbegin(), tail.rend(), base.rbegin(), base.rend()).first;
      tail = tail.substr(tail.size() - static_cast<size_t>(same - tail.rbegin()));
    }
    std::string text;
    if (one_base) {
      text = head;
    } else {
      // The common begin and end must not overlap.
      size_t shortest = std::string::npos;
      for (const size_t i : texts) shortest = std::min(shortest, names_.parts(i).base.size());
      if (tail.size() > shortest - head.size())
        tail.remove_prefix(tail.size() + head.size() - shortest);
      text = fmt::format("{}*{}", head, tail);
    }
    if (texts.size() == 1 || !expression || expression->form != NameExpression::Form::contains) {
      return text;
    }
    const std::string& argument = expression->also.empty() ? expression->text : expression->also;
    const std::string& qualified = names_.parts(texts[0]).qualified;
    if (text.find(argument) == text.npos && qualified.find(argument) == qualified.npos) {
      text += "<…" + argument + "…>";
    }
    return text;
  }

  void spell(const Group& group, const NameExpression& expression, Suggestion& suggestion) const {
    const Open& first = open_[group.open[0]];
    LabelProposal proposal = labels_.propose(first.name.name);
    suggestion.label = std::move(proposal.label);
    suggestion.label_words = std::move(proposal.words);
    const std::string label = syntax::label_text(suggestion.label);
    suggestion.rule = label + ": " + expression.spelled();
    const std::string& dimension = program_.dimensions.get(dimension_).name;
    std::string title = program_.title(first.model);
    if (where_.installed) {
      const sema::Model& model = program_.models.get(first.model);
      title = "mine/" + model.name;
      suggestion.insert = own_file(model, dimension, suggestion.rule);
    } else {
      suggestion.insert = text_to_insert(where_, dimension, suggestion.rule);
    }
    const bool usual_kind = operation_kind_of(first.name.name) == first.name.kind;
    suggestion.test = layout::laid_out(
        fmt::format("test {} {{ {}{} => {} {} }}\n", title,
                    usual_kind ? std::string() : fmt::format("@{} ", to_string(first.name.kind)),
                    syntax::quoted_text(first.name.name), dimension, label));
  }

  /// Rules of one's own that extend those of an installed ruleset.
  std::string own_file(const sema::Model& model, const std::string& dimension,
                       const std::string& rule) const {
    const std::string& engine = program_.engines.get(model.engine).name;
    if (engine == "generic") return {};
    return layout::laid_out(fmt::format(
        "use {0}\n\nengine mine {{\n  model {1} extends {2}.{3}.{1} {{\n    {4} {{ {5} "
        "}}\n  }}\n}}\n",
        module_, model.name, module_.substr(module_.rfind('.') + 1), engine, dimension, rule));
  }

  const sema::Program& program_;
  std::string module_;  // of the place: `rulesets.vllm`
  sema::DimensionId dimension_;
  const std::vector<MeasuredRun>& runs_;
  InsertionPlace where_;
  std::vector<size_t> own_;  // indices of runs, ascending
  LabelWords labels_;
  NameIndex names_;
  std::vector<Open> open_;
};

std::vector<Place> places_of(const match::CompiledRules& rules, sema::DimensionId dimension,
                             const std::vector<MeasuredRun>& runs) {
  std::vector<std::pair<InsertionPlace, std::vector<size_t>>> found;
  for (size_t i = 0; i < runs.size(); ++i) {
    InsertionPlace where = insertion_place(rules, runs[i].model, dimension);
    const auto at = std::find_if(found.begin(), found.end(),
                                 [&](const auto& one) { return one.first == where; });
    if (at != found.end()) {
      at->second.push_back(i);
    } else {
      found.emplace_back(std::move(where), std::vector<size_t>{i});
    }
  }
  std::vector<Place> places;
  places.reserve(found.size());
  for (auto& [where, own] : found) {
    places.emplace_back(rules, dimension, runs, std::move(where), std::move(own));
  }
  return places;
}

}  // namespace

TimeCoverage cover(const match::CompiledRules& rules, sema::DimensionId dimension,
                   std::vector<MeasuredRun> runs, size_t most) {
  TimeCoverage coverage;
  coverage.dimension = rules.program().dimensions.get(dimension).name;
  coverage.runs = std::move(runs);
  for (const MeasuredRun& run : coverage.runs) {
    coverage.explained_ns = add(coverage.explained_ns, run.explained_ns);
    coverage.common_words_ns = add(coverage.common_words_ns, run.common_words_ns);
    coverage.total_ns = add(coverage.total_ns, run.total_ns);
  }
  std::vector<Place> places = places_of(rules, dimension, coverage.runs);
  std::vector<Groups> groups;
  groups.reserve(places.size());
  for (const Place& place : places) groups.push_back(place.groups());
  const auto next = [&]() -> size_t {
    size_t best = groups.size();
    for (size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].empty()) continue;
      if (best == groups.size() || Later()(groups[best].top(), groups[i].top())) best = i;
    }
    return best;
  };
  for (size_t i = next(); i < groups.size(); i = next()) {
    const Group group = groups[i].top();
    groups[i].pop();
    if (most > 0 && coverage.unexplained.size() == most) {
      ++coverage.omitted_groups;
      coverage.omitted_ns = add(coverage.omitted_ns, group.total_ns);
    } else if (auto suggestion = places[i].suggest(group, groups[i])) {
      coverage.unexplained.push_back(std::move(*suggestion));
    }
  }
  int64_t unexplained_ns = coverage.omitted_ns;
  for (const Suggestion& one : coverage.unexplained) unexplained_ns += one.total_ns;
  KR_CHECK(unexplained_ns == coverage.total_ns - coverage.explained_ns);
  return coverage;
}

}  // namespace kr::coverage
