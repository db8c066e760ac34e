#include "session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "api/progress.hpp"
#include "api/rules.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"

namespace kr {
namespace {

using tables::Definition;
using tables::Needs;

const Definition& known_table(const std::string& id) {
  if (const Definition* found = tables::find(id)) return *found;
  std::vector<std::string> ids;
  for (const Definition* one : tables::all()) ids.push_back(one->info.id);
  throw Error("", fmt::format("unknown table `{}`", id), near_or_all(id, ids));
}

/// Whether a session has what such tables are made from.
bool is_of_sessions(const Definition& table) {
  return tables::is_about_runs(table) || table.needs == Needs::rules ||
         table.needs == Needs::nothing;
}

classify::RunSpec spec_of(const RunSource& run) {
  return {run.path, run.engine, run.model, run.elapsed_ns};
}

bool operator==(const session::Wants& a, const session::Wants& b) {
  return a.statistics == b.statistics && a.host_trace == b.host_trace &&
         a.operations == b.operations;
}

/// What was read; never changed after it is made. Tables hold it.
struct Results {
  explicit Results(std::shared_ptr<const match::CompiledRules> with)
      : rules(std::move(with)), session(*rules) {}
  std::shared_ptr<const match::CompiledRules> rules;
  session::Session session;
};

table::Table table_of(const Definition& definition, const std::shared_ptr<const Results>& results) {
  const table::Table one = tables::make(definition, results->session.source());
  return {one.info(), one.columns(), [one, results](table::RowSink& sink) { one.write(sink); }};
}

}  // namespace

std::string_view version() noexcept {
  return KR_VERSION;
}

std::vector<const table::Info*> all_tables() {
  return tables::all_infos();
}

struct Session::Impl {
  SessionOptions options;
  std::vector<RunSource> runs;
  session::Wants wants;  // of all runs that were read
  std::shared_ptr<const Results> results;

  const tables::Source& source() const { return results->session.source(); }

  trace::OpenOptions open_options() const {
    trace::OpenOptions open;
    open.nsys_command = options.nsys_command;
    open.nsys_timeout_seconds = options.nsys_timeout_seconds;
    open.allow_truncated = options.allow_truncated;
    open.allow_inexact = options.allow_inexact;
    open.threads = options.threads;
    return open;
  }

  /// Opens what these tables need and was not read.
  void prepare(std::span<const Definition* const> needed) {
    if (std::none_of(needed.begin(), needed.end(),
                     [](const Definition* one) { return tables::is_about_runs(*one); })) {
      return;
    }
    session::Wants all = wants;
    all.add(session::Wants::of(needed));
    const size_t known = source().runs.size();
    const size_t begin = all == wants ? known : 0;
    if (begin == runs.size()) return;
    auto next = std::make_shared<Results>(results->rules);
    if (begin > 0) next->session.source().runs = source().runs;
    const auto is_input = [](const RunSource& run) { return run.path == "-"; };
    const auto first = runs.begin() + static_cast<ptrdiff_t>(begin);
    if (std::any_of(first, runs.begin() + static_cast<ptrdiff_t>(known), is_input)) {
      throw Error("standard input", "it cannot be read again for more tables",
                  "ask for all tables at once");
    }
    std::vector<classify::RunSpec> specs;
    std::transform(first, runs.end(), std::back_inserter(specs), spec_of);
    read(next->session, specs, &*first, all);
    results = std::move(next);
    wants = all;
  }

  void read(session::Session& into, const std::vector<classify::RunSpec>& specs,
            const RunSource* run, const session::Wants& all) const {
    std::exception_ptr failure;
    const auto watch = [&](const classify::RunSpec&, trace::Progress& progress) {
      if (failure) std::rethrow_exception(failure);
      return std::make_shared<api::ProgressCalls>(options.progress, *run++, progress, failure);
    };
    into.read(specs, open_options(), all,
              options.progress ? session::Session::Watch(watch) : session::Session::Watch(), {});
    if (failure) std::rethrow_exception(failure);
  }

  /// Why there is no such table; empty: there is. It is prepared.
  std::string absent(const Definition& definition) const {
    if (!is_of_sessions(definition)) return "a session does not compute it";
    if (tables::is_about_runs(definition) && runs.empty()) return "no run was added";
    return tables::absent(definition, source());
  }
};

Session::Session(const Rules& rules, SessionOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
  const auto& inside = rules.impl_;
  impl_->results = std::make_shared<Results>(
      std::shared_ptr<const match::CompiledRules>(inside, &inside->compiled));
}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

void Session::add(RunSource run) {
  if (run.path.empty()) throw Error("", "the run has no path", "name the file of its trace");
  if (run.elapsed_ns.value_or(0) < 0) {
    throw Error(run.path, "the elapsed time is negative", "leave it out if it is unknown");
  }
  const auto is_input = [](const RunSource& one) { return one.path == "-"; };
  if (is_input(run) && std::any_of(impl_->runs.begin(), impl_->runs.end(), is_input)) {
    throw Error("", "standard input can be read only once", "name a file for the other run");
  }
  impl_->runs.push_back(std::move(run));
}

size_t Session::runs() const noexcept {
  return impl_->runs.size();
}

std::vector<table::Table> Session::tables(const std::vector<std::string>& ids) {
  std::vector<const Definition*> wanted;
  wanted.reserve(ids.size());
  for (const std::string& id : ids) wanted.push_back(&known_table(id));
  impl_->prepare(wanted);
  std::vector<table::Table> present;
  for (const Definition* one : wanted) {
    if (impl_->absent(*one).empty()) present.push_back(table_of(*one, impl_->results));
  }
  return present;
}

table::Table Session::table(const std::string& id) {
  const std::string reason = absent(id);
  if (!reason.empty()) {
    throw Error("", fmt::format("these runs have no table `{}`: {}", id, reason));
  }
  return table_of(known_table(id), impl_->results);
}

std::string Session::absent(const std::string& id) {
  const Definition* const definition = &known_table(id);
  impl_->prepare({&definition, 1});
  return impl_->absent(*definition);
}

std::vector<RunNote> Session::notes() {
  const Definition* const definition = &known_table("notes");
  impl_->prepare({&definition, 1});
  std::vector<RunNote> notes;
  for (const tables::Note& one : tables::all_notes(impl_->source())) {
    notes.push_back({one.run, one.severity, one.code, one.text, one.count, one.first_offset});
  }
  return notes;
}

}  // namespace kr
