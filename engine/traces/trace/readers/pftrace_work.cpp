#include "trace/readers/pftrace_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.hpp"
#include "base/integer.hpp"
#include "trace/rank_place.hpp"

namespace kr::trace {

PftraceWork::PftraceWork(const OpenOptions& options, TraceBuilder& out, const PftraceTracks& tracks)
    : options_(options), out_(out), tracks_(tracks) {
  if (all_of_host()) out.host();
  if (options.operation_details) out.details();
}

uint32_t PftraceWork::process(int64_t pid) {
  const auto [at, added] =
      process_numbers_.try_emplace(pid, static_cast<uint32_t>(processes_.size()));
  if (added) processes_.push_back({.pid = pid});
  return at->second;
}

uint32_t PftraceWork::process_of(PftraceSequence& sequence) {
  if (sequence.epoch == none) {
    sequence.epoch = static_cast<uint32_t>(processes_.size());
    processes_.emplace_back();
  }
  return sequence.epoch;
}

void PftraceWork::host_slice(PftraceSequence& sequence, uint32_t track) {
  Process& process = processes_[process_of(sequence)];
  if (process.last == track) return;
  process.last = track;
  if (process.track == none) {
    process.track = track;
    return;
  }
  // Traces of several processes, one after the other.
  const auto now = tracks_.process(track);
  const auto before = tracks_.process(process.track);
  if (!now || !before || now == before) return;
  sequence.epoch = static_cast<uint32_t>(processes_.size());
  processes_.push_back({.pid = {}, .track = track, .last = track});
}

NameId PftraceWork::name(const DistinctTexts& texts, uint32_t text, OperationKind kind) {
  if (text >= names_.size()) names_.resize(texts.size());
  NameId& known = names_[text][static_cast<size_t>(kind)];
  if (known.valid()) return known;
  // A kernel of ROCm is named by its descriptor.
  std::string_view name = texts.text(text);
  for (const std::string_view end : {" [clone .kd]", ".kd"}) {
    if (name.size() > end.size() && name.ends_with(end)) name.remove_suffix(end.size());
  }
  // Some profilers of ROCm call copies and fills kernels.
  known = out_.name(name, kind == OperationKind::kernel ? operation_kind_of(name) : kind);
  return known;
}

uint32_t PftraceWork::track(int32_t device, int64_t stream, uint32_t process) {
  const OwnTrack own{device, stream, process};
  if (last_own_ != none && own_[last_own_] == own) return last_own_;
  const auto [at, added] = own_numbers_.try_emplace(own, static_cast<uint32_t>(own_.size()));
  if (added) own_.push_back(own);
  last_own_ = at->second;
  return last_own_;
}

void PftraceWork::take_notes(const PftraceNotes& notes, const PftraceSequence& sequence,
                             OperationDetail& detail, Work& work) {
  if (options_.operation_details) {
    notes.take_shape(detail);
    work.detail = out_.details().distinct.add(detail);
  }
  if (options_.collectives && notes.is_collective()) {
    work.collective = out_.collective_call(notes.collective_call());
    work.sequence = notes.collective_sequence().value_or(CollectiveOperation::no_sequence);
  }
  if (all_of_host()) work.place = place_of(notes, sequence);
}

/// What is said of nodes of graphs, and Proton's call stack of each kernel.
uint32_t PftraceWork::place_of(const PftraceNotes& notes, const PftraceSequence& sequence) {
  using Kind = HostRange::Kind;
  const std::vector<std::string_view>& stack = notes.call_stack();
  if (stack.empty() && notes.others().empty() && !notes.has(NoteKey::module_path) &&
      !notes.has(NoteKey::annotations)) {
    return none;
  }
  std::vector<std::pair<Kind, std::string>> levels;
  if (!stack.empty()) {
    // ROOT is around all, the kernel itself comes last. Where it was captured follows what replays
    // it.
    const auto captured = std::ranges::find(stack, "<captured_at>");
    const bool in_graph = captured != stack.end();
    for (auto level = stack.begin() + 1; level < stack.end() - 1; ++level) {
      if (level == captured) continue;
      levels.emplace_back(in_graph && level < captured ? Kind::annotation : Kind::module, *level);
    }
  } else if (notes.has(NoteKey::module_path) || notes.has(NoteKey::annotations)) {
    for (const std::string_view text : notes.list(NoteKey::module_path, sequence)) {
      levels.emplace_back(Kind::module, text);
    }
    for (const std::string_view text : notes.list(NoteKey::annotations, sequence)) {
      levels.emplace_back(Kind::annotation, text);
    }
  } else if (notes.number(NoteKey::graph_node).value_or(0) > 0) {
    std::string fqn;
    for (const auto& [key, value] : notes.others()) {
      if (key == "module_fqn") fqn = value.written();
    }
    for (const std::string_view module : OperationPlaces::modules_of(fqn)) {
      levels.emplace_back(Kind::module, module);
    }
    for (const auto& [key, value] : notes.others()) {
      if (key == "module_fqn") continue;
      levels.emplace_back(Kind::annotation, key == "name"
                                                ? value.written()
                                                : fmt::format("{}={}", key, value.written()));
    }
  }
  if (levels.empty()) return none;
  std::string key;
  for (const auto& [kind, text] : levels) {
    key += kind == Kind::module ? 'm' : 'a';
    key.append(text).append(1, '\0');
  }
  const auto [at, added] =
      place_numbers_.try_emplace(std::move(key), static_cast<uint32_t>(places_.size()));
  if (added) places_.push_back({std::move(levels)});
  return at->second;
}

void PftraceWork::add(const Work& work) {
  const size_t number = out_.operations();
  out_.add({work.start_ns, work.duration_ns, work.name, TrackId{work.track}});
  if (all_of_host()) {
    correlations_.push_back(work.correlation);
    if (work.event) events_.push_back({number, *work.event});
    if (work.place != none) place_of_operation_.emplace_back(number, work.place);
  }
  if (options_.operation_details) {
    const bool known = work.correlation != Launch::no_correlation;
    const uint32_t correlation =
        OperationDetails::correlation(known ? std::optional(work.correlation) : std::nullopt);
    out_.add_details(&work.detail, &correlation, 1);
  }
  if (work.collective != none) out_.collective(number, work.collective, work.sequence);
}

int64_t PftraceWork::submitted(uint32_t track, std::span<const uint64_t> events) {
  const int64_t correlation = next_submission_++;
  for (const uint64_t event : events) submissions_.push_back({event, track, correlation});
  return correlation;
}

void PftraceWork::sample(int64_t gpu, std::string_view name, bool looks_ahead,
                         const MetricSample& sample) {
  auto at = metrics_.find(std::pair(gpu, std::string(name)));
  if (at == metrics_.end()) {
    Metric one;
    one.metric.gpu = static_cast<int32_t>(gpu);
    one.metric.device = one.metric.gpu;
    one.metric.name = name;
    one.looks_ahead = looks_ahead;
    at = metrics_.emplace(std::pair(gpu, std::string(name)), std::move(one)).first;
  }
  at->second.metric.samples.push_back(sample);
}

void PftraceWork::finish() {
  find_members();
  finish_links();
  finish_tracks();
  if (all_of_host()) {
    finish_threads();
    finish_places();
  }
  finish_metrics();
}

std::optional<int64_t> PftraceWork::pid_of(const Process& process) const {
  if (process.pid) return process.pid;
  return process.track != none ? tracks_.process(process.track) : std::nullopt;
}

/// A file with the work of several processes is a merged trace: none of their numbers may mix.
void PftraceWork::find_members() {
  for (const Process& process : processes_) pids_.push_back(pid_of(process));
  std::set<int64_t> pids;
  for (const OwnTrack& own : own_) {
    if (pids_[own.process]) pids.insert(*pids_[own.process]);
  }
  if (pids.size() < 2) return;
  std::set<std::string> ranks;
  for (const int64_t pid : pids) {
    const std::string name = lowered(tracks_.process_name(pid));
    const auto rank =
        name.starts_with("rank ") ? integer_from(std::string_view(name).substr(5)) : std::nullopt;
    if (rank && *rank >= 0) ranks.insert(members_[pid] = fmt::format("rank {}", *rank));
  }
  if (ranks.size() == pids.size()) return;
  for (const int64_t pid : pids) members_[pid] = fmt::format("process {}", pid);
}

std::string PftraceWork::member_of(const std::optional<int64_t>& pid) const {
  if (!pid) return {};
  const auto at = members_.find(*pid);
  return at != members_.end() ? at->second : "";
}

void PftraceWork::finish_tracks() {
  std::vector<TrackId> ids;
  ids.reserve(own_.size());
  for (const OwnTrack& own : own_) {
    ids.push_back(out_.track({own.device, own.stream, {}, member_of(pids_[own.process])}));
  }
  for (Operation& operation : out_.added()) operation.track = ids[operation.track.index];
}

/// Before the tracks get their numbers.
void PftraceWork::finish_links() {
  if (!all_of_host()) return;
  std::map<std::pair<std::optional<int64_t>, uint64_t>, int64_t> of_event;
  for (const Submission& one : submissions_) {
    of_event.try_emplace({tracks_.process(one.track), one.event}, one.correlation);
  }
  for (const EventOf& one : events_) {
    const uint32_t track = out_.added()[one.operation].track.index;
    auto at = of_event.find({pids_[own_[track].process], one.event});
    if (at == of_event.end()) at = of_event.find({std::nullopt, one.event});
    if (at != of_event.end()) correlations_[one.operation] = at->second;
  }
  out_.add_correlations(correlations_.begin(), correlations_.size());
}

void PftraceWork::finish_threads() {
  HostTrace& host = out_.host();
  std::vector<uint32_t> threads(tracks_.size(), none);
  const auto place = [&](uint32_t& track) {
    uint32_t& known = threads[track];
    if (known == none) {
      const std::string member = member_of(tracks_.process(track));
      const std::string process = tracks_.process_text(track);
      const bool whole = tracks_.name(track) == "(whole process)";  // as kr writes it
      known = out_.thread({member.empty() ? process : fmt::format("[{}] {}", member, process),
                           whole ? std::string() : tracks_.thread_text(track), whole});
    }
    track = known;
  };
  for (Launch& launch : host.launches) place(launch.thread);
  for (HostRange& range : host.ranges) place(range.thread);
  if (host.ops) {
    for (OpCall& call : host.ops->calls) place(call.thread);
  }
  if (host.frames) {
    for (OpCall& call : host.frames->calls) place(call.thread);
  }
}

void PftraceWork::finish_places() {
  std::map<std::string, std::pair<OperationPlaces, std::map<uint32_t, uint32_t>>> of_member;
  std::vector<OperationPlaces::Level> levels;
  for (const auto& [operation, place] : place_of_operation_) {
    const std::string& member = out_.tracks()[out_.added()[operation].track.index].member;
    const std::string process = member.empty() ? "places" : fmt::format("[{}] places", member);
    auto& [places, known] =
        of_member
            .try_emplace(process, OperationPlaces(out_, process), std::map<uint32_t, uint32_t>())
            .first->second;
    const auto [at, added] = known.try_emplace(place, 0);
    if (added) {
      levels.clear();
      for (const auto& [kind, text] : places_[place].levels) levels.push_back({kind, text});
      at->second = places.add(levels);
    }
    out_.created(operation, at->second);
  }
  for (auto& [process, places] : of_member) places.first.finish();
}

void PftraceWork::finish_metrics() {
  if (metrics_.empty()) return;
  GpuMetrics all;
  for (auto& [key, one] : metrics_) {
    GrowingArray<MetricSample>& samples = one.metric.samples;
    // A value that looks back holds from the sample before on. Of the first, that time is as far
    // away as the second is.
    if (!one.looks_ahead && samples.size() > 1) {
      std::ranges::stable_sort(samples, {}, &MetricSample::time_ns);
      const int64_t distance = samples[1].time_ns - samples[0].time_ns;
      int64_t before = std::max(int64_t{0}, samples[0].time_ns - distance);
      for (MetricSample& sample : samples) before = std::exchange(sample.time_ns, before);
    }
    const MetricCleaning cleaning = finish_metric(one.metric);
    if (cleaning.duplicates > 0) {
      out_.add_dropped("GPU metric sample with the time of another: the first is used",
                       cleaning.duplicate_number, cleaning.duplicates);
    }
    if (cleaning.over_full > 0) {
      out_.add_dropped("GPU metric value over 100 %: read as 100 %", 0, cleaning.over_full);
    }
    all.metrics.push_back(std::move(one.metric));
  }
  out_.gpu_metrics(std::move(all));
}

}  // namespace kr::trace
