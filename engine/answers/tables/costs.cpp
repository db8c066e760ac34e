// What framework ops cost by the rules' `cost` blocks: by op and shapes, and added up by label,
// module, layer, step and kernel.
#include "tables/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analyze/run.hpp"
#include "cost/costed_run.hpp"
#include "cost/gaps.hpp"
#include "ncu/gpus.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using cost::CostedRun;
using cost::CostSum;

constexpr uint32_t no_call = CostedRun::none;

std::string clause_place(const Source& source, sema::CostId id) {
  return source.rules->sources().place(source.rules->program().costs.get(id).span);
}

/// The cells that both tables have.
void add_sums(Cells& row, const CostSum& sum) {
  const bool roof = sum.roof_ns() > 0;
  const auto at_roof_ns = static_cast<int64_t>(std::llround(sum.at_roof_ns()));
  // Within the tolerance, the time may be below that at the roof.
  const int64_t saved_ns = std::max(int64_t{0}, sum.roof_ns() - at_roof_ns);
  row.insert(row.end(), {table::cell(sum.flops()), sum.flops() ? Cell(sum.flops_ns()) : Cell(),
                         table::cell(sum.bytes()), sum.bytes() ? Cell(sum.bytes_ns()) : Cell(),
                         table::cell(sum.flops_per_s()), table::cell(sum.bytes_per_s()),
                         table::cell(sum.intensity()), table::cell(sum.peak_ratio()),
                         table::cell_or_nothing(sum.bound()), roof ? Cell(sum.roof_ns()) : Cell(),
                         roof ? Cell(at_roof_ns) : Cell(), roof ? Cell(saved_ns) : Cell(),
                         sum.above_peak_ns() > 0 ? Cell(sum.above_peak_ns()) : Cell(),
                         table::cell(sum.above_peak_ratio())});
}

/// Of `cost_rates`: which part of the time rates are about, and why the rest has no cost.
void add_shares(Cells& row, const KeyCosts& costs) {
  using cost::NoCost;
  const auto share = [&](int64_t ns) {
    return costs.sum.total_ns() > 0 ? Cell(ratio_of(ns, costs.sum.total_ns())) : Cell();
  };
  const int64_t both_ns = costs.of(NoCost::none);
  const int64_t flops_ns = both_ns + costs.of(NoCost::no_bytes);
  const int64_t bytes_ns = both_ns + costs.of(NoCost::no_flops);
  NoCost most = NoCost::none;
  int64_t without_ns = 0;
  for (const NoCost why : {NoCost::no_op, NoCost::graph, NoCost::no_shapes, NoCost::no_clause,
                           NoCost::no_amounts, NoCost::above_peak}) {
    without_ns += costs.of(why);
    if (costs.of(why) > 0 && (most == NoCost::none || costs.of(why) > costs.of(most))) most = why;
  }
  row.insert(row.end(), {share(flops_ns), share(bytes_ns), share(costs.with_roof_ns), without_ns,
                         table::cell_or_nothing(cost::to_string(most))});
}

