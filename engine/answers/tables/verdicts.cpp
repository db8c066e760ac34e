// The rules of verdicts.
#include "tables/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analyze/idle.hpp"
#include "analyze/ranks.hpp"
#include "base/printable.hpp"
#include "base/saturated.hpp"
#include "job/job.hpp"
#include "ncu/joined.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/device_word.hpp"
#include "text/names.hpp"
#include "text/numbers.hpp"

namespace kr::tables {
namespace {

using analyze::IdleCause;

/// A part of the spans below this, in percent, limits nothing.
constexpr int64_t min_percent = 10;
/// Fewer operations say nothing about a program.
constexpr int64_t min_operations = 10;

/// Labels of operations that no rule explains.
constexpr std::array<std::string_view, 2> unexplained_labels{"unknown", "unclassified"};

/// `45 %`.
std::string share(int64_t part, int64_t whole) {
  return text::percent(part, whole, 0) + " %";
}

/// The idle causes that one remedy helps against.
enum class IdleReason : uint8_t { host, synchronization, copy, launch, untraced, unknown };
constexpr size_t idle_reasons = 6;

IdleReason reason_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::host:
      return IdleReason::host;
    case IdleCause::synchronization:
      return IdleReason::synchronization;
    case IdleCause::copy:
      return IdleReason::copy;
    case IdleCause::launch:
    case IdleCause::queued:
      return IdleReason::launch;
    case IdleCause::untraced:
      return IdleReason::untraced;
    case IdleCause::unknown:
      break;
  }
  return IdleReason::unknown;
}

/// Runs that are judged together.
class Judge {
 public:
  Judge(const Source& source, std::vector<const Run*> runs, bool as_job, std::vector<Verdict>& out)
      : source_(source), runs_(std::move(runs)), as_job_(as_job), out_(out) {
    for (const Run* run : runs_) {
      operations_ = add_saturated(operations_, run->summary.operations);
      for (const analyze::DeviceSum& device : run->summary.devices) {
        ++devices_;
        span_ns_ = add_saturated(span_ns_, device.span_ns);
        idle_ns_ = add_saturated(idle_ns_, device.idle_ns);
        compute_ns_ = add_saturated(compute_ns_, device.compute_ns);
        communication_ns_ = add_saturated(communication_ns_, device.exposed_communication_ns);
        memory_ns_ = add_saturated(memory_ns_, device.exposed_memory_ns);
      }
    }
  }

  void judge() {
    if (operations_ == 0)
      return add("no-gpu-work", "The trace has no kernels, copies or sets", "trace_health");
    incomplete();
    if (operations_ < min_operations) {
      return add("too-little-data",
                 fmt::format("{} too few to say what limits the run",
                             operations_ == 1 ? std::string("1 operation is")
                                              : fmt::format("{} operations are", operations_)),
                 "devices");
    }
    const size_t first = out_.size();
    idle();
    communication();
    copies();
    far_from_roof();
    if (out_.size() == first) compute();
    std::stable_sort(out_.begin() + static_cast<std::ptrdiff_t>(first), out_.end(),
                     [](const Verdict& a, const Verdict& b) { return a.time_ns > b.time_ns; });
    warm_up();
  }

 private:
  const analyze::Finding* find(analyze::FindingCode code) const {
    const std::string name = analyze::finding(code, {}).code;
    for (const Run* run : runs_) {
      for (const analyze::Finding& one : run->summary.findings) {
        if (one.code == name) return &one;
      }
    }
    return nullptr;
  }

  void add(std::string_view code, std::string text, std::string_view table,
           std::optional<int64_t> time_ns = {}) {
    out_.push_back(
        {code, as_job_ ? nullptr : runs_[0], std::move(text), {}, time_ns, span_ns_, table});
  }

  /// `GPUs`.
  std::string devices() const {
    return std::string(device_word(runs_)) + (devices_ > 1 ? "s" : "");
  }
  std::string devices_are() const { return devices() + (devices_ > 1 ? " are" : " is"); }

  /// Sums are of a part of the run.
  void incomplete() {
    for (const Run* run : runs_) {
      for (const analyze::Finding& one : run->summary.findings) {
        if (one.severity != analyze::Severity::error) continue;
        add("incomplete-trace", fmt::format("The numbers are not of the whole run: {}", one.effect),
            "trace_health");
        out_.back().finding = one.code;
        return;
      }
    }
  }

