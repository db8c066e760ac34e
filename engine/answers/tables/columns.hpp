// Columns that several tables have.
#pragma once

#include "tables/definition.hpp"
#include "tables/run.hpp"

namespace kr::tables {

/// Columns whose values differ from table to table.
namespace head {
inline constexpr table::Head batch{"batch", Unit::count, Role::measure,
                                   "Requests, if the annotation reports them.", optional};
inline constexpr table::Head busy_ns{"busy_ns", Unit::ns, Role::measure,
                                     "The time in which at least one of them ran."};
inline constexpr table::Head busy_share{
    "share", Unit::ratio, Role::measure,
    "`busy_ns` as a part of the busy time of all devices of the run.", read_with("busy_ns")};
inline constexpr table::Head communication_ns{
    "communication_ns", Unit::ns, Role::measure,
    "The time in which communication of them ran, including the time when compute also ran."};
inline constexpr table::Head compute_ns{"compute_ns", Unit::ns, Role::measure,
                                        "The time in which a compute kernel of them ran."};
inline constexpr table::Head device{"device", Unit::id, Role::key, "The number of the device."};
inline constexpr table::Head dimension{"dimension", Unit::text, Role::key,
                                       "The dimension, such as `substage`."};
inline constexpr table::Head elapsed_ns{"elapsed_ns", Unit::ns, Role::detail,
                                        "Their part of the time in which any GPU was busy: what no "
                                        "earlier operation on any device covers."};
inline constexpr table::Head engine{"engine", Unit::text, Role::key, "The engine."};
inline constexpr table::Head exposed_communication_ns{
    "exposed_communication_ns", Unit::ns, Role::measure,
    "The time in which communication of them ran and no compute of them."};
inline constexpr table::Head exposed_memory_ns{
    "exposed_memory_ns", Unit::ns, Role::measure,
    "The time in which a copy or set of them ran, and neither compute nor communication of them."};
inline constexpr table::Head group{"group", Unit::id, Role::key, "The group, as in `unexplained`."};
inline constexpr table::Head idle_ns{"idle_ns", Unit::ns, Role::measure,
                                     "The time of the span in which none of them ran."};
inline constexpr table::Head idle_share{"share", Unit::ratio, Role::measure,
                                        "Its part of the idle time of the device.",
                                        read_with("total_ns")};
inline constexpr table::Head instances{"instances", Unit::count, Role::measure,
                                       "Operations of the phase with the label."};
inline constexpr table::Head instances_on_device{"instances", Unit::count, Role::measure,
                                                 "Operations on the device."};
inline constexpr table::Head invocations{"invocations", Unit::count, Role::measure,
                                         "How often it ran."};
inline constexpr table::Head label{"label", Unit::text, Role::key, "The label."};
inline constexpr table::Head labels{
    table::dimension_columns, Unit::text, Role::detail,
    "One column per dimension of the models, named after it: the label.", optional};
inline constexpr table::Head labels_of_total{
    "labels_of_total", Unit::text, Role::short_form,
    "The labels with most of `total_ns`, and their share of it.", optional};
inline constexpr table::Head layer{"layer", Unit::id, Role::measure,
                                   "The number of the layer, if the annotation has one.", optional};
inline constexpr table::Head max_duration_ns{"max_ns", Unit::ns, Role::measure,
                                             "The longest duration."};
inline constexpr table::Head max_ns{"max_ns", Unit::ns, Role::measure, "Time of the longest call."};
inline constexpr table::Head max_of_ranks_ns{"max_ns", Unit::ns, Role::measure,
                                             "The largest of any rank."};
inline constexpr table::Head max_over_mean{"max_over_mean", Unit::factor, Role::measure,
                                           "`max_ns` divided by `mean_ns`."};
inline constexpr table::Head max_rank{"max_rank", Unit::id, Role::measure,
                                      "The rank with `max_ns`; the first of several."};
inline constexpr table::Head mean_duration_ns{"mean_ns", Unit::ns, Role::measure,
                                              "The mean duration."};
inline constexpr table::Head mean_ns{"mean_ns", Unit::ns, Role::measure, "Mean time of a call."};
inline constexpr table::Head mean_of_ranks_ns{"mean_ns", Unit::ns, Role::measure,
                                              "The mean of `busy_ns` over all ranks."};
inline constexpr table::Head mean_of_steps_ns{"mean_ns", Unit::ns, Role::measure,
                                              "`total_ns` per step."};
inline constexpr table::Head memory_ns{"memory_ns", Unit::ns, Role::measure,
                                       "The time in which a copy or set of them ran."};
inline constexpr table::Head min_ns{"min_ns", Unit::ns, Role::measure, "The shortest duration."};
inline constexpr table::Head min_rank{"min_rank", Unit::id, Role::measure,
                                      "The rank with `min_ns`; the first of several."};
inline constexpr table::Head name{"name", Unit::name, Role::key,
                                  "The name of the kernel, copy or set."};
inline constexpr table::Head occurrence{
    "occurrence", Unit::id, Role::key,
    "The place of the step among those of its rank with this phase and number, from 0."};
inline constexpr table::Head phase{"phase", Unit::text, Role::key, "The phase."};
inline constexpr table::Head phase_of_phases{"phase", Unit::text, Role::key,
                                             "The phase, as in `phases`."};
inline constexpr table::Head phase_of_step{"phase", Unit::text, Role::measure,
                                           "The phase of the step."};
inline constexpr table::Head rank{"rank", Unit::id, Role::key, "The rank."};
inline constexpr table::Head run{"run", Unit::text, Role::key, "The run."};
inline constexpr table::Head share{"share", Unit::ratio, Role::measure,
                                   "Their part of `total_ns` of the phase.", read_with("total_ns")};
inline constexpr table::Head share_of_run{
    "share", Unit::ratio, Role::measure,
    "The same as a part of the time of all operations of the run.", read_with("total_ns")};
inline constexpr table::Head shown_label{"label", Unit::text, Role::short_form,
                                         "Its label in `substage`, or `kind`.", optional};
inline constexpr table::Head span_ns{"span_ns", Unit::ns, Role::measure,
                                     "From its first start to its last end."};
inline constexpr table::Head step{"step", Unit::id, Role::measure,
                                  "The number of the step, if the annotation has one.", optional};
inline constexpr table::Head step_id{"step_id", Unit::id, Role::key,
                                     "The place of the step among those of the run, from 0."};
inline constexpr table::Head step_key{
    "step", Unit::id, Role::key, "The number of the step, if the annotation has one.", optional};
inline constexpr table::Head step_of_trees{"step_id", Unit::id, Role::key,
                                           "The number of the step among all steps, from 0."};
inline constexpr table::Head stream{"stream", Unit::id, Role::key, "The number of the stream."};
inline constexpr table::Head the_device{"device", Unit::id, Role::key, "The device."};
inline constexpr table::Head the_dimension{"dimension", Unit::text, Role::key, "The dimension."};
inline constexpr table::Head tokens{"tokens", Unit::count, Role::measure,
                                    "Tokens of all requests, if the annotation reports them.",
                                    optional};
inline constexpr table::Head total_detail_ns{"total_ns", Unit::ns, Role::detail,
                                             "The sum of their durations."};
inline constexpr table::Head total_ns{"total_ns", Unit::ns, Role::measure,
                                      "The sum of their durations."};
inline constexpr table::Head total_of_calls_ns{"total_ns", Unit::ns, Role::measure,
                                               "Time of these calls on the host."};
inline constexpr table::Head total_of_kernels_ns{"total_ns", Unit::ns, Role::measure,
                                                 "Time of the run's kernels with the label."};
inline constexpr table::Head total_of_runs_ns{"total_ns", Unit::ns, Role::measure,
                                              "The time of these operations, in all runs."};
inline constexpr table::Head total_of_these_ns{"total_ns", Unit::ns, Role::measure,
                                               "The time of these operations."};
inline constexpr table::Head type{"type", Unit::text, Role::key, "`kernel`, `memcpy` or `memset`."};
inline constexpr table::Head unit{
    "unit", Unit::text, Role::detail,
    "Which of the columns of values it has: `ratio`, `hz`, `bytes_per_s`, `watts`, `number`."};
}  // namespace head

struct RunId {
  std::string_view operator()(const Run& run) const { return run.summary.id; }
  std::string_view operator()(const analyze::RunSummary& run) const { return run.id; }
};
inline constexpr table::SharedColumn<RunId> run_column{head::run, RunId()};

}  // namespace kr::tables
