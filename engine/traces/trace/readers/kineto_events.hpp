// Events of a Kineto (Chrome) trace to operations: what one thread does with one window of text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.hpp"
#include "base/distinct_texts.hpp"
#include "trace/cut_plan.hpp"
#include "trace/rank_place.hpp"
#include "trace/readers/block_rows.hpp"
#include "trace/readers/event_list.hpp"
#include "trace/readers/json_tokens.hpp"
#include "trace/readers/kineto_annotations.hpp"
#include "trace/readers/kineto_counters.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/text_blocks.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// What a file of events has, for a message about one without operations. Of the first 32 MiB; each
/// name once, in the order of the file.
struct FoundLayout {
  static constexpr size_t max_names = 12;

  std::vector<std::string> categories;
  std::vector<std::string> processes;
  uint64_t uncategorized = 0;  // events with a duration and no category
  bool unknown = false;        // some are in a category of which kr does not know what it is

  static void add(std::vector<std::string>& names, std::string_view name);
  void add(const FoundLayout& other);
};

/// A metadata event of kr cut, for HostTrace::cut_steps: `args` has the start as `name`.
inline constexpr std::string_view cut_step_name = "kr_cut_step";

struct EventRows : BlockRows {
  enum class HostKind : uint8_t { runtime, driver, module, annotation, op };
  /// What no trace may contain. The text is JSON up to the end of that event, item `events`.
  struct Fault {
    uint64_t offset;  // of the event
    std::string why;
  };

  uint64_t events = 0;
  bool phases = false;  // some event has a `ph`
  bool broken = false;  // what follows `events` items is not JSON
  std::optional<Fault> fault;
  /// What the file has in place of operations, if it is not one that kr knows: see
  /// FoundLayout.
  FoundLayout found;
  std::vector<int64_t> cut_steps;  // HostTrace::cut_steps
  KinetoSamples samples;

  // With OpenOptions::places, as in SourcePlaces::Piece:
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  bool any_time = false;

  /// What nodes of CUDA graphs are annotated with.
  struct NewPlace {
    std::string member;  // of a merged trace
    NodeAnnotation annotation;
  };
  struct Placed {
    uint32_t operation;  // its number in the block
    uint32_t place;      // the parser's number
  };
  std::vector<NewPlace> new_places;  // met first in this block
  std::vector<Placed> places;
  /// By number of the parser, for whoever merges: that of TraceBuilder::created.
  std::shared_ptr<std::vector<uint32_t>> place_ids;
  bool annotated_nodes = false;  // by their own arguments, with the whole number of the node
  bool marked_lanes = false;     // some argument distinguishes streams and lanes

  // With a CutPlan:

  /// An arrow between events, of which only one end may be in the text.
  struct Arrow {
    uint64_t key;  // of both ends
    bool begins;
    std::string text;
  };
  std::string kept;  // the texts of the events that belong to it, with `,` and a line break between
  std::vector<Arrow> arrows;
};

class EventParser {
 public:
  /// `levels` objects and lists are open around the events. With `plan`, events of it are kept as
  /// text; the options are those of a whole host trace.
  EventParser(const OpenOptions& options, size_t levels, const CutPlan* plan = nullptr)
      : host_(options.host),
        details_(options.operation_details),
        collectives_(options.collectives),
        call_sites_(options.call_sites && options.host == HostDetail::all),
        ops_(options.ops && options.host == HostDetail::all),
        reference_(options.reference),
        memory_(options.memory),
        counters_(options.gpu_metrics),
        strict_(options.strict),
        places_known_(options.places != nullptr),
        levels_(levels),
        plan_(plan) {}

  /// What a file beside the trace says of nodes; null: there is none.
  void annotations(const NodeAnnotations* of_nodes) noexcept { annotations_ = of_nodes; }

  /// Reads whole items of the list of events; the `first` window begins the list, and no comma
  /// comes first. Stops at the first event that breaks the format, or at what is not JSON.
  void parse(const TextBlock& window, bool first, EventRows& out);

 private:
  static constexpr std::array<std::string_view, 12> collective_keys{
      "Collective name",
      "Process Group Name",
      "Process Group Description",
      "Process Group Ranks",
      "dtype",
      "Group size",
      "In msg nelems",
      "Out msg nelems",
      "Src Rank",
      "Dst Rank",
      "Seq",
      "Rank",
  };