  void idle() {
    if (!limits(idle_ns_, span_ns_)) return;
    const std::string idle =
        fmt::format("The {} idle for {} of the span", devices_are(), share(idle_ns_, span_ns_));
    const std::string shown = fmt::format("The trace shows the {} idle for {} of the span",
                                          devices(), share(idle_ns_, span_ns_));
    const auto* const lost = find(analyze::FindingCode::launches_without_kernels);
    if (lost != nullptr && lost->count.value_or(0) >= operations_ / 100) {
      add("lost-kernels", fmt::format("{}, but {}", shown, lost->effect), "trace_health", idle_ns_);
      out_.back().finding = lost->code;
      return;
    }
    if (const auto* gap = find(analyze::FindingCode::far_apart)) {
      add("far-apart", fmt::format("{}, but {}", shown, gap->effect), "trace_health", idle_ns_);
      out_.back().finding = gap->code;
      return;
    }
    std::array<int64_t, idle_reasons> by_reason{};
    std::map<std::string_view, int64_t> calls;  // of synchronizing and copying
    const std::string* why_not = nullptr;
    for (const Run* run : runs_) {
      const auto* const causes = run->find<analyze::Idle>();
      if (causes == nullptr) {
        why_not = &run->facts.why_absent<analyze::Idle>();
        continue;
      }
      for (const analyze::DeviceIdle& device : causes->devices) {
        for (const IdleCause cause : analyze::idle_causes) {
          int64_t& sum = by_reason[static_cast<size_t>(reason_of(cause))];
          sum = add_saturated(sum, device.of(cause).total_ns);
        }
        for (const analyze::IdleCall& call : device.calls) {
          if (call.cause != IdleCause::synchronization && call.cause != IdleCause::copy) continue;
          int64_t& sum = calls[call.api];
          sum = add_saturated(sum, call.total_ns);
        }
      }
    }
    if (why_not != nullptr) {
      std::string text = idle + "; why is not known";
      if (!why_not->empty()) text += ": " + *why_not;
      return add("idle", std::move(text), "devices", idle_ns_);
    }
    add_idle(idle, by_reason, calls);
  }

  void add_idle(const std::string& idle, const std::array<int64_t, idle_reasons>& by_reason,
                const std::map<std::string_view, int64_t>& calls) {
    const auto most = std::max_element(by_reason.begin(), by_reason.end());
    const auto reason = static_cast<IdleReason>(most - by_reason.begin());
    std::string part = share(*most, idle_ns_);
    if (part == "100 %") part = *most == idle_ns_ ? "all" : "nearly all";
    std::string_view call;
    int64_t longest = 0;
    for (const auto& [api, ns] : calls) {
      if (ns <= longest || api.empty()) continue;
      longest = ns;
      call = api;
    }
    const std::string in_call = call.empty() ? std::string() : fmt::format(", mostly {}", call);
    switch (reason) {
      case IdleReason::host:
        return add("host-bound",
                   fmt::format("{}; in {} of that the host prepares work or waits for requests",
                               idle, part),
                   "idle", *most);
      case IdleReason::synchronization:
        return add("synchronization-bound",
                   fmt::format("{}; {} of that is after calls that waited for the {}{}", idle, part,
                               device_word(runs_), in_call),
                   "idle_calls", *most);
      case IdleReason::copy:
        return add("copy-bound",
                   fmt::format("{}; {} of that is in calls that copy{}", idle, part, in_call),
                   "idle_calls", *most);
      case IdleReason::launch:
        return add("launch-bound",
                   fmt::format("{}; {} of that is launch latency and gaps between queued "
                               "operations, which grow with the number of kernels",
                               idle, part),
                   "idle", *most);
      case IdleReason::untraced:
        add("untraced-work",
            fmt::format("{}; {} of that waits for work that is not in the trace: it may not "
                        "be idle",
                        idle, part),
            "idle", *most);
        out_.back().finding = analyze::finding(analyze::FindingCode::untraced_work, {}).code;
        return;
      case IdleReason::unknown:
        break;
    }
    add("idle", fmt::format("{}; why is not known for {} of that", idle, part), "idle", *most);
  }

