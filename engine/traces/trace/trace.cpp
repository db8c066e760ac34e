#include "trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/error.hpp"
#include "trace/readers/messages.hpp"
#include "trace/sort_in_place.hpp"
#include "trace/time_faults.hpp"

namespace kr::trace {
namespace {

// By start, the longer first, then by name, kind, device and stream: what is left equal is the same
// in every respect, so the order of rows in a file never shows.
// With a host trace or details, `track` is the operation's number among those read, and its track
// and correlation are found by it.
class Before {
 public:
  explicit Before(const Trace& trace) : trace_(&trace) {}
  /// Of the correlations at most one is there: those of the host trace, or those of the details.
  Before(const Trace& trace, const uint32_t* tracks, const int64_t* correlations,
         const uint32_t* detail_correlations)
      : trace_(&trace),
        tracks_(tracks),
        correlations_(correlations),
        detail_correlations_(detail_correlations) {}

  bool operator()(const Operation& a, const Operation& b) const {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
    return named_before(a, b);
  }

 private:
  bool named_before(const Operation& a, const Operation& b) const {
    if (a.name != b.name) {
      const OperationName& left = trace_->names.get(a.name);
      const OperationName& right = trace_->names.get(b.name);
      const int order = left.text.compare(right.text);
      return order != 0 ? order < 0 : left.kind < right.kind;
    }
    if (a.track == b.track) return false;
    const Track& left = track(a);
    const Track& right = track(b);
    if (left.device != right.device) return left.device < right.device;
    if (left.stream != right.stream || tracks_ == nullptr) return left.stream < right.stream;
    if (correlations_ != nullptr) {
      return correlations_[a.track.index] < correlations_[b.track.index];
    }
    if (detail_correlations_ == nullptr) return a.track.index < b.track.index;
    return detail_correlations_[a.track.index] < detail_correlations_[b.track.index];
  }
  const Track& track(const Operation& operation) const {
    if (tracks_ == nullptr) return trace_->track(operation.track);
    return trace_->track(TrackId{tracks_[operation.track.index]});
  }
  const Trace* trace_;
  const uint32_t* tracks_ = nullptr;
  const int64_t* correlations_ = nullptr;
  const uint32_t* detail_correlations_ = nullptr;
};

/// Whether operations are surely in the order of Before, by their times alone.
bool in_order_of_time(const GrowingArray<Operation>& operations) {
  for (size_t i = 1; i < operations.size(); ++i) {
    const Operation& a = operations[i - 1];
    const Operation& b = operations[i];
    if (b.start_ns < a.start_ns) return false;
    if (b.start_ns == a.start_ns && b.duration_ns >= a.duration_ns) return false;
  }
  return true;
}

// First start, last end, and that everything later sums stays within 64 bits.
void measure(Trace& trace) {
  if (trace.operations.empty()) return;
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  const auto too_long = [&](const char* what) {
    throw Error(trace.source, std::string(what) + " do not fit in 64 bits of nanoseconds");
  };
  int64_t total = 0;
  int64_t last_end = std::numeric_limits<int64_t>::min();
  for (const Operation& operation : trace.operations) {
    if (operation.duration_ns < 0) throw Error(trace.source, "an operation ends before it starts");
    if (operation.start_ns > most - operation.duration_ns) too_long("times");
    if (operation.duration_ns > most - total) too_long("all durations together");
    total += operation.duration_ns;
    last_end = std::max(last_end, operation.end_ns());
  }
  trace.first_start_ns = trace.operations[0].start_ns;
  trace.last_end_ns = last_end;
  if (trace.first_start_ns < 0 && last_end > most + trace.first_start_ns) too_long("times");
}

}  // namespace

NameId NameTable::add(std::string_view text, OperationKind kind) {
  const uint32_t number = texts_.add(text);
  if (number == ids_.size()) ids_.emplace_back();
  NameId& id = ids_[number][static_cast<size_t>(kind)];
  if (!id.valid()) id = names_.add({texts_.text(number), kind});
  return id;
}

/// The number as which each operation was read, by its place in the trace.
class TraceBuilder::NumberRead {
 public:
  /// `as_read`: they are in the order in which they were read. Else their track is the number.
  NumberRead(const GrowingArray<Operation>& operations, bool as_read)
      : operations_(operations), as_read_(as_read) {}
  uint32_t operator[](size_t place) const noexcept {
    return as_read_ ? static_cast<uint32_t>(place) : operations_[place].track.index;
  }
  size_t size() const noexcept { return operations_.size(); }
  bool as_read() const noexcept { return as_read_; }
  /// Values by number as values by place.
  void put_in_order(GrowingArray<uint32_t>& values) const {
    if (as_read_) return;
    GrowingArray<uint32_t> ordered;
    uint32_t* to = ordered.extend(size());
    for (size_t i = 0; i < size(); ++i) *to++ = values[(*this)[i]];
    values = std::move(ordered);
  }

