#include "replay/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kr::replay {
namespace {

using trace::CallKind;
using trace::HostTrace;
using trace::Launch;
using trace::Operation;

int64_t scaled(int64_t ns, double factor) {
  return factor == 1 ? ns : std::llround(static_cast<double>(ns) * factor);
}

}  // namespace

Sweep::Sweep(const Model& model, const Changed& changed, Recorded* recorded)
    : model_(model),
      trace_(model.trace_),
      changed_(changed),
      recorded_(recorded),
      ended_(trace_.tracks.size()),
      overlapped_end_(trace_.tracks.size(), never),
      ended_on_(model.devices_),
      returned_on_(model.devices_, never),
      running_(model.devices_),
      last_of_(trace_.tracks.size(), nothing),
      begun_on_(model.devices_),
      pending_on_(model.devices_) {
  const size_t operations = trace_.operations.size();
  begin_ns_.resize(operations);
  end_ns_.resize(operations);
  if (!changed.overlapped.empty()) seen_end_ns_.resize(operations);
  if (recorded != nullptr) {
    recorded->after.assign(operations, nothing);
    recorded->by_launch.assign(operations, false);
  }
  if (!trace_.host) return;
  const HostTrace& host = *trace_.host;
  launched_ns_.resize(host.launches.size());
  if (recorded != nullptr) recorded->segment_of.assign(host.launches.size(), nothing);
  for (const trace::HostCall& call : host.calls) kinds_.push_back(trace::call_kind_of(call.name));
  threads_.resize(host.threads.size());
  processes_.resize(host.threads.size());
  recorded_waits_ = host.waits ? host.waits.get() : nullptr;
  index_recorded_waits();
}

void Sweep::join(std::span<const CollectivePart> parts, std::span<const PartTime> times) {
  parts_ = parts;
  part_times_ = times;
}

bool Sweep::advance(const Model::Visit& visit) {
  const size_t calls = trace_.host ? trace_.host->launches.size() : 0;
  while (next_operation_ < trace_.operations.size()) {
    const int64_t start_ns = trace_.operations[next_operation_].start_ns;
    const int64_t call_ns =
        next_call_ < calls ? trace_.host->launches[next_call_].start_ns : INT64_MAX;
    const int64_t return_ns = returns_.empty() ? INT64_MAX : returns_.top().end_ns;
    if (return_ns <= start_ns && return_ns <= call_ns) {
      if (is_needed(return_ns)) return false;
      take_return();
    } else if (call_ns <= start_ns) {
      take_call(next_call_++);
    } else {
      if (is_needed(start_ns) || begins_in_transfer(next_operation_)) return false;
      take_operation(next_operation_, visit);
    }
  }
  return unknown_.empty();
}

void Sweep::index_recorded_waits() {
  if (recorded_waits_ == nullptr) return;
  for (const auto& one : recorded_waits_->synchronizations) {
    const std::string& type = recorded_waits_->types[one.type];
    if (type.find("wait_event") == type.npos) waiting_.push_back(one.correlation);
  }
  std::sort(waiting_.begin(), waiting_.end());
}

bool Sweep::waits(const Launch& call) const {
  if (trace::is_synchronization(kinds_[call.call])) return true;
  return call.correlation != Launch::no_correlation &&
         std::binary_search(waiting_.begin(), waiting_.end(), call.correlation);
}

void Sweep::end_until(uint32_t device, int64_t time) {
  auto& running = running_[device];
  while (!running.empty() && running.top().end_ns <= time) {
    const uint32_t i = running.top().operation;
    running.pop();
    const int64_t end_ns = trace_.operations[i].end_ns();
    const int64_t seen_ns = seen_end_ns_.empty() ? end_ns_[i] : seen_end_ns_[i];
    ended_[trace_.operations[i].track.index].add(end_ns, seen_ns, i);
    Done& on = ended_on_[device];
    on.add(end_ns, seen_ns, i);
    returned_on_[device] = std::max(returned_on_[device], end_ns_[i]);
  }
}

