// Time by label.
#include "analyze/ranks.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

/// Titles of labels as the run's model declares them.
class LabelTitles {
 public:
  LabelTitles(const sema::Program& program, const analyze::RunSummary& run) : program_(program) {
    const auto engine = program.engine(run.engine);
    const auto model = engine ? program.model(*engine, run.model) : std::nullopt;
    if (model) model_ = &program.models.get(*model);
  }

  std::string_view of(std::string_view dimension, std::string_view label) const {
    const auto id = program_.dimension(dimension);
    const kr::sema::Table* table = model_ != nullptr && id ? model_->table(*id) : nullptr;
    if (table == nullptr) return {};
    for (const sema::Label& one : table->vocabulary) {
      if (one.name == label) return one.title;
    }
    return {};
  }

 private:
  const sema::Program& program_;
  const sema::Model* model_ = nullptr;
};

void add_labels(const Source& source, RowSink& sink) {
  for (const Run& one : source.runs) {
    const analyze::RunSummary& run = one.summary;
    const LabelTitles titles(source.rules->program(), run);
    for (const std::string& dimension : dimensions_of(source)) {
      const auto at = run.dimension(dimension);
      if (!at) continue;
      for (const analyze::LabelSum& sum : run.dimensions[*at].labels) {
        sink.row({run.id, dimension, sum.label,
                  table::cell_or_nothing(titles.of(dimension, sum.label)), sum.instances,
                  sum.elapsed_ns, sum.total_ns, sum.busy_ns,
                  ratio_of(sum.busy_ns, run.gpu_busy_ns)});
      }
    }
  }
}

void add_labels_by_device(const Source& source, RowSink& sink) {
  for (const Run& one : source.runs) {
    for (const analyze::KernelTime& time : one.summary.kernel_times) {
      sink.row({one.summary.id, one.summary.dimensions[time.dimension].dimension, time.label,
                int64_t{time.device}, time.kernels_ns, time.compute_ns});
    }
  }
}

std::string not_one_job(const Source& source) {
  if (source.runs.size() < 2) return "there is one run only";
  return source.ranks().not_comparable_reason;
}

void add_label_balance(const Source& source, RowSink& sink) {
  for (const std::string& dimension : dimensions_of(source)) {
    for (const analyze::LabelBalance& label :
         analyze::balance_labels(source.summaries(), dimension)) {
      sink.row({dimension, label.label, label.sum_ns, label.mean_ns, label.max_ns,
                label.max_over_mean, source.rank(label.most)});
    }
  }
}

}  // namespace

const Definition labels_table{
    {"labels",
     "time by label",
     "One row per run, dimension and label that occurs; those of a dimension add up to the run.",
     {{"run", Unit::text, Role::key, "The run."},
      {"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
      {"label", Unit::text, Role::key, "The label."},
      {"title", Unit::text, Role::detail, "The title that the rules give the label.", true},
      {"instances", Unit::count, Role::measure, "Operations with the label."},
      {"elapsed_ns", Unit::ns, Role::detail,
       "Their part of the time in which any GPU was busy: what no earlier operation on any device "
       "covers."},
      {"total_ns", Unit::ns, Role::detail, "The sum of their durations."},
      {"busy_ns", Unit::ns, Role::measure,
       "Their part of the busy time of their devices: what no earlier operation on the same device "
       "covers. All labels of a dimension add up to the busy time of all devices."},
      {"share", Unit::ratio, Role::measure,
       "`busy_ns` as a part of the busy time of all devices of the run.", false, false,
       "busy_ns"}}},
    needs<analyze::RunSummary>,
    add_labels};

const Definition labels_by_device_table{
    {.id = "labels_by_device",
     .title = "kernel time by label and device",
     .doc =
         "One row per run, dimension, label and device that has kernels with the label: the time "
         "that no earlier kernel of the device covers.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
                 {"label", Unit::text, Role::key, "The label."},
                 {"device", Unit::id, Role::key, "The number of the device."},
                 {"kernels_ns", Unit::ns, Role::measure,
                  "Of all its kernels; the labels of a dimension add up to `compute_ns` + "
                  "`exposed_communication_ns` of `devices`."},
                 {"compute_ns", Unit::ns, Role::measure,
                  "Of its compute kernels, as if there were no others; the labels of a dimension "
                  "add up to `compute_ns` of `devices`."}},
     .in_short_form = false},
    needs<analyze::RunSummary>,
    add_labels_by_device};

const Definition label_balance_table{
    {"label_balance",
     "load balance of labels across ranks",
     "One row per dimension and label: how evenly its busy time is spread over the ranks.",
     {{"dimension", Unit::text, Role::key, "The dimension."},
      {"label", Unit::text, Role::key, "The label."},
      {"busy_ns", Unit::ns, Role::measure,
       "Its part of the busy time of their devices, as in `labels`: the sum over all ranks."},
      {"mean_ns", Unit::ns, Role::measure, "The mean of `busy_ns` over all ranks."},
      {"max_ns", Unit::ns, Role::measure, "The largest of any rank."},
      {"max_over_mean", Unit::factor, Role::measure, "`max_ns` divided by `mean_ns`."},
      {"max_rank", Unit::id, Role::measure, "The rank with `max_ns`; the first of several."}}},
    needs<analyze::RunSummary>,
    add_label_balance,
    not_one_job};

}  // namespace kr::tables