  /// Of a job, or of the devices of one process: whether they wait for each other.
  void communication() {
    if (!limits(communication_ns_, span_ns_)) return;
    std::string text = fmt::format("Communication that no compute hides takes {} of the span",
                                   share(communication_ns_, span_ns_));
    const job::Job* const job = as_job_ || source_.runs.size() == 1 ? source_.job() : nullptr;
    const auto found = job != nullptr ? job::headline_of(*job) : std::nullopt;
    std::string_view code = "communication-bound";
    if (found && found->all.total_ns > 0) {
      if (found->bound) {
        code = *found->bound == job::Bound::transfer ? "transfer-bound" : "waiting-for-ranks";
      }
      add(code, std::move(text), "collective_balance", communication_ns_);
      out_.back().more = collective_headline(source_);
      return;
    }
    if (!as_job_) text += "; the traces of all ranks would show whether it transfers or waits";
    add(code, std::move(text), "devices", communication_ns_);
  }

  void copies() {
    if (!limits(memory_ns_, span_ns_)) return;
    add("memory-copies",
        fmt::format("Copies and sets of memory with nothing beside them take {} of the span",
                    share(memory_ns_, span_ns_)),
        "devices", memory_ns_);
  }

  /// The kernel that pages of ncu show to lose most time against its roofs.
  void far_from_roof() {
    const analyze::NameSum* most = nullptr;
    ncu::RoofTime time;
    for (const Run* run : runs_) {
      const auto* const joined = run->find<ncu::Joined>();
      if (joined == nullptr) continue;
      for (const ncu::RunKernel& kernel : joined->run) {
        if (!kernel.match) continue;
        ncu::RoofTime one;
        for (const ncu::TimeShare& part : kernel.time.shares) {
          one.add(joined->kernels[part.kernel], part.time_ns);
        }
        if (most != nullptr && one.saved_ns() <= time.saved_ns()) continue;
        most = &run->summary.names[kernel.name];
        time = one;
      }
    }
    if (most == nullptr || !limits(time.saved_ns(), span_ns_)) return;
    add("far-from-roof",
        fmt::format("{} takes {} of the span, and is at {} of its roof",
                    text::short_name(most->name), share(time.with_roof_ns, span_ns_),
                    share(time.at_roof_ns, time.with_roof_ns)),
        "optimize_first", time.saved_ns());
  }

  /// Nothing else limits it.
  void compute() {
    std::map<std::string_view, int64_t> labels;
    int64_t busy_ns = 0;
    for (const Run* run : runs_) {
      busy_ns = add_saturated(busy_ns, run->summary.gpu_busy_ns);
      const auto dimension = run->summary.dimension("substage");
      if (!dimension) continue;
      for (const analyze::LabelSum& one : run->summary.dimensions[*dimension].labels) {
        int64_t& sum = labels[one.label];
        sum = add_saturated(sum, one.busy_ns);
      }
    }
    const auto largest =
        std::max_element(labels.begin(), labels.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    int64_t unlabelled_ns = 0;
    for (const std::string_view label : unexplained_labels) {
      if (const auto at = labels.find(label); at != labels.end()) unlabelled_ns += at->second;
    }
    if (unlabelled_ns > busy_ns / 2) {
      return add("unknown-kernels",
                 fmt::format("The {} busy for {} of the span, and the names of what takes {} of "
                             "that do not say what it does",
                             devices_are(), share(span_ns_ - idle_ns_, span_ns_),
                             share(unlabelled_ns, busy_ns)),
                 "kernels", unlabelled_ns);
    }
    std::string text = fmt::format("The {} busy with compute for {} of the span", devices_are(),
                                   share(compute_ns_, span_ns_));
    if (largest != labels.end()) {
      text += fmt::format("; {} takes {} of the busy time", printable(largest->first),
                          share(largest->second, busy_ns));
    }
    add("compute-bound", std::move(text), "labels", compute_ns_);
  }

  void warm_up() {
    const auto* const found = find(analyze::FindingCode::warm_up);
    if (found == nullptr) return;
    std::string text = found->effect;
    text[0] = 'T';
    text += "; --skip-warmup leaves them out";
    add("warm-up", std::move(text), "steps");
  }

  const Source& source_;
  std::vector<const Run*> runs_;
  bool as_job_;
  std::vector<Verdict>& out_;
  int64_t operations_ = 0, span_ns_ = 0, idle_ns_ = 0, compute_ns_ = 0, communication_ns_ = 0,
          memory_ns_ = 0;
  size_t devices_ = 0;
};

void add_verdicts(const Source& source, Rows<Verdict>& rows) {
  for (const Verdict& one : verdicts_of(source)) rows.add(one);
}

std::string doc_of_codes() {
  std::string doc = "What it says.";
  for (const VerdictCode& one : verdict_codes())
    doc += fmt::format(" `{}`: {}.", one.code, one.doc);
  return doc;
}

}  // namespace