int64_t Sweep::now(const Thread& thread, int64_t time) const {
  return thread.replayed_ns + scaled(time - thread.measured_ns, changed_.host);
}

bool Sweep::follows_other_thread(const Thread& thread, const Process& process,
                                 const Launch& call) const {
  const uint32_t other = process.last;
  if (other == nothing || other == call.thread) return false;
  return process.worked - thread.worked >= handover_calls &&
         threads_[other].measured_ns >= thread.measured_ns;
}

bool Sweep::may_wait_in_queue(uint32_t number) const {
  const uint32_t operation = model_.operation_of_[number];
  if (operation == nothing) return false;
  const Launch& call = trace_.host->launches[number];
  const int64_t usual_ns = model_.usual_call_of_[call.call];
  const uint32_t device = model_.device_of_[trace_.operations[operation].track.index];
  const int64_t full = std::max(min_pending, model_.max_pending_[device] * 19 / 20);
  return pending_on_[device] >= full && call.duration_ns > usual_ns + usual_ns / 2;
}

void Sweep::take_call(uint32_t number) {
  const Launch& call = trace_.host->launches[number];
  Thread& thread = threads_[call.thread];
  Process& process = processes_[model_.process_of_[call.thread]];
  const bool copies = kinds_[call.call] == CallKind::copy;
  const uint32_t operation = model_.operation_of_[number];
  const bool waiting = waits(call);
  if (follows_other_thread(thread, process, call)) {
    const Thread& before = threads_[process.last];
    const int64_t from = std::max(thread.replayed_ns, before.replayed_ns);
    thread.replayed_ns = from + scaled(call.start_ns - before.measured_ns, changed_.host);
    if (recorded_ != nullptr) {
      recorded_->segments.push_back({call.start_ns, before.measured_ns,
                                     Recorded::Segment::Kind::other_thread, nothing, nothing,
                                     before.segment});
      thread.segment = static_cast<uint32_t>(recorded_->segments.size() - 1);
    }
  } else if (thread.measured_ns == never) {
    thread.replayed_ns = call.start_ns;  // its first is as measured
  } else {
    thread.replayed_ns = now(thread, call.start_ns);
  }
  thread.measured_ns = call.start_ns;
  launched_ns_[number] = thread.replayed_ns;
  if (recorded_ != nullptr) recorded_->segment_of[number] = thread.segment;
  const bool queue = may_wait_in_queue(number);
  if (operation != nothing || waiting) {
    ++process.worked;
    process.last = call.thread;
  }
  if (operation != nothing && operation >= next_operation_) {
    ++pending_on_[model_.device_of_[trace_.operations[operation].track.index]];
  }
  thread.worked = process.worked;
  if (waiting || queue || (copies && operation != nothing)) {
    returns_.push({call.end_ns(), number, thread.replayed_ns, thread.segment, queue});
  }
}

Done Sweep::waited_for(const Return& one, Recorded::Segment::Kind& kind) {
  const Launch& call = trace_.host->launches[one.call];
  Done done;
  const uint32_t operation = model_.operation_of_[one.call];
  if (waits(call)) {
    for (const uint32_t device : model_.devices_of_[model_.process_of_[call.thread]]) {
      end_until(device, one.end_ns);
      const Done& on = ended_on_[device];
      if (on.known()) done.add(on.measured_ns, returned_on_[device], on.by);
    }
    return done;
  }
  const Operation& launched = trace_.operations[operation];
  // It has begun by now, if it ends by now.
  if (kinds_[call.call] == CallKind::copy && launched.end_ns() <= one.end_ns &&
      launched.start_ns < one.end_ns) {
    done.add(launched.end_ns(), end_ns_[operation], operation);
    return done;
  }
  const Begun& begun = begun_on_[model_.device_of_[launched.track.index]];
  if (!one.queue || begun.measured_ns <= call.start_ns) return done;
  if (one.end_ns - begun.measured_ns > longest_release_ns) return done;
  kind = Recorded::Segment::Kind::queue;
  done.add(begun.measured_ns, begun.replayed_ns, begun.operation);
  return done;
}