 private:
  const GrowingArray<Operation>& operations_;
  bool as_read_;
};

TraceBuilder::TraceBuilder(std::string source, std::string format) {
  trace_.source = std::move(source);
  trace_.format = std::move(format);
}

TrackId TraceBuilder::track(const Track& track) {
  const TrackId next{static_cast<uint32_t>(trace_.tracks.size())};
  const auto [known, added] = tracks_.try_emplace(track, next);
  if (added) trace_.tracks.push_back(track);
  return known->second;
}

void TraceBuilder::add_dropped(std::string_view what, uint64_t offset, uint64_t count) {
  trace::add_dropped(trace_.dropped, what, offset, count);
}

void add_dropped(std::vector<DroppedRecords>& dropped, std::string_view what, uint64_t offset,
                 uint64_t count) {
  for (DroppedRecords& known : dropped) {
    if (known.what == what) {
      known.count += count;
      known.first_offset = std::min(known.first_offset, offset);
      return;
    }
  }
  dropped.push_back({std::string(what), count, offset});
}

HostTrace& TraceBuilder::host() {
  if (!trace_.host) trace_.host = std::make_unique<HostTrace>();
  return *trace_.host;
}

uint32_t TraceBuilder::call(const HostCall& call) {
  std::vector<HostCall>& calls = host().calls;
  const auto [known, added] = calls_.try_emplace(call, static_cast<uint32_t>(calls.size()));
  if (added) calls.push_back(call);
  return known->second;
}

uint32_t TraceBuilder::thread(const HostThread& thread) {
  std::vector<HostThread>& threads = host().threads;
  const auto [known, added] = threads_.try_emplace(thread, static_cast<uint32_t>(threads.size()));
  if (added) threads.push_back(thread);
  return known->second;
}

HostOps& TraceBuilder::ops() {
  if (!host().ops) host().ops = std::make_unique<HostOps>();
  return *host().ops;
}

uint32_t TraceBuilder::op(std::string_view key, const HostOp& op) {
  const size_t known = op_keys_.size();
  const uint32_t number = op_keys_.add(key);
  if (number == known) ops().ops.push_back(op);
  return number;
}

HostOps& TraceBuilder::frames() {
  if (!host().frames) host().frames = std::make_unique<HostOps>();
  return *host().frames;
}

uint32_t TraceBuilder::frame(std::string_view name) {
  const size_t known = frame_names_.size();
  const uint32_t number = frame_names_.add(name);
  if (number == known) frames().ops.push_back({std::string(name), {}});
  return number;
}

uint32_t TraceBuilder::range_name(std::string_view name, const RangeText& text) {
  const size_t known = range_names_.size();
  const uint32_t number = range_names_.add(name, text);
  if (number != known) return number;
  if (!trace_.host) {
    trace_.range_names.emplace_back(name);
    return number;
  }
  HostTrace& host = *trace_.host;
  host.range_names.emplace_back(name);
  const bool plain = text.text.empty() && text.domain.empty();
  if (plain && host.range_texts.empty()) return number;
  host.range_texts.resize(number);
  host.range_texts.push_back(text);
  return number;
}

void TraceBuilder::created(size_t operation, uint32_t creation) {
  GrowingArray<uint32_t>& of = host().creation_of;
  const size_t before = of.size();
  const size_t wanted = std::max(operation + 1, before);
  uint32_t* const added = of.extend(wanted - before);
  std::fill_n(added, wanted - before, HostRange::none);
  of[operation] = creation;
}

void TraceBuilder::add_correlations(const int64_t* values, size_t count) {
  std::copy_n(values, count, correlations_.extend(count));
}

OperationDetails& TraceBuilder::details() {
  if (!trace_.details) trace_.details = std::make_unique<OperationDetails>();
  return *trace_.details;
}

void TraceBuilder::add_details(const uint32_t* details, const uint32_t* correlations,
                               size_t count) {
  std::copy_n(details, count, trace_.details->detail_of.extend(count));
  std::copy_n(correlations, count, trace_.details->correlation_of.extend(count));
}

uint32_t TraceBuilder::collective_call(const CollectiveCall& call) {
  if (!trace_.collectives) trace_.collectives = std::make_unique<Collectives>();
  std::vector<CollectiveCall>& calls = trace_.collectives->calls;
  const auto [known, added] =
      collective_calls_.try_emplace(call, static_cast<uint32_t>(calls.size()));
  if (added) calls.push_back(call);
  return known->second;
}

void TraceBuilder::collective(uint64_t operation, uint32_t call, int64_t sequence) {
  trace_.collectives->operations.push_back({sequence, static_cast<uint32_t>(operation), call});
}

/// As `link`: from numbers to places.
void TraceBuilder::place_collectives(const NumberRead& numbers) {
  std::vector<CollectiveOperation>& known = trace_.collectives->operations;
  if (numbers.as_read()) return;
  std::vector<CollectiveOperation> placed;
  placed.reserve(known.size());
  const auto before = [](const CollectiveOperation& one, uint32_t number) {
    return one.operation < number;
  };
  for (uint32_t place = 0; place < numbers.size() && placed.size() < known.size(); ++place) {
    const auto at = std::lower_bound(known.begin(), known.end(), numbers[place], before);
    if (at == known.end() || at->operation != numbers[place]) continue;
    placed.push_back({at->sequence, place, at->call});
  }
  known = std::move(placed);
}

void TraceBuilder::check_numbered() const {
  const size_t operations = trace_.operations.size();
  const HostTrace* const host = trace_.host.get();
  KR_CHECK(host == nullptr || correlations_.size() == operations);
  KR_CHECK(!trace_.details || (trace_.details->detail_of.size() == operations &&
                               trace_.details->correlation_of.size() == operations));
  if (operations >= HostRange::none ||
      (host != nullptr &&
       (host->launches.size() >= HostRange::none || host->ranges.size() >= HostRange::none))) {
    throw Error(trace_.source, "contains more than 4 billion operations, calls or ranges");
  }
}

void TraceBuilder::link(const NumberRead& numbers) {
  HostTrace& host = *trace_.host;
  uint32_t* launch = host.launch_of.extend(numbers.size());
  const GrowingArray<uint32_t> creation_of = std::exchange(host.creation_of, {});
  uint32_t* creation = host.creation_of.extend(creation_of.empty() ? 0 : numbers.size());
  size_t near = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint32_t number = numbers[i];
    const int64_t correlation = correlations_[number];
    *launch = host.find_launch(correlation, near);
    if (*launch++ == HostRange::none) ++host.orphans;
    if (correlation == Launch::no_correlation) ++host.uncorrelated;
    if (!creation_of.empty()) {
      *creation++ = number < creation_of.size() ? creation_of[number] : HostRange::none;
    }
  }
}