void add_costs_of(const Source& source, const Run& run, RowSink& sink) {
  const CostedRun& costed = *run.costs;
  const trace::Trace& trace = run.trace->trace;
  struct OpRow {
    CostSum sum;
    int64_t instances = 0;
  };
  // By op, shapes, precision, clause and what is unusable: steps of other sizes have other costs of
  // one op.
  using Key = std::tuple<std::string, std::string, std::string_view, std::string, cost::NoCost>;
  std::map<Key, OpRow> rows;
  std::vector<std::string> places(source.rules->program().costs.size());
  for (const cost::CostedCall& call : costed.calls) {
    const cost::CostedOp& one = costed.ops[call.costed];
    const trace::HostOp& op = trace.host->ops->ops[one.op];
    std::string& place = places[one.clause.index];
    if (place.empty()) place = clause_place(source, one.clause);
    const cost::NoCost lacks = costed.lacks(call);
    const bool usable = lacks != cost::NoCost::above_peak && lacks != cost::NoCost::no_amounts;
    OpRow& row = rows[{op.name, cost::shapes_text(op.arguments), word_of(one.cost.type), place,
                       usable ? cost::NoCost::none : lacks}];
    row.sum.add_time(call.total_ns);
    row.sum.add(costed, call, kernel_name(run, call.longest));
    ++row.instances;
  }
  struct Row {
    int64_t total_ns;
    Cells cells;
  };
  std::vector<Row> sorted;
  for (const auto& [key, row] : rows) {
    const auto& [op, shapes, precision, clause, why] = key;
    Cells cells{run.summary.id,
                std::string_view(op),
                table::cell_or_nothing(shapes),
                table::cell_or_nothing(precision),
                row.instances,
                row.sum.total_ns()};
    add_sums(cells, row.sum);
    cells.insert(cells.end(),
                 {std::string_view(clause), table::cell_or_nothing(cost::to_string(why))});
    sorted.push_back({row.sum.total_ns(), std::move(cells)});
  }
  const std::vector<cost::Gap> gaps = cost::gaps_of(costed, trace, run.summary.gpu_total_ns);
  for (const cost::Gap& gap : gaps) {
    // These have a clause, and a row.
    if (gap.why == cost::NoCost::above_peak || gap.why == cost::NoCost::no_amounts) continue;
    Cells cells{run.summary.id,
                table::cell_or_nothing(gap.op),
                table::cell_or_nothing(gap.shapes),
                Cell(),
                gap.operations > 0 ? Cell(gap.operations) : Cell(),
                gap.total_ns};
    add_sums(cells, CostSum());
    cells.insert(cells.end(), {Cell(), cost::to_string(gap.why)});
    sorted.push_back({gap.total_ns, std::move(cells)});
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Row& a, const Row& b) { return a.total_ns > b.total_ns; });
  for (const Row& row : sorted) sink.row(row.cells);
}

void add_costs(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) add_costs_of(source, run, sink);
}

/// Sums by key of one level: every operation has one key, which is empty if it is in none.
class LevelSums {
 public:
  LevelSums(const Run& run, std::string_view level) : run_(run), level_(level) {}

  template <class KeyOf>
  void add(const KeyOf& key_of) {
    const trace::Trace& trace = run_.trace->trace;
    const CostedRun& costed = *run_.costs;
    for (uint32_t i = 0; i < trace.operations.size(); ++i) {
      KeyCosts& costs = sums_[key_of(i)];
      const int64_t ns = trace.operations[i].duration_ns;
      costs.sum.add_time(ns);
      costs.ns[static_cast<size_t>(costed.no_cost[i])] += ns;
      const uint32_t call = costed.call_of[i];
      if (call != no_call && costed.calls[call].has_roof) costs.with_roof_ns += ns;
    }
    for (const cost::CostedCall& call : costed.calls) {
      sums_[key_of(call.longest)].sum.add(costed, call, kernel_name(run_, call.longest));
    }
  }
  /// Whether any operation has a key.
  bool has_keys() const { return !sums_.empty() && !sums_.rbegin()->first.empty(); }

  /// By descending time.
  std::vector<const std::pair<const std::string, KeyCosts>*> sorted() const {
    std::vector<const std::pair<const std::string, KeyCosts>*> sorted;
    sorted.reserve(sums_.size());
    for (const auto& one : sums_) sorted.push_back(&one);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
      return a->second.sum.total_ns() > b->second.sum.total_ns();
    });
    return sorted;
  }

  void push(RowSink& sink) const {
    for (const auto* one : sorted()) {
      const KeyCosts& costs = one->second;
      const int64_t total_ns = costs.sum.total_ns();
      Cells row{run_.summary.id, level_, table::cell_or_nothing(one->first), total_ns};
      add_sums(row, costs.sum);
      add_shares(row, costs);
      sink.row(row);
    }
  }

 private:
  const Run& run_;
  std::string_view level_;
  std::map<std::string, KeyCosts> sums_;
};

/// Calls `each(dimension, label_of)` for the dimensions that the run has.
template <class Each>
void each_dimension(const Source& source, const Run& run, const Each& each) {
  const analyze::TraceLabels labels(*source.rules, run.trace->labelled);
  const trace::Trace& trace = run.trace->trace;
  for (const auto& [dimension, of] : labels.dimensions()) {
    each(dimension, [&, found = of](uint32_t i) {
      const uint32_t row = run.trace->labelled.row(i, trace.operations[i]);
      return std::string(found->by_row[row].label);
    });
  }
}