void Sweep::take_return() {
  const Return one = returns_.top();
  returns_.pop();
  auto kind = Recorded::Segment::Kind::waited;
  const Done done = waited_for(one, kind);
  // A call inside it has waited: the rest is time of the host.
  const Launch& call = trace_.host->launches[one.call];
  if (threads_[call.thread].returned_ns > call.start_ns || !done.known()) return;
  end_call(one, done, kind);
}

void Sweep::end_call(const Return& one, const Done& done, Recorded::Segment::Kind kind) {
  const Launch& call = trace_.host->launches[one.call];
  Thread& thread = threads_[call.thread];
  const bool waited = done.measured_ns > call.start_ns;
  // A long call that nothing in the trace kept waiting.
  const bool unknown = !waited && call.duration_ns > longest_delay_ns;
  const int64_t from = std::max(call.start_ns, done.measured_ns);
  const bool of_host = !waited && !unknown;
  const double factor = of_host ? changed_.host : 1;
  int64_t begun_ns = one.replayed_ns;
  if (kind == Recorded::Segment::Kind::queue) {
    begun_ns += scaled(model_.usual_call_of_[call.call], changed_.host) - (one.end_ns - from);
  }
  thread.replayed_ns = std::max(begun_ns, done.replayed_ns) + scaled(one.end_ns - from, factor);
  thread.measured_ns = one.end_ns;
  thread.returned_ns = one.end_ns;
  if (recorded_ == nullptr || of_host) return;
  if (unknown) kind = Recorded::Segment::Kind::unknown;
  recorded_->segments.push_back(
      {one.end_ns, from, kind, unknown ? nothing : done.by, one.call, one.segment});
  thread.segment = static_cast<uint32_t>(recorded_->segments.size() - 1);
}

Sweep::Ready Sweep::ready(uint32_t i) {
  const Operation& operation = trace_.operations[i];
  const uint32_t track = operation.track.index;
  const int64_t start_ns = operation.start_ns;
  Ready out;
  Done& done = out.done;
  done = ended_[track];
  for (; next_wait_ < model_.waits_.size() && model_.waits_[next_wait_].operation == i;
       ++next_wait_) {
    const uint32_t on = model_.waits_[next_wait_].on;
    const int64_t seen_ns = seen_end_ns_.empty() ? end_ns_[on] : seen_end_ns_[on];
    done.add(trace_.operations[on].end_ns(), seen_ns, on);
  }
  const uint32_t launch = model_.launch_of(i);
  if (launch == nothing) done.add(ended_on_[model_.device_of_[track]]);
  const bool soon = done.known() && start_ns - done.measured_ns <= 4 * model_.gap_ns_;
  if (done.known()) {
    const int64_t gap_ns = std::min(start_ns - done.measured_ns, model_.gap_ns_);
    done.measured_ns += gap_ns;
    done.replayed_ns += gap_ns;
  }
  if (const uint32_t before = running_before(i); before != nothing) {
    done.add(start_ns, begin_behind(before, start_ns), before);
  }
  if (launch == nothing || launch >= next_call_) return out;
  const Launch& call = trace_.host->launches[launch];
  const int64_t latency_ns = std::min(start_ns - call.start_ns, model_.latency_of(launch));
  // The host was late in the call.
  int64_t late_ns = start_ns - latency_ns - call.start_ns;
  if (soon || call.end_ns() < start_ns - latency_ns) late_ns = 0;
  const int64_t measured_ns = call.start_ns + late_ns + latency_ns;
  out.by_launch = measured_ns >= done.measured_ns;
  done.add(measured_ns, launched_ns_[launch] + scaled(late_ns, changed_.host) + latency_ns,
           out.by_launch ? nothing : done.by);
  return out;
}

