#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/rules.hpp"
#include "api/session_impl.hpp"
#include "api/session_rows.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/input_files.hpp"
#include "changes/gate.hpp"
#include "coverage/suggest.hpp"
#include "ncu/gpus.hpp"
#include "ncu/joined.hpp"
#include "render/renderers.hpp"
#include "saved/codec.hpp"
#include "saved/merge.hpp"
#include "sema/load.hpp"
#include "session/sql.hpp"
#include "tables/difference.hpp"
#include "tables/explanation.hpp"
#include "tables/registry.hpp"

namespace kr {
namespace {

/// Whether files have to be opened for it.
bool reads_runs(const Definition& table) {
  constexpr facts::Set of_files = facts::Set::of<tables::Tree, coverage::TimeCoverage,
                                                 tables::RunPair, tables::RulesDifference>();
  return tables::is_about_runs(table) || table.needs.has_any(of_files);
}

bool is_standard_input(const RunSource& run) {
  return run.path == "-";
}

/// A table that owns what it refers to.
Table held(Table table, std::shared_ptr<const Results> results) {
  const TableInfo& info = table.info();
  std::vector<Column> columns = table.columns();
  return {info, std::move(columns),
          [table = std::move(table), results = std::move(results)](RowSink& sink) {
            table.write(sink);
          }};
}

trace::OpenOptions open_options(const SessionOptions& options) {
  trace::OpenOptions open;
  open.nsys_command = options.nsys_command;
  open.nsys_timeout_seconds = options.nsys_timeout_seconds;
  open.allow_truncated = options.allow_truncated;
  open.allow_inexact = options.allow_inexact;
  open.strict = options.strict;
  open.rank = options.rank;
  open.window = trace::Window::parse(options.window);
  open.threads = options.threads;
  open.each_call = options.tables.each_call;
  return open;
}

}  // namespace

std::string_view version() noexcept {
  return KR_VERSION;
}

std::vector<const TableInfo*> all_tables() {
  return tables::all_infos();
}

size_t merge_saved(const std::vector<std::string>& parts, const std::string& path) {
  if (parts.empty()) throw Error(path, "there is nothing to merge", "name saved runs");
  for (const std::string& part : parts) {
    if (!saved::names_saved_run(part)) {
      throw Error(part, "is not the name of a saved run", "save the run first, as FILE.krun");
    }
    InputFiles::note(std::filesystem::path(part));
  }
  saved::check_name(path);
  PendingFile file(path);
  render::check_own(file);
  const size_t runs = saved::merge(parts, file.aside().string(), path);
  file.commit();
  return runs;
}

std::shared_ptr<Results> Session::Impl::new_results() const {
  return std::make_shared<Results>(rules, open_options(options), options.progress,
                                   options.references);
}

/// At which runs are compared as module trees; none: they are compared by name.
std::optional<trees::Level> Session::Impl::comparison_level() const {
  if (!options.tables.level.empty()) return trees::named_level(options.tables.level);
  const bool trees = results->session.are_module_trees(runs.front(), runs.back());
  return trees ? std::optional(trees::named_level("module")) : std::nullopt;
}

session::RunComparison Session::Impl::comparison() const {
  session::RunComparison out{{}, {}, comparison_level(), options.tables.by, {}};
  const size_t before = std::max<size_t>(1, options.tables.runs_before);
  for (size_t i = 0; i < runs.size(); ++i) (i < before ? out.a : out.b).push_back(runs[i].path);
  for (const std::string& text : options.tables.conditions) {
    out.gates.push_back(changes::parse_gate(text));
  }
  return out;
}

/// Why a session cannot have a result; empty: it can.
std::string_view Session::Impl::impossible(facts::Id result) const {
  const auto of_runs = [&](size_t count, std::string_view why) {
    return runs.size() == count ? std::string_view() : why;
  };
  switch (result) {
    case facts::id_of<tables::Tree>:
      return of_runs(1, "it is about one run");
    case facts::id_of<tables::RunPair>:
      if (options.tables.runs_before == 0) return of_runs(2, "it is about two runs");
      return options.tables.runs_before < runs.size() ? "" : "no run is compared with the first";
    case facts::id_of<coverage::TimeCoverage>:
      return runs.empty() ? "no run was added" : "";
    case facts::id_of<tables::RulesDifference>:
      return before == nullptr ? "no rules to compare with were given" : "";
    case facts::id_of<tables::Explanation>:
      if (operation) return runs.empty() ? "no run was added" : "";
      return query ? "" : "no name to explain was given";
    default:
      return {};
  }
}

std::string_view Session::Impl::impossible(facts::Set needs) const {
  std::string_view why;
  needs.each([&](facts::Id id) {
    if (why.empty()) why = impossible(id);
  });
  return why;
}

session::Demand Session::Impl::demand_of(const Definitions& needed,
                                         const session::Demand& also) const {
  Definitions possible = needed;
  std::erase_if(possible, [&](auto* one) { return !impossible(one->needs).empty(); });
  session::Demand more = session::Demand::of(possible);
  if (more.facts.has<tables::RulesDifference>()) {
    more.facts |= facts::Set::of<analyze::RunSummary>();
  }
  if (more.facts.has<coverage::TimeCoverage>()) {
    more.measured = classify::named_name_dimension(rules->program(), options.tables.by);
  }
  if (more.facts.has<tables::RunPair>()) {
    more.add(session::Demand::of_comparison(comparison_level().has_value()));
  }
  more.add(demand);
  more.add(also);
  const bool trees = more.facts.has<tables::Tree>() || more.facts.has<trees::LabelledModules>();
  if (more.facts.has<tables::Tree>()) {
    more.tree_dimension = classify::order_dimension(rules->program(), options.tables.by);
  }
  if (!trees && !more.measured) more.facts |= facts::Set::of<analyze::RunSummary>();
  return more;
}

void Session::Impl::compare_with(session::Session& session,
                                 const match::CompiledRules& other) const {
  std::vector<compare::SeenName> names = session.names_met();
  std::ranges::move(compare::shipped_names(*library), std::back_inserter(names));
  session.compare_rules(other, std::move(names), {});
}

/// Computes what is not there beside the runs.
void Session::Impl::make(session::Session& session, facts::Id result) const {
  const TableOptions& with = options.tables;
  switch (result) {
    case facts::id_of<tables::Tree>:
      return session.show_tree(
          {.level = trees::named_level(with.level.empty() ? "module" : with.level),
           .dimension = with.by,
           .folds = with.folds,
           .phase = with.phase,
           .step = with.step,
           .merge_siblings = !with.each_sibling,
           .by_phase = !with.all_steps && !with.step});
    case facts::id_of<coverage::TimeCoverage>:
      return (void)session.cover(with.max_groups);
    case facts::id_of<tables::RunPair>:
      return (void)session.compare_runs(comparison());
    case facts::id_of<tables::RulesDifference>:
      return compare_with(session, *before);
    case facts::id_of<tables::Explanation>:
      return operation ? (void)session.explain(runs.front(), *operation)
                       : (void)session.explain(*query);
    default:
      return;
  }
}

void Session::Impl::prepare(const Definitions& needed, const session::Demand& also) {
  facts::Set results_of = made;
  for (const Definition* one : needed) {
    if (impossible(one->needs).empty()) results_of |= one->needs;
  }
  const bool reads = !runs.empty() && std::any_of(needed.begin(), needed.end(),
                                                  [](auto* one) { return reads_runs(*one); });
  const session::Demand all = reads ? demand_of(needed, also) : demand;
  const size_t end = reads ? runs.size() : known_runs();
  // The runs of a job are replayed together.
  const bool again =
      all.facts.has<what_if::RunReplay>() && !options.what_if.empty() && end > known_runs();
  const size_t begin = all == demand && !again ? known_runs() : 0;
  if (begin == end && results_of == made) return;
  const auto first = runs.begin() + static_cast<ptrdiff_t>(begin);
  if (std::any_of(first, std::max(first, runs.begin() + static_cast<ptrdiff_t>(known_runs())),
                  is_standard_input)) {
    throw Error("standard input", "it cannot be read again for more tables",
                "request all tables at once");
  }
  const auto next = new_results();
  next->session.join_ncu(options.ncu,
                         options.gpu.empty() ? nullptr : &ncu::named_gpu(options.gpu, "gpu"));
  if (!options.peaks.empty()) next->session.join_peaks(options.peaks);
  if (options.costs) {
    next->session.add_demand(facts::Set::of<cost::Roofs, analyze::LabelledTrace>());
  }
  next->session.change(options.what_if);
  next->session.compare_ranks_with(
      {options.clock.empty() ? job::default_clock_policy
                             : job::named_clock_policy(options.clock, "clock"),
       options.link_gb_per_s > 0 ? std::optional(options.link_gb_per_s * 1e9) : std::nullopt,
       options.job.empty() ? analyze::AsJob::automatic : analyze::named_as_job(options.job, "job"),
       job::named_ranks(options.rank_names, "rank_names")});
  next->session.source().efficiency.scaling = job::named_scaling(options.scaling, "scaling");
  next->session.source().efficiency.readings = job::named_readings(options.nccl, "nccl");
  if (begin > 0) {
    next->session.share_runs(results->session);
    next->timelines = results->timelines;
  } else if (reads) {
    for (const JobSource& job : options.baselines) next->session.read_baseline(job, all);
  }
  const auto add_timeline = [&](const analyze::LabelledTrace& run,
                                const analyze::RunSummary& summary, size_t index) {
    if (!timeline_of) return;
    next->timelines.resize(index + 1);
    next->timelines[index] = timeline_of(run, summary);
  };
  next->session.read(std::span(runs).subspan(begin, end - begin), all, add_timeline);
  results_of.each([&](facts::Id one) {
    if (impossible(one).empty()) make(next->session, one);
  });
  results = next;
  demand = all;
  made = results_of;
}

std::string Session::Impl::absent(const Definition& definition) const {
  if (const std::string_view why = impossible(definition.needs); !why.empty()) {
    return std::string(why);
  }
  if (tables::is_about_runs(definition) && runs.empty()) return "no run was added";
  return tables::absent(definition, source());
}

Session::Session(const Rules& rules, SessionOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->rules = SharedRules(rules.impl_, &rules.impl_->compiled);
  impl_->library = {rules.impl_, &rules.impl_->library};
  impl_->options = std::move(options);
  impl_->results = impl_->new_results();
}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

void Session::add(RunSource run) {
  if (run.path.empty()) throw Error("", "the run has no path", "name the file of its trace");
  if (run.elapsed_ns.value_or(0) < 0) {
    throw Error(run.path, "the elapsed time is negative", "leave it out if it is unknown");
  }
  if (is_standard_input(run) &&
      std::any_of(impl_->runs.begin(), impl_->runs.end(), is_standard_input)) {
    throw Error("", "standard input can be read only once", "name a file for the other run");
  }
  impl_->runs.push_back(std::move(run));
}

size_t Session::runs() const noexcept {
  return impl_->runs.size();
}

std::vector<Table> Session::tables(const std::vector<std::string>& ids) {
  Definitions wanted;
  wanted.reserve(ids.size());
  for (const std::string& id : ids) wanted.push_back(&tables::known_table(id));
  impl_->prepare(wanted);
  std::vector<Table> present;
  for (const Definition* one : wanted) {
    if (!impl_->absent(*one).empty()) continue;
    present.push_back(
        held(tables::make_for_programs(std::span(&one, 1), impl_->source())[0], impl_->results));
  }
  return present;
}

Table Session::table(const std::string& id) {
  const std::string reason = absent(id);
  if (!reason.empty()) {
    throw Error("", fmt::format("these runs have no table `{}`: {}", id, reason));
  }
  return std::move(tables({id})[0]);
}

std::string Session::absent(const std::string& id) {
  const Definition& definition = tables::known_table(id);
  impl_->prepare({&definition});
  return impl_->absent(definition);
}

std::vector<RunNote> Session::notes() {
  impl_->prepare({&tables::known_table("notes")});
  return tables::all_notes(impl_->source());
}

Table Session::sql(const std::string& query) {
  Definitions needed = session::tables_named(query);
  needed.push_back(&tables::known_table("runs"));
  impl_->prepare(needed);
  return held(session::query_table(impl_->source(), query, impl_->options.stop_query),
              impl_->results);
}

Table Session::table(const std::string& id, const RowChoice& choice) {
  return SessionRows::chosen(*this, id, choice, {}).table;
}

session::BoundedRows SessionRows::chosen(Session& session, const std::string& id,
                                         const RowChoice& choice, const session::RowBound& bound) {
  const Table whole = session.table(id);
  const Session::Impl& impl = *session.impl_;
  session::BoundedRows rows =
      session::chosen_rows(whole, impl.source(), choice, bound, impl.options.stop_query);
  rows.table = held(std::move(rows.table), impl.results);
  return rows;
}

SessionRows SessionRows::of(Session& session, const std::vector<std::string>& tables) {
  (void)session.tables(tables);
  const Table table = session.table(tables.back());
  struct Held {
    std::shared_ptr<const Results> results;
    std::unique_ptr<session::NumberedRows> rows;
  };
  const auto held = std::make_shared<Held>();
  held->results = session.impl_->results;
  held->rows = session::numbered_rows(table, held->results->session.source());
  return {table.columns(), {held, held->rows.get()}};
}

void Session::save(const std::string& path) {
  saved::check_name(path);
  if (impl_->runs.empty()) throw Error(path, "there is nothing to save", "add a run first");
  PendingFile file(path);
  render::check_own(file);
  const RunSource& first = impl_->runs[0];
  const bool trees = impl_->results->session.are_module_trees(first, first);
  if (trees && impl_->runs.size() > 1) {
    throw Error(path, "only one run of module trees can be saved", "save each by itself");
  }
  impl_->prepare({&tables::known_table(trees ? "tree" : "runs")},
                 session::Demand::of_saving(trees));
  session::save(impl_->source(), file.aside().string(), path);
  file.commit();
}

void Session::compare_with(const Rules& before) {
  impl_->before = SharedRules(before.impl_, &before.impl_->compiled);
  impl_->made.remove(facts::id_of<tables::RulesDifference>);
}

void Session::explain(NameQuery name) {
  if (!name.kind.empty() && !operation_kind_from(name.kind)) {
    throw Error("", fmt::format("unknown kind `{}`", name.kind),
                "the kinds are kernel, memcpy and memset");
  }
  impl_->query = std::move(name);
  impl_->operation.reset();
  impl_->made.remove(facts::id_of<tables::Explanation>);
}

void Session::explain_operation(OperationQuery operation) {
  impl_->operation = std::move(operation);
  impl_->query.reset();
  impl_->made.remove(facts::id_of<tables::Explanation>);
}

void Session::make_tables_with(TableOptions options) {
  options.each_call = impl_->options.tables.each_call;
  impl_->options.tables = std::move(options);
  for (const facts::Id of_options : {facts::id_of<tables::Tree>, facts::id_of<tables::RunPair>,
                                     facts::id_of<coverage::TimeCoverage>}) {
    impl_->made.remove(of_options);
  }
}

void Session::cut(const std::string& path) {
  if (impl_->options.window.empty()) {
    throw Error(path, "nothing says which part of the trace is to be written",
                "name a window, such as `steps 5..20`");
  }
  if (impl_->runs.size() != 1) throw Error(path, "a part is of one run", "add one run");
  PendingFile file(path);
  render::check_own(file);
  const auto cutting = impl_->new_results();
  cutting->session.cut(impl_->runs.front(), file);
  file.commit();
}

}  // namespace kr
