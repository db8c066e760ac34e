// Pages and pictures. Apart from session.cpp: programs that make none do not link ECharts and
// Cairo.
#include "page/pages.hpp"

#include "api/session_impl.hpp"
#include "coverage/suggest.hpp"
#include "job/job.hpp"
#include "page/report_tables.hpp"
#include "picture/tree_picture.hpp"
#include "tables/difference.hpp"
#include "tables/registry.hpp"
#include "tables/scoped.hpp"
#include "tables/tree.hpp"
#include "trees/for_people.hpp"

namespace kr {
namespace {

Definitions tables_of_page() {
  Definitions all;
  for (const Definition* one : tables::all()) {
    if (one->info.describes_results) all.push_back(one);
  }
  for (const char* id : page::report_tables) {
    for (const Definition* one : tables::parts_of(*tables::find(id))) {
      if (!one->info.describes_results) all.push_back(one);
    }
  }
  return all;
}

}  // namespace

std::string Session::report_page(const std::string& title) {
  if (impl_->runs.empty()) throw Error("", "there is nothing to report", "add a run first");
  Definitions wanted = tables_of_page();
  session::Demand also{.facts = facts::Set::of<analyze::RunSummary, analyze::ShownPhases>(),
                       .reads = facts::Reads::host};
  also.facts |=
      impl_->runs.size() > 1 ? facts::Set::of<job::Members>() : facts::Set::of<job::RankMembers>();
  impl_->timeline_of = [impl = impl_.get()](const analyze::LabelledTrace& run,
                                            const analyze::RunSummary& summary) {
    return timeline::make(*impl->rules, run, summary, page::timeline_limits(impl->runs.size()));
  };
  impl_->prepare(wanted, also);
  const tables::Source& source = impl_->source();
  // As the command: of many ranks, without what each has by itself.
  if (tables::are_many_ranks(source)) {
    std::erase_if(wanted, [](auto* one) { return tables::has_rows_within_ranks(*one); });
  }
  std::vector<Table> present;
  for (const Definition* one : wanted) {
    if (impl_->absent(*one).empty()) present.push_back(tables::make(*one, source));
  }
  overview::Report report;
  report.title = title;
  report.by = impl_->options.tables.by;
  report.runs = source.summaries();
  report.styles = picture::label_styles(impl_->rules->program(), report.runs);
  std::vector<timeline::Timeline> timelines = impl_->results->timelines;
  timelines.resize(source.runs.size());  // saved runs have none
  return page::report_html(source, present, report, timelines);
}

std::vector<TreePicture> Session::tree_pictures() {
  const Definition& tree = *tables::find("tree");
  impl_->prepare({&tree});
  if (const std::string why = impl_->absent(tree); !why.empty()) {
    throw Error("", "there are no pictures of module trees: " + why);
  }
  const TableOptions& options = impl_->options.tables;
  trees::ViewOptions how = trees::view_for_people();
  if (!options.level.empty()) how.level = trees::named_level(options.level);
  how.dimension = options.by;
  how.folds = options.folds;
  how.phase = options.phase;
  how.step = options.step;
  how.by_phase = !options.all_steps && !options.step;
  how.merge_siblings = !options.each_sibling;
  const trees::TreeView view(*impl_->rules, impl_->results->session.modules(0), how);
  std::vector<TreePicture> pictures;
  for (picture::Picture& one :
       picture::tree_pictures(impl_->rules->program(), view, trees::Metric::cuda_time_ms)) {
    pictures.push_back({std::move(one.file_stem), std::move(one.svg)});
  }
  return pictures;
}

}  // namespace kr