// Operations that have to be sorted take their number along, in place of their track.
void TraceBuilder::sort_numbered() {
  check_numbered();
  GrowingArray<Operation>& operations = trace_.operations;
  HostTrace* const host = trace_.host.get();
  OperationDetails* const details = trace_.details.get();
  if (host != nullptr) host->order();
  bool as_read = in_order_of_time(operations);
  std::vector<FaultyOperation> faulty;
  if (as_read) faulty = find_faulty(nullptr);
  as_read = as_read && faulty.empty();
  const NumberRead numbers(operations, as_read);
  GrowingArray<uint32_t> tracks;
  if (!numbers.as_read()) {
    uint32_t* track = tracks.extend(operations.size());
    for (uint32_t i = 0; i < operations.size(); ++i) {
      track[i] = operations[i].track.index;
      operations[i].track.index = i;
    }
    const Before before(trace_, track, host != nullptr ? correlations_.begin() : nullptr,
                        details != nullptr ? details->correlation_of.begin() : nullptr);
    sort_in_place(operations.begin(), operations.end(), before);
    faulty = find_faulty(track);
    if (!faulty.empty()) {
      leave_out_of_time(faulty, track);
      sort_in_place(operations.begin(), operations.end(), before);
      place_untimed();
    }
  }
  if (details != nullptr) {
    numbers.put_in_order(details->detail_of);
    numbers.put_in_order(details->correlation_of);
  }
  if (host != nullptr) link(numbers);
  if (trace_.collectives) place_collectives(numbers);
  if (!numbers.as_read()) {
    for (Operation& operation : operations) operation.track.index = tracks[operation.track.index];
  }
  correlations_ = {};
  if (host != nullptr) host->linked();
}

