// What rules say of one name, and of operations with their neighbours.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "base/nearest.hpp"
#include "classify/order.hpp"
#include "match/costs.hpp"
#include "session/next_tools.hpp"
#include "session/session.hpp"
#include "session/state.hpp"
#include "tables/explanation.hpp"
#include "trace/call_sites.hpp"

namespace kr::session {
namespace {

trace::Trace trace_of(std::span<const std::string> names, std::optional<OperationKind> kind) {
  trace::TraceBuilder builder("", "");
  const trace::TrackId track = builder.track({});
  int64_t start_ns = 0;
  for (const std::string& name : names) {
    const trace::NameId id = builder.name(name, kind.value_or(operation_kind_of(name)));
    builder.add({.start_ns = start_ns++, .duration_ns = 1, .name = id, .track = track});
  }
  return std::move(builder).finish();
}

/// The first of each stream with this start, or with the earliest start of this name.
class OperationFinder {
 public:
  OperationFinder(const trace::Trace& trace, const OperationQuery& query)
      : trace_(trace), query_(query) {}

  uint32_t find() const {
    std::vector<uint32_t> found;
    const auto& all = trace_.operations;
    for (uint32_t i = 0; i < all.size(); ++i) {
      const bool is_it = query_.start_ns ? all[i].start_ns == *query_.start_ns
                                         : trace_.names.get(all[i].name).text == query_.name;
      if (!is_it || !is_on_stream(all[i])) continue;
      if (!query_.start_ns) return i;
      found.push_back(i);
    }
    if (found.empty()) none();
    if (found.size() > 1) several(found);
    return found.front();
  }

 private:
  bool is_on_stream(const trace::Operation& one) const {
    const trace::Track& track = trace_.track(one.track);
    return query_.device.value_or(track.device) == track.device &&
           query_.stream.value_or(track.stream) == track.stream;
  }
  std::string described(const trace::Operation& one) const {
    return fmt::format("at {} ns on {}", one.start_ns, stream_text(trace_.track(one.track)));
  }

  static std::string stream_text(const trace::Track& track) {
    return fmt::format("device {}, stream {}", track.device, track.stream);
  }
  std::string streams_of_name() const {
    std::set<std::string> places;
    for (const trace::Operation& one : trace_.operations) {
      if (trace_.names.get(one.name).text != query_.name) continue;
      places.insert(stream_text(trace_.track(one.track)));
    }
    return join(places, "; ");
  }

  [[noreturn]] void none() const {
    std::string where;
    if (query_.device) where += fmt::format(" on device {}", *query_.device);
    if (query_.stream) where += fmt::format(" on stream {}", *query_.stream);
    if (!query_.start_ns) {
      const std::string elsewhere = streams_of_name();
      if (!elsewhere.empty()) {
        throw Error(trace_.source, fmt::format("`{}` does not run{}", query_.name, where),
                    "it runs on " + elsewhere);
      }
      std::set<std::string> names;
      for (const trace::OperationName& name : trace_.names) names.emplace(name.text);
      const std::vector<std::string> all(names.begin(), names.end());
      const auto near = nearest(query_.name, all);
      throw Error(
          trace_.source, fmt::format("no operation is called `{}`", query_.name),
          near ? fmt::format("did you mean `{}`?", *near) : "`kr classify RUN` lists the names");
    }
    // Distances are unsigned: starts may be far apart.
    const auto distance = [&](const trace::Operation& one) {
      const auto a = static_cast<uint64_t>(one.start_ns);
      const auto b = static_cast<uint64_t>(*query_.start_ns);
      return one.start_ns > *query_.start_ns ? a - b : b - a;
    };
    std::vector<const trace::Operation*> near;
    for (const trace::Operation& one : trace_.operations) {
      if (is_on_stream(one)) near.push_back(&one);
    }
    const size_t count = std::min<size_t>(near.size(), 3);
    std::partial_sort(near.begin(), near.begin() + static_cast<ptrdiff_t>(count), near.end(),
                      [&](const auto* a, const auto* b) {
                        return std::pair(distance(*a), a) < std::pair(distance(*b), b);
                      });
    std::vector<std::string> places;
    for (size_t i = 0; i < count; ++i) places.push_back(described(*near[i]));
    throw Error(trace_.source,
                fmt::format("no operation starts at {} ns{}", *query_.start_ns, where),
                places.empty() ? "there are no operations"
                               : fmt::format("the nearest starts: {}", join(places, "; ")));
  }

