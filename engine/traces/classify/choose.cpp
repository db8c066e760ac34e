// The engine and model of a trace: named by the user, or found by `detect`.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "base/nearest.hpp"
#include "classify/classify.hpp"
#include "text/numbers.hpp"

namespace kr::classify {
namespace {

/// The GPU time that the `detect` of an engine or model matches. If contexts are not known: the
/// time that it certainly matches, and the most that it may match.
struct Score {
  uint32_t index;  // of the engine or model
  std::string name;
  int64_t total_ns = 0;
  int64_t max_ns = 0;
  bool by_text = false;  // by what the trace says of the model: all time
  bool named = false;    // a range of the trace matches its `within`

  bool exact() const noexcept { return total_ns == max_ns; }
};

int64_t add(int64_t a, int64_t b) {
  int64_t sum = 0;
  // A saturated sum is enough here: detection only compares.
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

/// The class of a module, if it is one that a model has for itself: `Qwen3DecoderLayer_12` is
/// `Qwen3DecoderLayer`. Else empty.
std::string_view class_of_model(std::string_view module) {
  const size_t end = module.find_last_not_of("0123456789");
  if (end != module.npos && module[end] == '_') module = module.substr(0, end);
  const bool is_name = std::all_of(module.begin(), module.end(), is_identifier_byte);
  const auto has_end = [&](std::string_view word) {
    return module.ends_with(word) && module.size() > word.size();
  };
  const bool of_model =
      has_end("DecoderLayer") || has_end("ForCausalLM") || has_end("ForConditionalGeneration");
  return is_name && of_model ? module : std::string_view();
}

class Detector {
 public:
  Detector(const sema::Program& program, const std::shared_ptr<const match::Database>& database,
           const Evidence& evidence)
      : program_(program), evidence_(evidence) {
    evidence_.each([&](const match::Subject&, int64_t ns) { total_ = add(total_, ns); });
    if (!evidence.model_text.empty()) {
      model_text_ = match::AtomSet(program.atoms.size());
      match::Scanner(database).scan(evidence.model_text, model_text_);
    }
    std::set<std::string_view> classes;
    for (const std::string& name : evidence.range_names) classes.insert(class_of_model(name));
    classes.erase("");
    for (const std::string_view name : classes) {
      auto& [text, atoms] = classes_.emplace_back(name, match::AtomSet(program.atoms.size()));
      match::Scanner(database).scan(text, atoms);
    }
  }

  int64_t total_ns() const { return total_; }
  bool has_model_text() const { return !evidence_.model_text.empty(); }

  /// Whether any of `detects` matches ranges of the trace without the name of an operation.
  bool is_named(const std::vector<sema::ExprId>& detects) const {
    const match::AtomSet no_name(program_.atoms.size());
    return std::any_of(detects.begin(), detects.end(), [&](sema::ExprId detect) {
      const match::Condition condition(program_, detect);
      return condition.uses_within() &&
             condition.holds({.name = &no_name, .within = evidence_.range_sets}) &&
             !condition.holds({.name = &no_name});
    });
  }

  /// The class of a module that `detect` matches; empty if there is none.
  std::string_view class_matching(sema::ExprId detect) const {
    const match::Condition condition(program_, detect);
    for (const auto& [name, atoms] : classes_) {
      if (condition.holds({.name = &atoms, .kind = OperationKind::kernel})) return name;
    }
    return {};
  }

  /// The time that any of `detects` matches. All time, if one matches the trace's text about the
  /// model.
  Score score(uint32_t index, const std::string& name,
              const std::vector<sema::ExprId>& detects) const {
    std::vector<match::Condition> conditions;  // made once: subjects can be millions
    conditions.reserve(detects.size());
    for (const sema::ExprId detect : detects) conditions.emplace_back(program_, detect);
    const auto best_truth = [&](const match::OpenSubject& subject) {
      match::Truth found = match::Truth::no;
      for (const match::Condition& one : conditions) found = std::max(found, one.evaluate(subject));
      return found;
    };
    const match::OpenSubject model_text{.name = &model_text_,
                                        .kind = OperationKind::kernel,
                                        .within = std::span<const match::AtomSet>{}};
    if (has_model_text() && best_truth(model_text) == match::Truth::yes) {
      return {index, name, total_, total_, true};
    }
    Score score{index, name};
    const bool open = !evidence_.perhaps_within.empty();
    evidence_.each([&](const match::Subject& one, int64_t ns) {
      const match::Truth found = best_truth({.name = one.name,
                                             .kind = one.kind,
                                             .within = open ? evidence_.perhaps_within : one.within,
                                             .perhaps_within = open});
      if (found == match::Truth::yes) score.total_ns = add(score.total_ns, ns);
      if (found != match::Truth::no) score.max_ns = add(score.max_ns, ns);
    });
    return score;
  }

 private:
  const sema::Program& program_;
  const Evidence& evidence_;
  match::AtomSet model_text_;
  std::vector<std::pair<std::string_view, match::AtomSet>> classes_;  // of modules
  int64_t total_ = 0;
};

/// Throws the Error `why`, and suggests a similar word of `known`.
[[noreturn]] void unknown(std::string why, const std::string& name,
                          const std::vector<std::string>& known) {
  throw Error("", std::move(why), near_or_all(name, known));
}

class Chooser {
 public:
  Chooser(const sema::Program& program, const std::shared_ptr<const match::Database>& database,
          const Evidence& evidence, const ChooseOptions& options)
      : program_(program), options_(options), detector_(program, database, evidence) {}

  Choice choose() {
    if (program_.engines.empty()) {
      throw Error("", "the rules define no engine", "give --rules a file with an `engine`");
    }
    const sema::EngineId engine = choose_engine();
    const sema::ModelId model = choose_model(engine);
    return {model, join(reasons_, "; "), certain_};
  }

 private:
  sema::EngineId choose_engine() {
    if (!options_.engine.empty()) {
      if (const auto engine = program_.engine(options_.engine)) return *engine;
      std::vector<std::string> known;
      for (const sema::Engine& engine : program_.engines) known.push_back(engine.name);
      unknown(fmt::format("unknown engine `{}`", options_.engine), options_.engine, known);
    }
    std::vector<sema::EngineId> candidates;
    for (uint32_t i = 0; i < program_.engines.size(); ++i) {
      if (options_.model.empty() || program_.model({i}, options_.model)) candidates.push_back({i});
    }
    if (candidates.empty()) {
      std::vector<std::string> known;
      for (const sema::Model& model : program_.models) known.push_back(model.name);
      unknown(fmt::format("no engine has a model `{}`", options_.model), options_.model, known);
    }
    std::vector<Score> scores;
    for (const sema::EngineId id : candidates) {
      const sema::Engine& engine = program_.engines.get(id);
      if (const auto detects = detects_of(program_, engine); !detects.empty()) {
        scores.push_back(detector_.score(id.index, engine.name, detects));
        scores.back().named = detector_.is_named(detects);
      }
    }
    std::string why;
    auto best = only_best(scores, "engine", why, min_engine_percent);
    if (!best) best = best_of_tied(scores, why);
    if (best) {
      reasons_.push_back(why);
      return {best->index};
    }
    const auto [engine, how] = fallback_engine(candidates);
    reasons_.push_back(
        fmt::format("{}: using {}, {}", why, program_.engines.get(engine).name, how));
    return engine;
  }

  /// If the model text names a model of several engines, all are detected for all time. Then: the
  /// engine whose own `detect` matches more than that of any other.
  std::optional<Score> best_of_tied(const std::vector<Score>& scores, std::string& why) {
    int64_t most = 0;
    for (const auto& score : scores) most = std::max(most, score.total_ns);
    if (!detector_.has_model_text() || most == 0 || most < detector_.total_ns())
      return std::nullopt;
    std::vector<Score> own;
    for (const Score& score : scores) {
      const sema::ExprId detect = program_.engines.get({score.index}).detect;
      if (score.total_ns == most && detect.valid()) {
        own.push_back(detector_.score(score.index, score.name, {detect}));
      }
    }
    std::string why_own;
    auto best = only_best(std::move(own), "engine", why_own);
    why = best ? why_own : fmt::format("{}, and {}", why, why_own);
    return best;
  }

  std::pair<sema::EngineId, std::string_view> fallback_engine(
      const std::vector<sema::EngineId>& candidates) {
    if (candidates.size() == 1) return {candidates[0], "the only engine"};
    if (options_.rules_given && program_.engines.size() == 1) {
      return {sema::EngineId{0}, "the only engine in --rules"};
    }
    const auto generic = program_.engine("generic");
    if (!generic || std::find(candidates.begin(), candidates.end(), *generic) == candidates.end()) {
      std::vector<std::string> known;
      known.reserve(candidates.size());
      for (const sema::EngineId id : candidates) known.push_back(program_.engines.get(id).name);
      throw Error("", "no engine is detected in the trace and there is no engine `generic`",
                  fmt::format("name one of {}: PATH,ENGINE,MODEL", join(known, ", ")));
    }
    return {*generic, "which uses only the stdlib"};
  }

  sema::ModelId choose_model(sema::EngineId engine_id) {
    const sema::Engine& engine = program_.engines.get(engine_id);
    if (!options_.model.empty()) {
      if (const auto model = program_.model(engine_id, options_.model)) return *model;
      std::vector<std::string> known;
      for (const sema::ModelId model : engine.models)
        known.push_back(program_.models.get(model).name);
      unknown(fmt::format("engine `{}` has no model `{}`", engine.name, options_.model),
              options_.model, known);
    }
    std::vector<Score> scores;
    for (const sema::ModelId id : engine.models) {
      const sema::Model& model = program_.models.get(id);
      if (!model.detect.valid()) continue;
      scores.push_back(detector_.score(id.index, model.name, {model.detect}));
    }
    if (scores.empty()) return *program_.model(engine_id, "default");
    if (const auto named = model_of_modules(scores)) return *named;
    std::string why;
    const auto best = only_best(std::move(scores), "model", why);
    if (!best) why += ": using default";
    reasons_.push_back(why);
    return best ? sema::ModelId{best->index} : *program_.model(engine_id, "default");
  }

  /// The only model that the class of a module names, unless the trace names its model itself.
  std::optional<sema::ModelId> model_of_modules(const std::vector<Score>& scores) {
    std::vector<std::pair<const Score*, std::string_view>> named;
    for (const Score& score : scores) {
      if (score.by_text) return std::nullopt;
      const std::string_view name =
          detector_.class_matching(program_.models.get({score.index}).detect);
      if (!name.empty()) named.emplace_back(&score, name);
    }
    if (named.size() != 1) return std::nullopt;
    reasons_.push_back(fmt::format("model {} is detected by the modules ({})", named[0].first->name,
                                   named[0].second));
    return sema::ModelId{named[0].first->index};
  }

  /// The best of the scores, if it is the only best, above 0 and at least `min_percent` of the
  /// time; `why` becomes the reason. It is not certain if known contexts might change it.
  std::optional<Score> only_best(std::vector<Score> scores, std::string_view what, std::string& why,
                                 int64_t min_percent = 0) {
    const int64_t total = detector_.total_ns();
    const auto enough = [&](const Score& score) {
      const auto hundredfold = static_cast<__int128>(score.total_ns) * 100;
      return score.total_ns > 0 &&
             (score.named || hundredfold >= static_cast<__int128>(total) * min_percent);
    };
    std::stable_sort(scores.begin(), scores.end(),
                     [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
    const auto share = [&](const Score& score) { return text::percent(score.total_ns, total, 1); };
    const bool exact =
        std::all_of(scores.begin(), scores.end(), [](const Score& score) { return score.exact(); });
    certain_ = certain_ &&
               (exact || std::all_of(scores.begin() + 1, scores.end(), [&](const Score& other) {
                  return other.max_ns < scores[0].total_ns;
                }));
    if (scores.empty() || !enough(scores[0])) {
      why = fmt::format("no {} is detected", what);
      if (!scores.empty() && scores[0].total_ns > 0) {
        std::vector<std::string> seen;
        for (const Score& one : scores) {
          if (one.total_ns > 0) seen.push_back(fmt::format("{} {} %", one.name, share(one)));
        }
        why += fmt::format(" for {} % of GPU time ({})", min_percent, join(seen, ", "));
      }
      return std::nullopt;
    }
    if (scores.size() > 1 && scores[1].total_ns == scores[0].total_ns) {
      const auto by_text = std::count_if(scores.begin(), scores.end(),
                                         [](const Score& score) { return score.by_text; });
      why = by_text > 1 ? fmt::format("{} {}s match the model that the trace names", by_text, what)
                        : fmt::format("{}s {} and {} are both detected for {} % of GPU time", what,
                                      scores[0].name, scores[1].name, share(scores[0]));
      return std::nullopt;
    }
    const std::string evidence =
        scores[0].by_text ? "by the model that the trace names"
                          : fmt::format("for {}{} % of GPU time",
                                        scores[0].exact() ? "" : "at least ", share(scores[0]));
    why = fmt::format("{} {} is detected {}", what, scores[0].name, evidence);
    if (scores.size() > 1 && scores[1].total_ns > 0)
      why += fmt::format("; next: {} {} %", scores[1].name, share(scores[1]));
    return scores[0];
  }

  const sema::Program& program_;
  const ChooseOptions& options_;
  Detector detector_;
  std::vector<std::string> reasons_;
  bool certain_ = true;
};

}  // namespace

Choice choose_model(const sema::Program& program,
                    const std::shared_ptr<const match::Database>& database,
                    const Evidence& evidence, const ChooseOptions& options) {
  return Chooser(program, database, evidence, options).choose();
}

Choice choose_model(const std::shared_ptr<const match::Database>& database,
                    const TraceSubjects& subjects, const ChooseOptions& options,
                    std::span<const match::AtomSet> perhaps_within) {
  const trace::Trace& trace = subjects.trace();
  std::vector<int64_t> totals(subjects.classes(), 0);
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    int64_t& total = totals[subjects.class_of(subjects.of(i))];
    total = add(total, trace.operations[i].duration_ns);
  }
  const auto each = [&](const std::function<void(const match::Subject&, int64_t)>& call) {
    subjects.each_class(
        [&](uint32_t number, const match::Subject& one) { call(one, totals[number]); });
  };
  const std::vector<std::string>& range_names =
      trace.host ? trace.host->range_names : trace.range_names;
  const sema::Program& program = subjects.program();
  RangeNames ranges(program, database, detection(program, options));
  if (trace.host) {
    for (const std::string& name : range_names) ranges.add(name);
  }
  return choose_model(program, database,
                      {.model_text = trace.model_text,
                       .each = each,
                       .perhaps_within = perhaps_within,
                       .range_names = range_names,
                       .range_sets = trace.host ? ranges.sets() : perhaps_within},
                      options);
}

}  // namespace kr::classify