uint32_t Sweep::running_before(uint32_t i) const {
  const Operation& operation = trace_.operations[i];
  const uint32_t before = last_of_[operation.track.index];
  const bool runs = before != nothing && trace_.operations[before].end_ns() > operation.start_ns;
  return runs ? before : nothing;
}

int64_t Sweep::duration_of(uint32_t i) const {
  return changed_.duration_ns.empty() ? trace_.operations[i].duration_ns : changed_.duration_ns[i];
}

int64_t Sweep::begin_behind(uint32_t before, int64_t start_ns) const {
  const Operation& operation = trace_.operations[before];
  const int64_t after_ns = start_ns - operation.start_ns;
  if (part_of(before) == nothing) return begin_ns_[before] + in_proportion(after_ns, before);
  // While the collective waits, nothing of it is done.
  if (unknown(before) != nullptr) return begin_ns_[before] + after_ns;
  return end_ns_[before] - in_proportion(operation.end_ns() - start_ns, before);
}

int64_t Sweep::in_proportion(int64_t ns, uint32_t i) const {
  const uint32_t part = part_of(i);
  const int64_t measured_ns =
      part != nothing ? part_times_[part].transfer_ns() : trace_.operations[i].duration_ns;
  if (duration_of(i) == measured_ns || measured_ns == 0) return ns;
  const auto ratio = static_cast<double>(duration_of(i)) / static_cast<double>(measured_ns);
  return std::llround(static_cast<double>(ns) * ratio);
}

void Sweep::take_operation(uint32_t i, const Model::Visit& visit) {
  const Operation& operation = trace_.operations[i];
  const uint32_t track = operation.track.index;
  const uint32_t device = model_.device_of_[track];
  const int64_t start_ns = operation.start_ns;
  end_until(device, start_ns);
  const Ready from = ready(i);
  int64_t begin_ns = start_ns;
  if (from.done.known()) {
    int64_t delay_ns = start_ns - from.done.measured_ns;
    // That of the first operation lies before the run: the run would only begin earlier.
    if (changed_.explained_only && i > 0) delay_ns = std::min(delay_ns, longest_delay_ns);
    begin_ns = from.done.replayed_ns + delay_ns;
  }
  const uint32_t before = running_before(i);
  if (recorded_ != nullptr) {
    recorded_->after[i] = before != nothing ? before : from.done.by;
    recorded_->by_launch[i] = from.by_launch;
  }
  if (!seen_end_ns_.empty()) seen_end_ns_[i] = begin_ns;
  if (is_overlapped(i)) begin_ns = std::max(begin_ns, overlapped_end_[track]);
  begin_ns_[i] = begin_ns;
  running_[device].push({operation.end_ns(), i});
  next_operation_ = i + 1;
  last_of_[track] = i;
  begun_on_[device] = {start_ns, begin_ns, i};
  const uint32_t launch = model_.launch_of(i);
  if (launch != nothing && launch < next_call_ && model_.operation_of_[launch] == i) {
    --pending_on_[device];
  }
  find_end(i, before, visit);
}

void Sweep::find_end(uint32_t i, uint32_t before, const Model::Visit& visit) {
  const Operation& operation = trace_.operations[i];
  if (next_part_ < parts_.size() && parts_[next_part_].operation == i) {
    const uint32_t part = next_part_++;
    begun_parts_.push_back({part, begin_ns_[i]});
    if (parts_[part].waits) return add_unknown({operation.end_ns(), i, part, nothing, 0});
  }
  if (before == nothing || operation.end_ns() <= trace_.operations[before].end_ns()) {
    return set_end(i, begin_ns_[i] + duration_of(i), visit);
  }
  // Until then it waited, as far as one can tell.
  const int64_t rest_ns = operation.end_ns() - trace_.operations[before].end_ns();
  if (unknown(before) != nullptr) {
    return add_unknown({operation.end_ns(), i, nothing, before, rest_ns});
  }
  set_end(i, end_behind(i, before, rest_ns), visit);
}