bool limits(int64_t part_ns, int64_t spans_ns) noexcept {
  return static_cast<__int128>(part_ns) * 100 >= static_cast<__int128>(spans_ns) * min_percent;
}

const std::vector<VerdictCode>& verdict_codes() {
  static const std::vector<VerdictCode> codes{
      {"no-gpu-work", "there are no operations"},
      {"incomplete-trace", "a part of the run is missing, or counts twice"},
      {"too-little-data", "there are too few operations"},
      {"host-bound", "devices are idle, mostly while the host prepares work or waits for requests"},
      {"synchronization-bound", "devices are idle, mostly after a call that waited for them"},
      {"copy-bound", "devices are idle, mostly in a call that copies"},
      {"launch-bound",
       "devices are idle, mostly for launch latency and the gaps between operations that were "
       "launched in time"},
      {"untraced-work", "devices are idle, mostly for what is not in the trace"},
      {"idle", "devices are idle, and why is not known"},
      {"lost-kernels", "devices are idle, but kernels are missing in the trace"},
      {"far-apart", "devices are idle, but in one gap, or for a record with a wrong time"},
      {"communication-bound",
       "communication with no compute beside it takes long; whether it waits is not known"},
      {"waiting-for-ranks", "most of the time of collectives is waiting for the last member"},
      {"transfer-bound", "most of the time of collectives is transfer"},
      {"memory-copies", "copies and sets with nothing beside them take long"},
      {"far-from-roof", "one kernel that ncu measured would save a tenth of the span at its roof"},
      {"unknown-kernels",
       "nothing of the above is found, but the names of most of the work do not "
       "say what it does"},
      {"compute-bound", "nothing of the above takes a tenth of the span"},
      {"warm-up", "the first steps take longer than those that follow"}};
  return codes;
}

std::vector<Verdict> verdicts_of(const Source& source) {
  std::vector<Verdict> out;
  std::vector<const Run*> all;
  all.reserve(source.runs.size());
  for (const Run& run : source.runs) all.push_back(&run);
  const bool as_job =
      all.size() > 1 && source.run_difference == nullptr && analyze::shown_together(source.ranks());
  if (as_job) {
    Judge(source, std::move(all), true, out).judge();
    return out;
  }
  for (const Run* run : all) Judge(source, {run}, false, out).judge();
  return out;
}

const Definition verdicts_table = TableOf<Verdict>{
    {.id = "verdicts",
     .title = "verdicts",
     .doc = "One row per verdict on a run, or on a job: what limits it, and what makes its numbers "
            "incomplete. The most important are first. A part of less than a tenth of the span of "
            "all devices limits nothing.",
     .columns = {{"run", Unit::text, Role::key, "The run; empty: all runs, which are a job.",
                  [](const Verdict& one) {
                    return one.run != nullptr ? Cell(one.run->summary.id) : Cell();
                  },
                  optional},
                 {"code", Unit::text, Role::key, doc_of_codes(), &Verdict::code},
                 {"time_ns", Unit::ns, Role::measure,
                  "The time that it is about, of all devices; empty: it is about the trace.",
                  &Verdict::time_ns, optional},
                 {"share", Unit::ratio, Role::measure, "Its part of the spans of all devices.",
                  [](const Verdict& one) {
                    return one.time_ns ? Cell(ratio_of(*one.time_ns, one.span_ns)) : Cell();
                  },
                  optional | read_with("time_ns")},
                 {"source_table", Unit::text, Role::measure, "The table with its numbers.",
                  &Verdict::table},
                 {"text", Unit::text, Role::measure, "The same in words.",
                  [](const Verdict& one) {
                    return one.more.empty() ? one.text : one.text + "; " + one.more;
                  }}}},
    needs<analyze::RunSummary, analyze::Findings>,
    add_verdicts,
    nullptr,
    facts::Reads::nothing,
    nullptr,
    nullptr,
    {},
    needs<analyze::Idle, analyze::StepSums, job::RankMembers, ncu::Joined>};

}  // namespace kr::tables