  [[noreturn]] void several(const std::vector<uint32_t>& found) const {
    std::vector<std::string> places;
    places.reserve(found.size());
    for (const uint32_t i : found) {
      places.push_back(stream_text(trace_.track(trace_.operations[i].track)));
    }
    throw Error(trace_.source,
                fmt::format("{} operations start at {} ns", found.size(), *query_.start_ns),
                fmt::format("name one with --device and --stream: {}", join(places, "; ")));
  }

  const trace::Trace& trace_;
  const OperationQuery& query_;
};

/// As in `operations`.
std::string module_of(const analyze::LabelledTrace& run, const match::CompiledRules& rules,
                      uint32_t operation) {
  std::string path;
  if (run.trace.host == nullptr) return path;
  const trace::HostTrace& host = *run.trace.host;
  const classify::Attribution& places = run.attribution(rules);
  if (places.module_of[operation] == classify::Attribution::none) return path;
  const auto [thread, time] = places.module_time(host, operation);
  uint32_t outer = trace::HostRange::none;
  for (const uint32_t range : host.modules_at(thread, time)) {
    if (!path.empty()) path += '/';
    path += host.module_name(range, outer);
    outer = range;
  }
  return path;
}

/// The same.
std::string call_site_of(const trace::Trace& trace, uint32_t operation) {
  const std::vector<uint32_t> sites = trace::find_call_sites(trace);
  if (sites.empty() || sites[operation] == trace::HostRange::none) return {};
  const auto site = trace::call_site_from(trace.host->frames->ops[sites[operation]].name);
  return fmt::format("{}:{}", site.file, site.line);
}

/// What rules can tell of the operations of a trace: one subject for each of their classes.
class Subjects {
 public:
  explicit Subjects(const classify::TraceSubjects& subjects) : of_trace_(subjects) {
    // Sets of atoms are referred to, so that they must not move.
    of_class_.reserve(subjects.classes());
    within_.resize(subjects.classes());
    subjects.each_class([&](uint32_t number, const match::Subject& subject) {
      within_[number].assign(subject.within.begin(), subject.within.end());
      match::Subject& own = of_class_.emplace_back(subject);
      own.within = within_[number];
    });
  }
  std::span<const match::Subject> all() const { return of_class_; }
  uint32_t of(size_t operation) const { return of_trace_.class_of(of_trace_.of(operation)); }