int64_t Sweep::end_behind(uint32_t i, uint32_t before, int64_t rest_ns) const {
  return std::max(begin_ns_[i], end_ns_[before]) + in_proportion(rest_ns, i);
}

bool Sweep::is_overlapped(uint32_t i) const {
  return !changed_.overlapped.empty() && changed_.overlapped[i];
}

void Sweep::set_end(uint32_t i, int64_t end_ns, const Model::Visit& visit) {
  end_ns_[i] = end_ns;
  if (is_overlapped(i)) {
    overlapped_end_[trace_.operations[i].track.index] = end_ns;
  } else if (!seen_end_ns_.empty()) {
    seen_end_ns_[i] = end_ns;
  }
  visit(i, begin_ns_[i], end_ns);
}

uint32_t Sweep::part_of(uint32_t i) const {
  const auto at = std::lower_bound(
      parts_.begin(), parts_.end(), i,
      [](const CollectivePart& part, uint32_t operation) { return part.operation < operation; });
  const bool found = at != parts_.end() && at->operation == i;
  return found ? static_cast<uint32_t>(at - parts_.begin()) : nothing;
}

const Sweep::Unknown* Sweep::unknown(uint32_t i) const {
  const auto at = std::find_if(unknown_.begin(), unknown_.end(),
                               [i](const Unknown& one) { return one.operation == i; });
  return at != unknown_.end() ? &*at : nullptr;
}

bool Sweep::begins_in_transfer(uint32_t i) const {
  if (unknown_.empty()) return false;
  const uint32_t before = running_before(i);
  const Unknown* const one = before != nothing ? unknown(before) : nullptr;
  if (one == nullptr || one->part == nothing) return false;
  const int64_t after_ns = trace_.operations[i].start_ns - trace_.operations[before].start_ns;
  return after_ns >= part_times_[one->part].to_last_ns;
}

void Sweep::add_unknown(const Unknown& one) {
  unknown_.push_back(one);
  first_unknown_ns_ = std::min(first_unknown_ns_, one.end_ns);
}

void Sweep::end_of_unknown(uint32_t i, int64_t end_ns, const Model::Visit& visit) {
  std::erase_if(unknown_, [i](const Unknown& one) { return one.operation == i; });
  set_end(i, end_ns, visit);
  // At most one operation of a stream follows while another one runs.
  const auto next = std::find_if(unknown_.begin(), unknown_.end(),
                                 [i](const Unknown& one) { return one.before == i; });
  if (next == unknown_.end()) return;
  const Unknown one = *next;
  end_of_unknown(one.operation, end_behind(one.operation, i, one.rest_ns), visit);
}

void Sweep::end_part(uint32_t part, int64_t last_ns, const Model::Visit& visit) {
  const uint32_t i = parts_[part].operation;
  if (unknown(i) == nullptr) return;
  const PartTime& time = part_times_[part];
  // A clock may say that it ended before the last began.
  const int64_t early_ns = time.to_last_ns - time.waiting_ns();
  end_of_unknown(i, std::max(begin_ns_[i], last_ns - early_ns) + duration_of(i), visit);
  first_unknown_ns_ = std::numeric_limits<int64_t>::max();
  for (const Unknown& one : unknown_) first_unknown_ns_ = std::min(first_unknown_ns_, one.end_ns);
}

std::optional<uint32_t> Sweep::first_needed() const {
  const Unknown* first = nullptr;
  for (const Unknown& one : unknown_) {
    if (one.part == nothing) continue;
    if (first == nullptr || one.end_ns < first->end_ns) first = &one;
  }
  return first != nullptr ? std::optional(first->part) : std::nullopt;
}

}  // namespace kr::replay
