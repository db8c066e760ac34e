// Candidates of catalogues: what an existing fused kernel could replace, what could be hidden.
#include "analyze/order_use.hpp"
#include "analyze/steps.hpp"
#include "classify/attribution.hpp"
#include "tables/columns.hpp"
#include "tables/declared_labels.hpp"

namespace kr::tables {
namespace {

using analyze::CandidatePlace;
using analyze::CandidateSum;
using analyze::RunSummary;

struct CandidateRow : Parts<Run, CandidateSum> {
  std::string_view title;
  std::string_view advice;
  std::optional<double> per_step;
};

/// Of one catalogue.
void add_candidates(const Source& source, std::string_view dimension, Rows<CandidateRow>& rows) {
  for (const Run& run : source.runs) {
    const auto* candidates = run.find<analyze::Candidates>();
    if (candidates == nullptr) continue;
    const DeclaredLabels labels(source.rules->program(), run.summary);
    const auto* steps = run.find<analyze::StepSums>();
    for (const CandidateSum& one : candidates->sums) {
      if (one.dimension != dimension) continue;
      CandidateRow row{{run, one}, {}, {}, {}};
      if (const sema::Label* label = labels.find(dimension, one.label)) {
        row.title = label->title;
        row.advice = label->doc;
      }
      if (steps != nullptr && !steps->steps.empty()) {
        row.per_step =
            static_cast<double>(one.candidates) / static_cast<double>(steps->steps.size());
      }
      rows.add(row);
    }
  }
}

void add_fusions(const Source& source, Rows<CandidateRow>& rows) {
  add_candidates(source, "fusion", rows);
}
void add_overlaps(const Source& source, Rows<CandidateRow>& rows) {
  add_candidates(source, "overlap", rows);
}

std::string none_of(const Source& source, std::string_view dimension) {
  for (const Run& run : source.runs) {
    const auto* candidates = run.find<analyze::Candidates>();
    if (candidates == nullptr) continue;
    for (const CandidateSum& one : candidates->sums) {
      if (one.dimension == dimension) return {};
    }
  }
  return "no entry of the catalogue `std." + std::string(dimension) + "` matches";
}
std::string no_fusions(const Source& source) {
  return none_of(source, "fusion");
}
std::string no_overlaps(const Source& source) {
  return none_of(source, "overlap");
}

struct CandidatePlaceRow : Parts<Run, CandidatePlace, trace::Track> {
  std::string_view dimension;
  std::string_view label;
  int64_t start_ns;
  int64_t end_ns;
  std::optional<int64_t> step_id;
  std::optional<int64_t> layer;
};

void add_candidate_places(const Source& source, Rows<CandidatePlaceRow>& rows) {
  const sema::Program& program = source.rules->program();
  for (const Run& run : source.runs) {
    const auto* labelled = run.find<analyze::LabelledTrace>();
    if (labelled == nullptr) continue;
    const trace::Trace& trace = labelled->trace;
    const classify::Attribution& attribution = labelled->attribution(*source.rules);
    for (const std::string_view name : sema::candidate_dimensions) {
      const auto dimension = program.dimension(name);
      if (!dimension) continue;
      for (const CandidatePlace& place :
           analyze::candidate_places(*source.rules, *labelled, *dimension)) {
        const trace::Operation& first = trace.operations[place.match.first];
        const uint32_t step = attribution.step_of[place.match.first];
        const uint32_t layer = attribution.layer_of[place.match.first];
        constexpr uint32_t none = classify::Attribution::none;
        rows.add({{run, place, trace.track(first.track)},
                  name,
                  program.rules.get(place.match.rule).label,
                  first.start_ns,
                  trace.operations[place.match.last].end_ns(),
                  step == none ? std::nullopt : std::optional<int64_t>(step),
                  layer == none
                      ? std::nullopt
                      : std::optional<int64_t>(static_cast<int64_t>(attribution.in_unit(layer)))});
      }
    }
  }
}

constexpr table::Head candidates{"candidates", Unit::count, Role::measure,
                                 "Places where the entry of the catalogue matches. Order shows "
                                 "neighbours: whether the data, the "
                                 "shapes and the version of the engine allow it, is not known."};
constexpr table::Head operations{"operations", Unit::count, Role::measure,
                                 "The operations at stake: those in brackets."};
constexpr table::Head total_ns{"total_ns", Unit::ns, Role::measure,
                               "The time of these operations. Each counts once in the table."};
constexpr table::Head gap_ns{
    "gap_ns", Unit::ns, Role::measure,
    "The time that the stream is idle between them, and beside them on the "
    "sides on which the entry has neighbours."};
constexpr table::Head example_start_ns{
    "example_start_ns", Unit::ns, Role::detail,
    "When that place begins: the time since the start of the run's first operation."};
constexpr table::Head example_end_ns{"example_end_ns", Unit::ns, Role::detail,
                                     "When it ends, in the same way."};
constexpr table::Head advice{"advice", Unit::text, Role::measure,
                             "Where such a kernel exists, and its conditions: the comment of the "
                             "label in the rules.",
                             optional};

}  // namespace

const Definition fusions_table = TableOf<CandidateRow>{
    {.id = "fusions",
     .title = "what could be fused",
     .doc =
         "One row per run, device and entry of the catalogue `std.fusion`: operations that follow "
         "each other on a stream, and that an existing kernel could do at once. Candidates, by "
         "their order alone.",
     .columns =
         {run_column,
          {head::device, &CandidateSum::device},
          {head::label, &CandidateSum::label},
          {"title", Unit::text, Role::measure, "The title of the label.", &CandidateRow::title,
           optional},
          {candidates, &CandidateSum::candidates},
          {operations, &CandidateSum::operations},
          {total_ns, &CandidateSum::total_ns},
          {head::share_of_run,
           [](const CandidateRow& row) {
             return ratio_of(row.of<CandidateSum>().total_ns, row.of<Run>().summary.gpu_total_ns);
           }},
          {gap_ns, &CandidateSum::gap_ns},
          {"per_step", Unit::count, Role::measure, "Candidates per step, of annotated steps.",
           [](const CandidateRow& row) {
             return cell_if(row.per_step.has_value(), row.per_step.value_or(0));
           },
           optional},
          {"example", Unit::text, Role::detail,
           "The names of the operations of the place with the most time.", &CandidateSum::example},
          {example_start_ns, &CandidateSum::example_start_ns},
          {example_end_ns, &CandidateSum::example_end_ns},
          {advice, &CandidateRow::advice}},
     .in_short_form = false},
    needs<analyze::Candidates>,
    add_fusions,
    no_fusions,
    facts::Reads::nothing,
    nullptr,
    nullptr,
    {},
    facts::Set::of<analyze::StepSums>()};

const Definition overlaps_table = TableOf<CandidateRow>{
    {.id = "overlaps",
     .title = "what could be hidden",
     .doc =
         "One row per run, device and entry of the catalogue `std.overlap`: operations that wait "
         "for their turn on a stream, and that could run beside others. Candidates, by their "
         "order alone: it does not show which data they need.",
     .columns = {run_column,
                 {head::device, &CandidateSum::device},
                 {head::label, &CandidateSum::label},
                 {"title", Unit::text, Role::measure, "The title of the label.",
                  &CandidateRow::title, optional},
                 {candidates, &CandidateSum::candidates},
                 {operations, &CandidateSum::operations},
                 {total_ns, &CandidateSum::total_ns},
                 {"exposed_ns", Unit::ns, Role::measure,
                  "The part of `total_ns` in which no other stream of the device computes.",
                  &CandidateSum::exposed_ns},
                 {"share", Unit::ratio, Role::measure,
                  "`exposed_ns` as a part of the time of all operations of the run.",
                  [](const CandidateRow& row) {
                    return ratio_of(row.of<CandidateSum>().exposed_ns,
                                    row.of<Run>().summary.gpu_total_ns);
                  },
                  read_with("exposed_ns")},
                 {"example", Unit::text, Role::detail,
                  "The names of the operations of the place with the most time.",
                  &CandidateSum::example},
                 {example_start_ns, &CandidateSum::example_start_ns},
                 {example_end_ns, &CandidateSum::example_end_ns},
                 {advice, &CandidateRow::advice}},
     .in_short_form = false},
    needs<analyze::Candidates>,
    add_overlaps,
    no_overlaps};

const Definition fusion_places_table = TableOf<CandidatePlaceRow>{
    {.id = "fusion_places",
     .title = "places of candidates",
     .doc = "One row per place of a candidate of `fusions` or `overlaps`.",
     .columns = {run_column,
                 {head::device, &trace::Track::device},
                 {head::stream, &trace::Track::stream},
                 {"start_ns", Unit::ns, Role::key, "The start of its first operation.",
                  &CandidatePlaceRow::start_ns},
                 {head::the_dimension, &CandidatePlaceRow::dimension},
                 {head::label, &CandidatePlaceRow::label},
                 {"end_ns", Unit::ns, Role::measure, "The end of its last operation.",
                  &CandidatePlaceRow::end_ns},
                 {"operations", Unit::count, Role::measure, "Its operations.",
                  &CandidatePlace::operations},
                 {"total_ns", Unit::ns, Role::measure, "Their time.", &CandidatePlace::total_ns},
                 {gap_ns, &CandidatePlace::gap_ns},
                 {"exposed_ns", Unit::ns, Role::measure,
                  "The part of `total_ns` in which no other stream of the device computes.",
                  &CandidatePlace::exposed_ns},
                 {"step_id", Unit::id, Role::measure, "The step, as in `steps`.",
                  [](const CandidatePlaceRow& row) {
                    return cell_if(row.step_id.has_value(), row.step_id.value_or(0));
                  },
                  optional},
                 {"layer", Unit::id, Role::measure,
                  "The layer, found by repetition: its number in its step or graph.",
                  [](const CandidatePlaceRow& row) {
                    return cell_if(row.layer.has_value(), row.layer.value_or(0));
                  },
                  optional}},
     .in_short_form = false,
     .many_rows = true},
    needs<analyze::LabelledTrace>,
    add_candidate_places,
    nullptr,
    facts::Reads::host};

}  // namespace kr::tables