 private:
  const classify::TraceSubjects& of_trace_;
  std::vector<std::vector<match::AtomSet>> within_;
  std::vector<match::Subject> of_class_;
};

}  // namespace

LabelledName label_name(const match::CompiledRules& rules, std::string_view name,
                        OperationKind kind, const classify::ChooseOptions& options,
                        std::optional<sema::DimensionId> dimension) {
  const std::string one_name(name);
  const trace::Trace trace = trace_of({&one_name, 1}, kind);
  const classify::TraceSubjects subjects(rules.program(), rules.database, trace, options);
  LabelledName one{classify::choose_model(rules.database, subjects, options), {}, {}};
  if (!dimension) return one;
  const classify::Labelled labelled = classify::classify(subjects, one.choice.model);
  const classify::DimensionLabels* labels = labelled.find(*dimension);
  if (labels == nullptr) {
    one.label = sema::reserved::unclassified;
    return one;
  }
  one.label = labels->by_row[0].label;
  one.rule = labels->by_row[0].rule;
  return one;
}

const tables::Explanation& Session::explain(const NameQuery& query) {
  const match::CompiledRules& rules = *state_->source.rules;
  const classify::WhyQuery of_name{query.name, operation_kind_from(query.kind), query.within};
  const classify::Choice choice =
      label_name(rules, query.name, of_name.kind.value_or(operation_kind_of(query.name)),
                 {query.engine, query.model, rules.named})
          .choice;
  state_->explanation = {
      query.name, rules.program().title(choice.model), choice.why,
      classify::why(rules, choice.model, of_name),
      match::CostTable(rules.program(), rules.database, choice.model).named(query.name)};
  state_->source.explanation = &*state_->explanation;
  return *state_->explanation;
}

const tables::Explanation& Session::explain(const SequenceQuery& query) {
  const match::CompiledRules& rules = *state_->source.rules;
  const trace::Trace trace = trace_of(query.names, std::nullopt);
  const classify::ChooseOptions options{query.engine, query.model, rules.named};
  const classify::TraceSubjects of_trace(rules.program(), rules.database, trace, options);
  const classify::Choice choice = classify::choose_model(rules.database, of_trace, options);
  const Subjects subjects(of_trace);
  std::vector<uint32_t> subject_of;
  for (size_t i = 0; i < trace.operations.size(); ++i) subject_of.push_back(subjects.of(i));
  std::vector<size_t> all(subject_of.size());
  std::iota(all.begin(), all.end(), size_t{0});
  state_->explanation = {{}, rules.program().title(choice.model), choice.why, {}};
  state_->explanation->sequence = classify::why(
      rules, choice.model,
      {subjects.all(), subject_of, [&](size_t at) -> std::string_view { return query.names[at]; }},
      all, all.size());
  state_->source.explanation = &*state_->explanation;
  return *state_->explanation;
}

const tables::Explanation& Session::explain(const classify::RunSpec& spec,
                                            const OperationQuery& query) {
  const match::CompiledRules& rules = *state_->source.rules;
  if (runs_read() > 0) {
    // The runs that were read stay as they are.
    Session reader(rules, state_->open, state_->progress, state_->references);
    state_->explanation = reader.explain(spec, query);
    state_->source.explanation = &*state_->explanation;
    return *state_->explanation;
  }
  const auto explain = [&](const analyze::LabelledTrace& run, const analyze::RunSummary&, size_t) {
    if (state_->explanation) {
      throw Error(spec.path, "contains several ranks, and one operation is explained",
                  "choose one with --rank");
    }
    const trace::Trace& trace = run.trace;
    const uint32_t operation = OperationFinder(trace, query).find();
    if (const std::string why = classify::no_order(trace); !why.empty()) {
      throw Error(spec.path, "its operations have no order: " + why, "explain a name: kr why NAME");
    }
    const classify::TraceSubjects of_trace(rules.program(), rules.database, trace,
                                           {spec.engine, spec.model, rules.named});
    const Subjects subjects(of_trace);
    const std::vector<uint32_t> stream = classify::operations_of_stream(trace, operation);
    std::vector<uint32_t> subject_of;
    subject_of.reserve(stream.size());
    for (const uint32_t one : stream) subject_of.push_back(subjects.of(one));
    const auto name = [&](size_t at) {
      return trace.names.get(trace.operations[stream[at]].name).text;
    };
    const auto at =
        static_cast<size_t>(std::ranges::lower_bound(stream, operation) - stream.begin());
    const trace::Operation& one = trace.operations[operation];
    const trace::Track& track = trace.track(one.track);
    state_->explanation = {
        std::string(name(at)), rules.program().title(run.choice.model), run.choice.why, {}};
    state_->explanation->place = {
        one.start_ns, one.duration_ns, track.device,
        trace.lost_streams.empty() ? std::optional(track.stream) : std::nullopt,
        module_of(run, rules, operation)};
    const OperationOp of = op_of(rules, run, operation);
    tables::OperationPlace& place = *state_->explanation->place;
    if (of.op != nullptr) {
      place.op = fmt::format("{} ({})", of.op->name, cost::shapes_text(of.op->arguments));
      if (of.cost) {
        place.flops = of.cost->flops;
        place.bytes = of.cost->bytes;
      }
    }
    place.call_site = call_site_of(trace, operation);
    state_->explanation->tools = next_tools(trace, operation, of.op);
    state_->explanation->sequence =
        classify::why(rules, run.choice.model, {subjects.all(), subject_of, name}, {&at, 1}, 3);
  };
  state_->explanation.reset();
  read({&spec, 1},
       {.facts = facts::Set::of<analyze::RunSummary, analyze::LabelledTrace>(),
        .reads = facts::Reads::host | facts::Reads::ops | facts::Reads::call_sites,
        .each_operation = true},
       explain);
  KR_CHECK(state_->explanation);
  state_->source.explanation = &*state_->explanation;
  return *state_->explanation;
}

}  // namespace kr::session