std::vector<FaultyOperation> TraceBuilder::find_faulty(const uint32_t* tracks) {
  return find_time_faults({trace_.operations, tracks, trace_.tracks.size(), trace_.names.size()},
                          known_streams_, from_zero_);
}

/// Notes their numbers in `untimed`.
void TraceBuilder::leave_out_of_time(const std::vector<FaultyOperation>& faulty,
                                     const uint32_t* tracks) {
  if (strict_) refuse(faulty.front(), tracks);
  note_untimed(faulty, tracks);
  size_t near = 0;
  const auto launch_time = [&](uint32_t place) -> std::optional<int64_t> {
    if (!trace_.host) return std::nullopt;
    const uint32_t number = trace_.operations[place].track.index;
    const uint32_t launch = trace_.host->find_launch(correlations_[number], near);
    if (launch == HostRange::none) return std::nullopt;
    return trace_.host->launches[launch].start_ns;
  };
  trace::leave_out_of_time({trace_.operations, tracks, trace_.tracks.size(), trace_.names.size()},
                           faulty, launch_time);
  for (const FaultyOperation& one : faulty) {
    trace_.untimed.push_back(trace_.operations[one.place].track.index);
  }
}

/// From numbers to places.
void TraceBuilder::place_untimed() {
  std::vector<uint32_t> numbers = std::exchange(trace_.untimed, {});
  std::sort(numbers.begin(), numbers.end());
  for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
    const uint32_t number = trace_.operations[i].track.index;
    if (std::binary_search(numbers.begin(), numbers.end(), number)) trace_.untimed.push_back(i);
  }
}

void TraceBuilder::refuse(const FaultyOperation& faulty, const uint32_t* tracks) const {
  throw Error(
      trace_.source,
      fmt::format("the time of {} cannot be right: {}",
                  shown(trace_.operations[faulty.place], tracks), describe_time_faults({faulty})),
      "leave out --strict to read it without a time");
}

void TraceBuilder::note_untimed(const std::vector<FaultyOperation>& faulty,
                                const uint32_t* tracks) {
  trace_.untimed_why = describe_time_faults(faulty);
  warn("implausible-times",
       fmt::format("{} of {} operations have a time that cannot be right and count as instances "
                   "without time: {}. The first is {}.",
                   faulty.size(), trace_.operations.size(), trace_.untimed_why,
                   shown(trace_.operations[faulty.front().place], tracks)));
}

/// `kernel `gemm` on device 0, stream 7, with the start 1200 ns`
std::string TraceBuilder::shown(const Operation& operation, const uint32_t* tracks) const {
  const OperationName& name = trace_.names.get(operation.name);
  const Track& track = trace_.tracks[tracks[operation.track.index]];
  const bool has_start = !fault_of_start(operation.start_ns);
  return fmt::format("{} `{}` on device {}, stream {}{}", to_string(name.kind),
                     shown_text(name.text), track.device, track.stream,
                     has_start ? fmt::format(", with the start {} ns", operation.start_ns) : "");
}

Trace TraceBuilder::finish() && {
  bool numbered = trace_.host || trace_.details || trace_.collectives;
  if (!numbered) {
    sort_in_place(trace_.operations.begin(), trace_.operations.end(), Before(trace_));
    // Where each goes is known by its number.
    numbered = !find_faulty(nullptr).empty();
  }
  if (numbered) sort_numbered();
  measure(trace_);
  return std::move(trace_);
}

}  // namespace kr::trace