std::string module_of(const Source& source, const Run& run, uint32_t operation) {
  const classify::Attribution& places = run.trace->attribution(*source.rules);
  const uint32_t node = places.node_of(operation);
  if (node == classify::Attribution::none) return {};
  const trace::HostTrace& host = *run.trace->trace.host;
  return host.range_names[host.ranges[node].name];
}

std::string step_of(const Source& source, const Run& run, uint32_t operation) {
  const classify::Attribution& places = run.trace->attribution(*source.rules);
  const uint32_t step = places.step_of[operation];
  return std::string(step == classify::Attribution::none ? std::string_view()
                                                         : places.steps[step].text);
}

std::string layer_of(const Source& source, const Run& run, uint32_t operation) {
  const classify::Attribution& places = run.trace->attribution(*source.rules);
  const uint32_t layer = places.layer_of[operation];
  if (layer == classify::Attribution::none) return {};
  return fmt::format("{}", places.in_unit(layer));
}

void add_cost_rates(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    const auto level = [&](std::string_view name, const auto& key_of) {
      LevelSums sums(run, name);
      sums.add(key_of);
      if (sums.has_keys()) sums.push(sink);
    };
    level("run", [](uint32_t) { return std::string("all operations"); });
    each_dimension(source, run, [&](std::string_view dimension, const auto& label_of) {
      level(dimension, label_of);
    });
    if (run.trace->trace.host) {
      level("step", [&](uint32_t i) { return step_of(source, run, i); });
      level("module", [&](uint32_t i) { return module_of(source, run, i); });
      level("layer", [&](uint32_t i) { return layer_of(source, run, i); });
    }
    level("kernel", [&](uint32_t i) { return std::string(kernel_name(run, i)); });
  }
}

Column known_or_empty(const char* id, Unit unit, Role role, const char* doc) {
  return {id, unit, role, doc, true};
}

/// Those of `add_sums`.
std::vector<Column> cost_columns(std::vector<Column> first, std::vector<Column> last) {
  const std::vector<Column> sums{
      known_or_empty("flops", Unit::flop, Role::measure,
                     "Floating-point operations; nothing if none is known."),
      known_or_empty("flops_ns", Unit::ns, Role::detail,
                     "The time of the ops whose FLOPs are known: `flops_per_s` divides by it."),
      known_or_empty("bytes", Unit::bytes, Role::measure,
                     "Bytes read and written, each operand once; nothing if none is known."),
      known_or_empty("bytes_ns", Unit::ns, Role::detail,
                     "The time of the ops whose bytes are known: `bytes_per_s` divides by it."),
      known_or_empty("flops_per_s", Unit::per_second, Role::measure,
                     "FLOPs per second of `flops_ns`."),
      known_or_empty("bytes_per_s", Unit::per_second, Role::measure,
                     "Bytes per second of `bytes_ns`."),
      known_or_empty("intensity", Unit::factor, Role::detail,
                     "FLOPs per byte, of ops of which both are known."),
      known_or_empty(
          "peak_ratio", Unit::ratio, Role::measure,
          "The part of the roof at this intensity that is reached, of the ops of `roof_ns`; "
          "nothing if the GPU's peaks are not known."),
      known_or_empty("bound", Unit::text, Role::measure,
                     "What the roof is at this intensity: `compute` or `memory`."),
      known_or_empty("roof_ns", Unit::ns, Role::detail,
                     "The time of the ops of which FLOPs, bytes and their peaks are known: one of "
                     "them alone is not a roof. `peak_ratio` is of this time."),
      known_or_empty("at_roof_ns", Unit::ns, Role::detail,
                     "What `roof_ns` would be at the roof of each op: of several, the lowest."),
      known_or_empty("saved_ns", Unit::ns, Role::measure,
                     "`roof_ns` less `at_roof_ns`, at least 0."),
      known_or_empty("above_peak_ns", Unit::ns, Role::measure,
                     "The time of ops that by their cost are faster than the GPU can be: a formula "
                     "or the peak is wrong. They are in none of the columns before; nothing if "
                     "there are none."),
      known_or_empty("above_peak_ratio", Unit::ratio, Role::measure,
                     "What the rate of these would be as a part of the roof: above 1.05.")};
  first.insert(first.end(), sums.begin(), sums.end());
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

/// Amounts are for programs: people compare rates.
std::vector<Column> rate_columns(std::vector<Column> first, std::vector<Column> last) {
  std::vector<Column> columns = cost_columns(std::move(first), std::move(last));
  for (Column& one : columns) {
    if (one.id == "flops" || one.id == "bytes") one.role = Role::detail;
  }
  return columns;
}

}  // namespace

