// What is inside kr::Session.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kr/kr.hpp"
#include "session/session.hpp"
#include "timeline/timeline.hpp"

namespace kr::exports {
struct View;
}
namespace kr::render {
struct Renderer;
}

namespace kr {

using tables::Definition;
using Definitions = std::vector<const Definition*>;
using SharedRules = std::shared_ptr<const match::CompiledRules>;

/// What was read; never changed after it is made. Tables share it.
struct Results {
  template <class... Options>
  explicit Results(SharedRules with, Options&&... options)
      : rules(std::move(with)), session(*rules, std::forward<Options>(options)...) {}
  SharedRules rules;
  session::Session session;
  std::vector<timeline::Timeline> timelines;  // by run, if they are wanted; saved runs have none
};

struct Session::Impl {
  SharedRules rules;
  std::shared_ptr<const source::Library> library;  // of the rules
  SessionOptions options;
  std::vector<RunSource> runs;
  SharedRules before;  // for differences of rules
  // For explanations: of one of the two.
  std::optional<NameQuery> query;
  std::optional<OperationQuery> operation;

  /// Set once timelines are wanted. So only what makes pages links what they are made with.
  std::function<timeline::Timeline(const analyze::LabelledTrace&, const analyze::RunSummary&)>
      timeline_of;

  session::Demand demand;  // of all runs that were read
  facts::Set made;         // results that `results` has beside the runs
  std::shared_ptr<const Results> results;

  const tables::Source& source() const { return results->session.source(); }
  size_t known_runs() const { return results->session.files_read(); }

  /// Opens what these tables need and was not read, and computes what they are made from. `also`:
  /// what else is to be known of runs.
  void prepare(const Definitions& needed, const session::Demand& also = {});
  /// Why there is no such table; empty: there is. It is prepared.
  std::string absent(const Definition& definition) const;

  std::shared_ptr<Results> new_results() const;

  /// In pages.cpp. What a verb shows, in a format whose content is tables.
  std::string show(const exports::View& view, const render::Renderer& format,
                   const std::string& title, const TextOptions& look);
  void read_operations(facts::Set also, facts::Reads reads);

 private:
  std::optional<trees::Level> comparison_level() const;
  session::RunComparison comparison() const;
  std::string_view impossible(facts::Id result) const;
  std::string_view impossible(facts::Set needs) const;
  session::Demand demand_of(const Definitions& needed, const session::Demand& also) const;
  void compare_with(session::Session& session, const match::CompiledRules& other) const;
  void make(session::Session& session, facts::Id result) const;
};

}  // namespace kr