  struct Event {
    JsonRaw phase, category, name, start, duration, process, thread, id;
    JsonRaw device, stream, correlation, operation, kernel, own_name;
    JsonRaw graph, node, original_stream, annotation;
    std::string_view own_modules, own_texts;  // lists, of operations that kr wrote
    JsonRaw direction, size;                  // of copies of MTIA
    JsonWalk::Mark args = nullptr;            // behind the bracket
    bool annotated_stream = false;
    std::array<JsonRaw, static_cast<size_t>(DetailField::count)> details;
    std::array<JsonRaw, collective_keys.size()> collective;
    std::array<JsonRaw, 4> inputs;  // see kineto_arguments.hpp
  };

  void items(std::string_view text, bool first);
  bool is_sample() const noexcept {
    const std::string_view phase = event_.phase.text;
    return phase.size() == 1 && ((phase[0] == 'i' && memory_) || (phase[0] == 'C' && counters_));
  }
  void take_sample(JsonWalk& json, JsonWalk::Mark begin);
  bool event(JsonWalk& json);
  bool args(JsonWalk& json);
  static std::optional<size_t> collective_key(std::string_view key) noexcept;
  static std::optional<size_t> inputs_key(std::string_view key) noexcept;
  void take_frame(const JsonWalk& json, std::string_view name);
  void take_op(std::string_view name, int64_t start_ns, int64_t duration_ns, uint32_t thread);
  bool list(JsonWalk& json, DetailField first);
  std::optional<uint64_t> find_node(const JsonWalk& json);
  void take_annotation(const JsonWalk& json, std::string_view member, bool may_communicate);
  template <class Visit>
  void each_annotation(const JsonWalk& json, const Visit& visit);
  void add_place(const JsonWalk& json, std::string_view member);
  void take_detail(const JsonWalk& json);
  void take_collective(const JsonWalk& json);
  bool take(const JsonWalk& json, size_t begin);
  bool take_operation(const JsonWalk& json, OperationKind kind, bool certain);
  std::string take_times(const JsonWalk& json, Operation& operation);
  bool is_mtia_event(const JsonWalk& json);
  bool is_mtia_signal(const JsonWalk& json);
  void find_category(std::string_view category);
  void find_process(const JsonWalk& json);
  std::optional<OperationKind> operation_argument(const JsonWalk& json);
  void take_host(const JsonWalk& json, EventRows::HostKind kind);
  DecimalFault time(const JsonWalk& json, const JsonRaw& raw, int64_t& ns);
  Track track(const JsonWalk& json);
  void note_time(const JsonWalk& json);
  void keep(const JsonWalk& json, std::string_view text);
  bool belongs(const JsonWalk& json, std::string_view phase);
  bool find_times(const JsonWalk& json, std::string_view phase, int64_t& start_ns, int64_t& end_ns);
  std::string_view phase(const JsonWalk& json);
  bool keep_arrow(const JsonWalk& json, std::string_view phase, std::string_view text);
  std::string_view process(const JsonWalk& json);
  /// Without the member of a merged trace.
  MergedProcess plain_process(const JsonWalk& json);
  std::optional<int64_t> integer(const JsonWalk& json, const JsonRaw& raw,
                                 std::string_view head = {});
  void add_dropped(std::string_view what);

  HostDetail host_;
  bool details_;
  bool collectives_;
  bool call_sites_;
  bool ops_;
  bool reference_;
  bool memory_;
  bool counters_;
  bool strict_;
  bool places_known_;
  size_t levels_;
  const CutPlan* plan_;
  std::optional<bool> kept_;  // whether the event belongs to the plan; nothing: kr does not read it
  WindowTokens tokens_;       // names keep their control bytes
  // Texts without escapes, for a moment.
  std::string scratch_, phase_, number_, number_text_, process_, kernel_, copy_name_;
  std::string op_key_;
  std::string last_category_;  // of the event before

  // Of the window and the event being read.
  uint64_t window_offset_ = 0;
  EventRows* out_ = nullptr;
  Event event_;
  uint64_t event_offset_ = 0;

  std::optional<uint64_t> node_;  // of a CUDA graph, that the operation runs
  bool whole_node_ = false;       // its number was written with that of the graph

  LocalIds ids_;
  const NodeAnnotations* annotations_ = nullptr;
  DistinctTexts places_;  // as they are written
  std::shared_ptr<std::vector<uint32_t>> place_ids_;
  std::vector<std::optional<CollectiveCall>> calls_of_places_;
  std::string place_key_;
};

}  // namespace kr::trace