std::string_view kernel_name(const Run& run, uint32_t operation) {
  const trace::Trace& trace = run.trace->trace;
  return trace.names.get(trace.operations[operation].name).text;
}

std::string without_costs(const Source& source) {
  for (const Run& run : source.runs) {
    if (run.trace->trace.host && run.trace->trace.host->ops) return {};
  }
  return "no run has ops with shapes: PyTorch's profiler records them with `record_shapes=True`, "
         "vLLM and SGLang as NVTX ranges of layers; kernels of graphs get those of a --reference";
}

std::vector<LabelCosts> costs_by_label(const Source& source, const Run& run) {
  std::vector<LabelCosts> out;
  each_dimension(source, run, [&](std::string_view dimension, const auto& label_of) {
    LevelSums sums(run, dimension);
    sums.add(label_of);
    for (const auto* one : sums.sorted()) {
      out.push_back({std::string(dimension), one->first, one->second});
    }
  });
  return out;
}

const Definition costs_table{
    {"costs", "costs of ops",
     "One row per run, op, shapes, precision and clause: what the op costs by the `cost` blocks of "
     "the rules. An op costs once, however many operations it launched; an operation belongs to "
     "the "
     "innermost op around its launch that a clause fits. Without a clause: one row per op and "
     "shapes. By descending time.",
     cost_columns(
         {{"run", Unit::text, Role::key, "The run."},
          known_or_empty("op", Unit::name, Role::key,
                         "The framework's op; nothing for operations without any."),
          known_or_empty("shapes", Unit::text, Role::key,
                         "Its arguments: `[8, 16] bf16` is a tensor, `(1, 1)` a list of integers, "
                         "`_` one of which nothing is known; nothing if none were recorded."),
          known_or_empty(
              "precision", Unit::text, Role::key,
              "The type of its operands, or what its clause says; its peak is the roof."),
          known_or_empty(
              "instances", Unit::count, Role::measure,
              "Calls of the op that launched operations; operations, if no clause fits."),
          {"total_ns", Unit::ns, Role::measure, "The time of the operations that it launched."}},
         {known_or_empty("clause", Unit::text, Role::detail,
                         "The file and line of the clause; nothing if none fits."),
          known_or_empty(
              "no_cost", Unit::text, Role::measure,
              "Why there is no cost: `no op` encloses the launch, it ran `in a graph` whose "
              "capture is not certain, `no shapes` were recorded, `no clause fits`, the "
              "clause has `no amounts` because it needs what is not recorded, or the op would be "
              "`above the peak`; nothing if there is one.")}),
     false, false},
    Needs::costs,
    add_costs,
    without_costs,
    Reads{.peaks = true}};

const Definition cost_rates_table{
    {"cost_rates", "achieved rates by declared cost",
     "One row per run, level and key: the costs of its ops added up, per second, and against the "
     "roof. What an op costs counts for the label, step, module, layer and name of its longest "
     "operation. The rows of a level add up to the time of all operations.",
     rate_columns(
         {{"run", Unit::text, Role::key, "The run."},
          {"level", Unit::text, Role::key,
           "`run`, a dimension of the rules, `step`, `module`, `layer` or `kernel`."},
          known_or_empty("key", Unit::name, Role::key,
                         "The label, the text of the step, the module, the number of the layer, or "
                         "the name of the kernel; nothing of operations that are in none."),
          {"total_ns", Unit::ns, Role::measure, "The time of all its operations."}},
         {known_or_empty("flops_share", Unit::ratio, Role::measure,
                         "The part of `total_ns` whose FLOPs are known."),
          known_or_empty("bytes_share", Unit::ratio, Role::measure,
                         "The part of `total_ns` whose bytes are known."),
          known_or_empty("roof_share", Unit::ratio, Role::measure,
                         "The part of `total_ns` that `peak_ratio` is about."),
          {"no_cost_ns", Unit::ns, Role::detail,
           "The time of operations without FLOPs and bytes, or above the peak."},
          known_or_empty("no_cost", Unit::text, Role::measure,
                         "Why most of these have none, as in `costs`.")}),
     false, false},
    Needs::costs,
    add_cost_rates,
    without_costs,
    Reads{.peaks = true}};

}  // namespace kr::tables
