// A merged source has the events of several processes in one list. Their pids, threads, devices and
// correlations are distinguished by the member alone, so each member is a trace of its own.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "base/integer.hpp"
#include "trace/rank_place.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class MemberSplit {
 public:
  explicit MemberSplit(TraceBuilder& whole) : whole_(&whole.trace_), builder_(&whole) {
    for (const Track& track : whole_->tracks) add_member(track.member);
    if (whole_->host) {
      for (const HostThread& thread : whole_->host->threads) {
        if (const auto merged = merged_process(thread.process)) add_member(merged->member);
      }
    }
    if (members_.empty()) add_member({});
  }

  bool has_members() const { return members_.size() > 1 || !members_.contains(Key{}); }

  std::vector<Trace> run() {
    parts_.reserve(members_.size());
    for (auto& [key, part] : members_) {
      part = parts_.size();
      parts_.push_back(begin_part(key));
    }
    split_operations();
    if (whole_->host) split_host();
    if (whole_->gpu_metrics) split_metrics();
    if (whole_->memory) split_memory();
    parts_.front().builder.trace_.dropped = std::move(whole_->dropped);
    parts_.front().builder.trace_.warnings = std::move(whole_->warnings);
    std::vector<Trace> traces;
    traces.reserve(parts_.size());
    for (Part& part : parts_) traces.push_back(std::move(part.builder).finish());
    return traces;
  }

 private:
  using Key = std::pair<RankPlace, std::string>;

  struct Part {
    TraceBuilder builder;
    // By number in the whole: that in the part, where it has one.
    std::vector<NameId> names;
    std::vector<TrackId> tracks;
    std::map<uint32_t, uint32_t> details, collective_calls, calls, range_names;
  };

  static Key key_of(std::string_view member) {
    return {place_of_member(member), std::string(member)};
  }
  void add_member(std::string_view member) { members_.try_emplace(key_of(member), 0); }
  /// Null: a process of no member, without operations.
  Part* part_of(std::string_view member) {
    const auto at = members_.find(key_of(member));
    return at != members_.end() ? &parts_[at->second] : nullptr;
  }

  Part begin_part(const Key& key) const {
    const std::string& member = key.second;
    Part part{
        TraceBuilder(whole_->source + (member.empty() ? "" : " (" + member + ")"), whole_->format),
        std::vector<NameId>(whole_->names.size()),
        std::vector<TrackId>(whole_->tracks.size()),
        {},
        {},
        {},
        {}};
    Trace& trace = part.builder.trace_;
    trace.inexact = whole_->inexact;
    trace.lost_streams = whole_->lost_streams;
    trace.clock = whole_->clock;
    trace.model_text = whole_->model_text;
    trace.range_names = whole_->range_names;
    trace.distributed = whole_->distributed;
    // The number that the source contains is that of one of them.
    trace.distributed.rank = only_number(key.first);
    trace.distributed.place = key.first;
    trace.distributed.member = member;
    if (member.starts_with("rank")) {
      trace.distributed.rank = integer_from(member.substr(member.starts_with("rank ") ? 5 : 4));
    }
    part.builder.strict_ = builder_->strict_;
    part.builder.known_streams_ = builder_->known_streams_;
    part.builder.from_zero_ = builder_->from_zero_;
    if (whole_->host) part.builder.host();
    if (whole_->details) part.builder.details();
    if (whole_->collectives) trace.collectives = std::make_unique<Collectives>();
    return part;
  }

  /// The part's number for one of the whole, made by `add` where it is new.
  template <class Add>
  static uint32_t known(std::map<uint32_t, uint32_t>& numbers, uint32_t number, const Add& add) {
    const auto at = numbers.find(number);
    if (at != numbers.end()) return at->second;
    return numbers.emplace(number, add()).first->second;
  }

  void split_operations() {
    KR_CHECK(!whole_->ncu);
    std::vector<Part*> part_of_track;
    part_of_track.reserve(whole_->tracks.size());
    for (const Track& track : whole_->tracks) part_of_track.push_back(part_of(track.member));
    size_t collective = 0;
    for (size_t i = 0; i < whole_->operations.size(); ++i) {
      const Operation& operation = whole_->operations[i];
      Part& part = *part_of_track[operation.track.index];
      add_collectives(part, i, collective);
      add_operation(part, operation);
      if (whole_->host) part.builder.add_correlations(&builder_->correlations_[i], 1);
      if (whole_->details) add_detail(part, i);
    }
  }

  void add_operation(Part& part, const Operation& operation) {
    NameId& name = part.names[operation.name.index];
    if (!name.valid()) {
      const OperationName& known = whole_->names.get(operation.name);
      name = part.builder.name(known.text, known.kind);
    }
    TrackId& track = part.tracks[operation.track.index];
    if (!track.valid()) {
      Track known = whole_->track(operation.track);
      known.member.clear();
      track = part.builder.track(known);
    }
    part.builder.add({operation.start_ns, operation.duration_ns, name, track});
  }

  void add_detail(Part& part, size_t i) {
    const uint32_t number = whole_->details->detail_of[i];
    const uint32_t detail = known(part.details, number, [&] {
      return part.builder.details().distinct.add(whole_->details->distinct[number]);
    });
    part.builder.add_details(&detail, &whole_->details->correlation_of[i], 1);
  }

  /// Before the operation itself is added.
  void add_collectives(Part& part, size_t i, size_t& next) {
    if (!whole_->collectives) return;
    const Collectives& all = *whole_->collectives;
    for (; next < all.operations.size() && all.operations[next].operation == i; ++next) {
      const CollectiveOperation& one = all.operations[next];
      const uint32_t call = known(part.collective_calls, one.call, [&] {
        return part.builder.collective_call(all.calls[one.call]);
      });
      part.builder.collective(part.builder.operations(), call, one.sequence);
    }
  }

  void split_host() {
    const HostTrace& host = *whole_->host;
    KR_CHECK(!host.waits);
    for (Part& part : parts_) part.builder.host().cut_steps = host.cut_steps;
    std::vector<Part*> part_of_thread;
    std::vector<uint32_t> new_thread;
    for (HostThread thread : host.threads) {
      std::string member;
      if (const auto merged = merged_process(thread.process)) {
        member = merged->member;
        thread.process = std::string(merged->process);
      }
      Part* const part = part_of_thread.emplace_back(part_of(member));
      new_thread.push_back(part != nullptr ? part->builder.thread(thread) : 0);
    }
    uint64_t outside = 0;
    for (Launch launch : host.launches) {
      Part* const part = part_of_thread[launch.thread];
      if (part == nullptr) {
        ++outside;
        continue;
      }
      launch.thread = new_thread[launch.thread];
      launch.call = known(part->calls, launch.call,
                          [&] { return part->builder.call(host.calls[launch.call]); });
      part->builder.host().launches.push_back(launch);
    }
    split_creations(part_of_thread, new_thread);
    for (HostRange range : host.ranges) {
      Part* const part = part_of_thread[range.thread];
      if (part == nullptr) {
        ++outside;
        continue;
      }
      range.thread = new_thread[range.thread];
      range.name = known(part->range_names, range.name, [&] {
        return part->builder.range_name(
            host.range_names[range.name],
            host.range_texts.empty() ? RangeText{} : host.range_texts[range.name]);
      });
      part->builder.host().ranges.push_back(range);
    }
    if (host.ops) {
      split_calls(*host.ops, part_of_thread, new_thread, [&](TraceBuilder& part, OpCall call) {
        call.op = part.op(std::to_string(call.op), host.ops->ops[call.op]);
        part.ops().calls.push_back(call);
      });
    }
    if (host.frames) {
      split_calls(*host.frames, part_of_thread, new_thread, [&](TraceBuilder& part, OpCall call) {
        call.op = part.frame(host.frames->ops[call.op].name);
        part.frames().calls.push_back(call);
      });
    }
    if (outside > 0) add_dropped(whole_->dropped, "call or range of no rank", 0, outside);
  }

  /// After the operations, which have their numbers in their parts.
  void split_creations(const std::vector<Part*>& part_of_thread,
                       const std::vector<uint32_t>& new_thread) {
    const HostTrace& host = *whole_->host;
    std::vector<uint32_t> number;
    number.reserve(host.creations.size());
    for (NodeCreation creation : host.creations) {
      Part* const part = part_of_thread[creation.thread];
      if (part == nullptr) {
        number.push_back(HostRange::none);
        continue;
      }
      GrowingArray<NodeCreation>& creations = part->builder.host().creations;
      number.push_back(static_cast<uint32_t>(creations.size()));
      creation.thread = new_thread[creation.thread];
      creations.push_back(creation);
    }
    std::vector<uint32_t> in_part(parts_.size(), 0);
    for (size_t i = 0; i < host.creation_of.size(); ++i) {
      const auto at = members_.at(key_of(whole_->track(whole_->operations[i].track).member));
      const uint32_t operation = in_part[at]++;
      const uint32_t creation = host.creation_of[i];
      if (creation == HostRange::none) continue;
      const Part* const of = part_of_thread[host.creations[creation].thread];
      if (of == &parts_[at]) parts_[at].builder.created(operation, number[creation]);
    }
  }

  /// `add(part, call)` adds one whose thread is that of its part.
  template <class Add>
  static void split_calls(const HostOps& ops, const std::vector<Part*>& part_of_thread,
                          const std::vector<uint32_t>& new_thread, const Add& add) {
    for (OpCall call : ops.calls) {
      Part* const part = part_of_thread[call.thread];
      if (part == nullptr) continue;
      call.thread = new_thread[call.thread];
      add(part->builder, call);
    }
  }

  /// A metric is of the member that it names, or of the only one that has its device.
  void split_metrics() {
    uint64_t outside = 0;
    for (GpuMetric& metric : whole_->gpu_metrics->metrics) {
      std::set<Part*> parts;
      const std::string member = std::exchange(metric.member, {});
      if (!member.empty()) parts.insert(part_of(member));
      for (const Track& track : whole_->tracks) {
        const bool same = member.empty() && metric.device == track.device;
        if (same) parts.insert(part_of(track.member));
      }
      if (parts.size() != 1 || *parts.begin() == nullptr) {
        outside += metric.samples.size();
        continue;
      }
      std::unique_ptr<GpuMetrics>& to = (*parts.begin())->builder.trace_.gpu_metrics;
      if (!to) to = std::make_unique<GpuMetrics>();
      to->metrics.push_back(std::move(metric));
    }
    if (outside > 0) {
      add_dropped(whole_->dropped, "GPU metric sample of no rank, or of several", 0, outside);
    }
  }

  void split_memory() {
    for (MemorySeries& series : whole_->memory->series) {
      Part* const part = part_of(std::exchange(series.member, {}));
      if (part == nullptr) continue;
      std::unique_ptr<Memory>& to = part->builder.trace_.memory;
      if (!to) to = std::make_unique<Memory>(Memory{whole_->memory->threads, {}});
      to->series.push_back(std::move(series));
    }
  }

  Trace* whole_;
  TraceBuilder* builder_;
  std::map<Key, size_t> members_;
  std::vector<Part> parts_;
};

std::vector<Trace> TraceBuilder::finish_members() && {
  std::vector<Trace> traces;
  MemberSplit split(*this);
  if (split.has_members()) return split.run();
  traces.push_back(std::move(*this).finish());
  return traces;
}

}  // namespace kr::trace
