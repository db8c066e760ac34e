#include "trace/readers/xplane_planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/hash.hpp"
#include "base/integer.hpp"
#include "base/operation_kind.hpp"
#include "trace/call_kinds.hpp"
#include "trace/readers/xla_core.hpp"
#include "trace/readers/xla_details.hpp"
#include "trace/readers/xla_path.hpp"
#include "trace/readers/xplane_tables.hpp"

namespace kr::trace {
namespace {

struct XLine {
  int64_t id = 0;
  std::string_view name;
  int64_t timestamp_ns = 0;
  std::string_view message;
  uint64_t events = 0;
};

struct XPlane {
  std::string_view name;
  std::vector<std::string_view> lines, events, stat_names, stats;
};

struct XEvent {
  int64_t metadata = 0;
  int64_t offset_ps = 0;
  bool aggregated = false;
  int64_t duration_ps = 0;
  XStats stats;
};

constexpr int64_t max_ns = std::numeric_limits<int64_t>::max();
/// Of an op of a TPU: 26 days.
constexpr int64_t max_core_ps = int64_t{1} << 61;

/// Half a nanosecond rounds up.
constexpr int64_t rounded_ns(int64_t ps) {
  const int64_t down = ps / 1000 - (ps % 1000 < 0 ? 1 : 0);
  return down + (ps - down * 1000 >= 500 ? 1 : 0);
}

/// `/device:GPU:3` behind `/device:GPU:`.
std::optional<int32_t> device_of(std::string_view plane, std::string_view head) {
  if (!plane.starts_with(head)) return std::nullopt;
  plane.remove_prefix(head.size());
  if (plane.empty() || !std::ranges::all_of(plane, [](char c) { return is_digit(c); })) {
    return std::nullopt;
  }
  return integer_from<int32_t>(plane);
}

}  // namespace

class XPlanes::Impl {
 public:
  Impl(const OpenOptions& options, TraceBuilder& out)
      : out_(&out), host_(options.host), details_(options.operation_details) {
    if (host_ == HostDetail::all) {
      out.host();
      places_.emplace(out, "XLA");
    }
    if (details_) out.details();
    out.times_from_zero();
  }

  void read(std::string_view message, uint64_t offset) {
    bytes_ = message;
    offset_ = offset;
    read_plane(message);
  }

  void finish() {
    if (places_) places_->finish();
    set_clock();
    if (tpus_) {
      out_->lost_streams("a TPU has no streams: the operations of a core run one after the other");
    }
    if (out_->operations() == 0) {
      out_->warn("no-gpu-work",
                 "The profile contains no work of a device: no plane `/device:GPU:N` has a line "
                 "`Stream #N` with events, and no plane `/device:TPU:N` a line `XLA Ops`.");
    }
  }

 private:
  void read_plane(std::string_view message) {
    constexpr const char* what = "XPlane";
    XPlane plane;
    each_field(message, what, [&](const WireField& field) {
      if (field.number < 2 || field.number > 6) return;
      const std::string_view bytes = bytes_of(field, message, what);
      switch (field.number) {
        case 2:
          plane.name = bytes;
          break;
        case 3:
          plane.lines.push_back(bytes);
          break;
        case 4:
          plane.events.push_back(bytes);
          break;
        case 5:
          plane.stat_names.push_back(bytes);
          break;
        default:
          plane.stats.push_back(bytes);
          break;
      }
    });
    const auto gpu = device_of(plane.name, "/device:GPU:");
    const auto tpu = device_of(plane.name, "/device:TPU:");
    const bool host = is_host(plane.name) && host_ != HostDetail::none;
    if (gpu || tpu || host || plane.name == "Task Environment") {
      begin_plane(plane);
      if (gpu) read_gpu(plane, *gpu);
      if (tpu) read_tpu(plane, *tpu);
      if (host) read_host(plane);
    } else if (plane.name.starts_with("/device:")) {
      count_other_device(plane);
    }
  }

  /// Calls are on a plane of their own where the profiler did not join them.
  static bool is_host(std::string_view plane) {
    return plane == "/host:CPU" || plane == "/host:CUPTI" || plane == "/host:ROCTRACER";
  }

  void begin_plane(const XPlane& plane) {
    tables_ = XPlaneTables(plane.events, plane.stat_names);
    names_.assign(tables_.size(), {});
    places_of_.clear();
    last_place_ = {};
    details_of_.clear();
    XStats stats = tables_.stats();
    for (const std::string_view stat : plane.stats) tables_.read(stat, stats);
    device_name_ = tables_.text(stats.text(XStat::device_type));
    if (const auto start = stats.number(XStat::profile_start)) profile_start_ns_ = start;
  }

  /// SparseCores and custom devices: they may have work, which kr does not know.
  void count_other_device(const XPlane& plane) {
    for (const std::string_view message : plane.lines) {
      const XLine line = line_of(message);
      if (line.events == 0 || !(line.name == "XLA Ops" || line.name.starts_with("Stream #"))) {
        continue;
      }
      out_->add_dropped("event of a device that is neither a GPU nor a TPU core",
                        offset_of(message), line.events);
    }
  }

  static XLine line_of(std::string_view message) {
    constexpr const char* what = "XLine";
    XLine line;
    line.message = message;
    std::string_view display_name;
    each_field(message, what, [&](const WireField& field) {
      switch (field.number) {
        case 1:
          line.id = number_of(field, message, what);
          break;
        case 2:
          line.name = bytes_of(field, message, what);
          break;
        case 3:
          line.timestamp_ns = number_of(field, message, what);
          break;
        case 4:
          bytes_of(field, message, what);
          ++line.events;
          break;
        case 11:
          display_name = bytes_of(field, message, what);
          break;
        default:
          break;
      }
    });
    if (line.name.empty()) line.name = display_name;
    return line;
  }

  template <class Visit>
  static void each_event(const XLine& line, const Visit& visit) {
    each_field(line.message, "XLine", [&](const WireField& field) {
      if (field.number == 4) visit(field.bytes);
    });
  }

  /// With the stats of its name. False: it has no time.
  bool read_event(std::string_view message, XEvent& event) {
    constexpr const char* what = "XEvent";
    event.metadata = 0;
    event.offset_ps = 0;
    event.aggregated = false;
    event.duration_ps = 0;
    bool begun = false;
    const auto begin = [&] {
      place_ = tables_.find(event.metadata);
      event.stats = place_ == XPlaneTables::none ? tables_.stats() : tables_.event(place_).stats;
      begun = true;
    };
    WireReader reader(message);
    for (WireField field; reader.next(field);) {
      switch (field.number) {
        case 1:
          event.metadata = number_of(field, message, what);
          break;
        case 2:
          event.offset_ps = number_of(field, message, what);
          break;
        case 3:
          event.duration_ps = number_of(field, message, what);
          break;
        case 4:
          if (!begun) begin();
          tables_.read(bytes_of(field, message, what), event.stats);
          break;
        case 5:
          event.aggregated = true;
          break;
        default:
          break;
      }
    }
    if (reader.broken()) throw WireFault{message.data(), what};
    if (!begun) begin();
    if (event.aggregated)
      out_->add_dropped("event without a time, only counted", offset_of(message));
    return !event.aggregated;
  }

  /// Of bytes of the plane that is being read.
  uint64_t offset_of(std::string_view message) const {
    return offset_ + static_cast<uint64_t>(message.data() - bytes_.data());
  }

  // --- GPUs ---

  void read_gpu(const XPlane& plane, int32_t device) {
    for (const std::string_view message : plane.lines) {
      const XLine line = line_of(message);
      const auto stream = stream_of(line.name);
      if (!stream) continue;  // grouped: `XLA Ops`, `Steps`, ...
      const TrackId track = out_->track({device, *stream, std::string(device_name_), {}});
      XEvent event{0, 0, false, 0, tables_.stats()};
      each_event(line, [&](std::string_view bytes) {
        if (!read_event(bytes, event)) return;
        Operation operation = gpu_times(line.timestamp_ns, event.offset_ps, event.duration_ps);
        operation.name = gpu_name(event.stats, bytes);
        operation.track = track;
        add(operation, event.stats, stream_place(event.stats));
      });
    }
  }

  /// `Stream #16(Kernel,MemcpyD2H)`.
  static std::optional<int64_t> stream_of(std::string_view line) {
    constexpr std::string_view head = "Stream #";
    if (!line.starts_with(head)) return std::nullopt;
    line.remove_prefix(head.size());
    return integer_from(line.substr(0, line.find('(')));
  }

  static Operation gpu_times(int64_t timestamp_ns, int64_t offset_ps, int64_t duration_ps) {
    Operation operation{0, 0, {}, {}};
    int64_t start_ns = 0;
    int64_t end_ps = 0;
    if (__builtin_add_overflow(timestamp_ns, rounded_ns(offset_ps), &start_ns)) {
      operation.start_ns = no_start(TimeFault::too_large);
      return operation;
    }
    if (start_ns < 0) {
      operation.start_ns = no_start(TimeFault::negative);
      return operation;
    }
    operation.start_ns = start_ns;
    if (duration_ps < 0) {
      operation.duration_ns = no_duration(TimeFault::negative);
    } else if (__builtin_add_overflow(offset_ps, duration_ps, &end_ps)) {
      operation.duration_ns = no_duration(TimeFault::too_large);
    } else {
      operation.duration_ns = rounded_ns(end_ps) - rounded_ns(offset_ps);
      if (start_ns > max_ns - operation.duration_ns) {
        operation.duration_ns = no_duration(TimeFault::too_large);
      }
    }
    return operation;
  }

  /// By the kind that the stats or the name give.
  NameId gpu_name(const XStats& stats, std::string_view event) {
    const bool copy = stats.text(XStat::memcpy_details) != XStats::no_text;
    const bool set = stats.text(XStat::memset_details) != XStats::no_text;
    if (place_ == XPlaneTables::none || tables_.event(place_).name.empty()) {
      out_->add_dropped("operation without a name", offset_of(event));
      return out_->name("(unnamed operation)", OperationKind::kernel);
    }
    NameId& known = names_[place_][copy ? 1 : set ? 2 : 0];
    if (known.valid()) return known;
    std::string_view name = tables_.event(place_).name;
    if (name.ends_with(".kd")) name.remove_suffix(3);  // of AMD's descriptors
    OperationKind kind = operation_kind_of(name);
    if (copy || name.starts_with("Memcpy")) kind = OperationKind::memcpy;
    if (!copy && (set || name.starts_with("Memset"))) kind = OperationKind::memset;
    return known = out_->name(name, kind);
  }

  // --- TPUs ---

  void read_tpu(const XPlane& plane, int32_t device) {
    std::vector<XLine> work;
    programs_.clear();
    for (const std::string_view message : plane.lines) {
      XLine line = line_of(message);
      if (line.name == "XLA Ops")
        work.push_back(line);
      else if (line.name == "XLA Modules")
        read_programs(line);
    }
    std::ranges::stable_sort(programs_, {}, &Program::start_ns);
    for (size_t i = 0; i < work.size(); ++i) {
      // One, but for devices whose cores share a plane.
      const TrackId track =
          out_->track({device, static_cast<int64_t>(i), std::string(device_name_), {}});
      read_core(work[i], track);
      tpus_ = true;
    }
  }

  void read_programs(const XLine& line) {
    XEvent event{0, 0, false, 0, tables_.stats()};
    each_event(line, [&](std::string_view bytes) {
      if (!read_event(bytes, event) || place_ == XPlaneTables::none) return;
      const Operation times = gpu_times(line.timestamp_ns, event.offset_ps, event.duration_ps);
      if (times.start_ns < 0 || times.duration_ns < 0) return;
      programs_.push_back({times.start_ns, times.end_ns(), place_});
    });
  }

  /// The place of its name; none: the op is in no program.
  uint32_t program_at(int64_t time_ns) const {
    const auto after = std::ranges::upper_bound(programs_, time_ns, {}, &Program::start_ns);
    if (after == programs_.begin()) return XPlaneTables::none;
    const Program& one = *std::prev(after);
    return time_ns < one.end_ns ? one.name : XPlaneTables::none;
  }

  void read_core(const XLine& line, TrackId track) {
    core_.clear();
    ops_.clear();
    XEvent event{0, 0, false, 0, tables_.stats()};
    each_event(line, [&](std::string_view bytes) {
      if (!read_event(bytes, event)) return;
      const NameId name = tpu_name(bytes);
      const Operation times = gpu_times(line.timestamp_ns, event.offset_ps, event.duration_ps);
      const uint32_t place = core_place(event.stats, times.start_ns);
      if (times.start_ns < 0 || times.duration_ns < 0) {
        add({times.start_ns, times.duration_ns, name, track}, event.stats, place);
        return;
      }
      // Sums of picoseconds have to fit.
      if (std::max(std::abs(event.offset_ps), event.duration_ps) > max_core_ps ||
          times.start_ns > max_ns - max_core_ps) {
        add({times.start_ns, no_duration(TimeFault::too_large), name, track}, event.stats, place);
        return;
      }
      core_.push_back({event.offset_ps, event.offset_ps + event.duration_ps,
                       static_cast<uint32_t>(ops_.size())});
      ops_.push_back({name, place});
    });
    add_core(line.timestamp_ns, track);
  }

  /// A duration is rounded so that the sum of the durations of its name is exact. For that, where
  /// the next operation of the core follows at once, it may begin 1 ns later, not more.
  void add_core(int64_t timestamp_ns, TrackId track) {
    const std::vector<CoreOp> stretches = stretches_of(core_);
    const XStats none = tables_.stats();
    int64_t now_ns = std::numeric_limits<int64_t>::min();
    for (size_t i = 0; i < stretches.size(); ++i) {
      const CoreOp& one = stretches[i];
      const auto& [name, place] = ops_[one.id];
      if (name.index >= left_ps_.size()) left_ps_.resize(name.index + size_t{1});
      int64_t& left_ps = left_ps_[name.index];
      const int64_t exact_ps = one.end_ps - one.start_ps + left_ps;
      const int64_t start_ns = std::max(rounded_ns(one.start_ps), now_ns);
      int64_t duration_ns = rounded_ns(exact_ps);
      if (i + 1 < stretches.size()) {
        duration_ns = std::min(duration_ns, rounded_ns(stretches[i + 1].start_ps) + 1 - start_ns);
      }
      duration_ns = std::max<int64_t>(duration_ns, 0);
      left_ps = exact_ps - duration_ns * 1000;
      now_ns = start_ns + duration_ns;
      add({timestamp_ns + start_ns, duration_ns, name, track}, none, place);
    }
  }

  NameId tpu_name(std::string_view event) {
    if (place_ == XPlaneTables::none) {
      out_->add_dropped("operation without a name", offset_of(event));
      return out_->name("(unnamed operation)", OperationKind::kernel);
    }
    NameId& known = names_[place_][0];
    if (known.valid()) return known;
    const XEventName& one = tables_.event(place_);
    // Without a short name, that of the HLO text `%fusion.12 = bf16[...] fusion(...)`.
    std::string_view name = one.display_name.empty() ? one.name : one.display_name;
    if (name.starts_with('%')) name = name.substr(1, name.find(' ') - 1);
    return known = out_->name(name.empty() ? "(unnamed operation)" : name, OperationKind::kernel);
  }

  // --- what is known of an operation beside its time ---

  /// A program is a text of the stats, or on a TPU the name of a module.
  struct PlaceKey {
    uint32_t program = XStats::no_text;
    uint32_t path = XStats::no_text;
    uint32_t category = XStats::no_text;
    uint32_t op = XStats::no_text;
    bool program_is_event = false;

    bool none() const noexcept {
      return program == XStats::no_text && path == XStats::no_text && category == XStats::no_text &&
             op == XStats::no_text;
    }
    friend bool operator==(const PlaceKey&, const PlaceKey&) = default;
  };
  struct PlaceHash {
    size_t operator()(const PlaceKey& key) const noexcept {
      return hash_numbers(uint64_t{key.program} << 32 | key.path,
                          uint64_t{key.category} << 32 | key.op);
    }
  };

  uint32_t stream_place(const XStats& stats) {
    if (host_ == HostDetail::none) return HostRange::none;
    return place({stats.text(XStat::hlo_module), path_of(stats), stats.text(XStat::hlo_category),
                  stats.text(XStat::hlo_op), false});
  }
  uint32_t core_place(const XStats& stats, int64_t time_ns) {
    if (host_ == HostDetail::none) return HostRange::none;
    return place({program_at(time_ns), path_of(stats), stats.text(XStat::hlo_category),
                  stats.text(XStat::hlo_op), true});
  }
  uint32_t path_of(const XStats& stats) const {
    const uint32_t path = stats.text(XStat::tf_op);
    if (is_xla_path(tables_.text(path))) return path;
    const uint32_t name = stats.text(XStat::name);
    return is_xla_name_stack(tables_.text(name)) ? name : XStats::no_text;
  }

  uint32_t place(const PlaceKey& key) {
    if (key.none()) return HostRange::none;
    if (last_place_ && last_place_->first == key) return last_place_->second;
    const auto [known, added] = places_of_.try_emplace(key, HostRange::none);
    if (added) {
      std::string_view program = tables_.text(XStats::no_text);
      if (!key.program_is_event)
        program = tables_.text(key.program);
      else if (key.program != XPlaneTables::none)
        program = tables_.event(key.program).name;
      const auto& levels = levels_.of(
          {program, tables_.text(key.path), tables_.text(key.category), tables_.text(key.op)});
      if (places_) {
        if (!levels.empty()) known->second = places_->add(levels);
      } else {
        for (const auto& level : levels) out_->range_name(level.name);
      }
    }
    last_place_ = {key, known->second};
    return known->second;
  }

  void add(const Operation& operation, const XStats& stats, uint32_t place) {
    out_->add(operation);
    if (places_) {
      const int64_t correlation = stats.number(XStat::correlation).value_or(Launch::no_correlation);
      out_->add_correlations(&correlation, 1);
      if (place != HostRange::none) out_->created(out_->operations() - 1, place);
    }
    if (details_) add_details(stats);
  }

  void add_details(const XStats& stats) {
    const std::pair texts{stats.text(XStat::kernel_details), stats.text(XStat::memcpy_details)};
    const auto [known, added] = details_of_.try_emplace(texts, 0);
    if (added) {
      const OperationDetail detail =
          xla_detail(tables_.text(texts.first), tables_.text(texts.second));
      known->second = out_->details().distinct.add(detail);
    }
    const uint32_t correlation = OperationDetails::correlation(stats.number(XStat::correlation));
    out_->add_details(&known->second, &correlation, 1);
  }

  // --- the host ---

  void read_host(const XPlane& plane) {
    std::vector<XLine> lines;
    std::map<std::string_view, int> named;
    for (const std::string_view message : plane.lines) {
      lines.push_back(line_of(message));
      ++named[lines.back().name];
    }
    kinds_.assign(tables_.size(), HostKind::unknown);
    range_names_.assign(tables_.size(), HostRange::none);
    calls_.assign(tables_.size(), HostRange::none);
    for (const XLine& line : lines) {
      thread_ = HostRange::none;
      thread_name_ = line.name;
      if (named[line.name] > 1) thread_name_ += fmt::format("/{}", line.id);
      XEvent event{0, 0, false, 0, tables_.stats()};
      each_event(line, [&](std::string_view bytes) { read_host_event(line, bytes, event); });
    }
  }

  enum class HostKind : uint8_t { unknown, call, range, other };

  /// What the events of a name are, if they have no correlation.
  static HostKind host_kind(std::string_view name) {
    if (name.starts_with("cuda") || name.starts_with("hip") || name.starts_with("hsa_") ||
        is_driver_call(name)) {
      return HostKind::call;
    }
    // Functions of Python, and of XLA.
    if (name.empty() || name.starts_with('$') || name.find("::") != name.npos) {
      return HostKind::other;
    }
    return HostKind::range;
  }

  void read_host_event(const XLine& line, std::string_view bytes, XEvent& event) {
    constexpr const char* what = "XEvent";
    // Most are functions of Python: their id comes first.
    WireReader reader(bytes);
    WireField first;
    if (reader.next(first) && first.number == 1 && first.type == WireField::Type::varint) {
      const uint32_t place = tables_.find(first.integer());
      if (place == XPlaneTables::none || tables_.event(place).name.starts_with('$')) return;
    }
    if (reader.broken()) throw WireFault{bytes.data(), what};
    if (!read_event(bytes, event) || place_ == XPlaneTables::none) return;
    const std::string_view name = tables_.event(place_).name;
    HostKind& known = kinds_[place_];
    if (known == HostKind::unknown) known = host_kind(name);
    const auto correlation = event.stats.number(XStat::correlation);
    const bool call = correlation.has_value() || known == HostKind::call;
    if (!call && known == HostKind::other) return;
    const auto step = event.stats.number(XStat::step_num);
    if (!call && host_ == HostDetail::range_names) {
      range_name(name, step);
      return;
    }
    if (host_ != HostDetail::all) return;
    const Operation times = gpu_times(line.timestamp_ns, event.offset_ps, event.duration_ps);
    if (times.start_ns < 0 || times.duration_ns < 0) {
      out_->add_dropped("call or range without a valid time", offset_of(bytes));
      return;
    }
    if (call) {
      add_launch(times, name, known == HostKind::call, correlation);
    } else if (event.duration_ps > 0 || step) {
      out_->host().ranges.push_back({times.start_ns, times.end_ns(), range_name(name, step),
                                     step ? all_threads() : thread(), HostRange::none,
                                     HostRange::Kind::annotation});
    }
  }

  /// An event with a correlation that is not named like a function has the name of the kernel.
  void add_launch(const Operation& times, std::string_view name, bool function,
                  std::optional<int64_t> correlation) {
    uint32_t& call = calls_[place_];
    if (call == HostRange::none) {
      call = out_->call({std::string(function ? name : "(call without a name)"),
                         function && is_driver_call(name)});
    }
    out_->host().launches.push_back({correlation.value_or(Launch::no_correlation), times.start_ns,
                                     times.duration_ns, call, thread()});
  }

  uint32_t range_name(std::string_view name, std::optional<int64_t> step) {
    if (step) return out_->range_name(fmt::format("{} step_num={}", name, *step));
    uint32_t& known = range_names_[place_];
    if (known == HostRange::none) known = out_->range_name(name);
    return known;
  }

  uint32_t thread() {
    if (thread_ == HostRange::none) {
      thread_ = out_->thread({"/host:CPU", thread_name_, false, false});
    }
    return thread_;
  }
  /// Steps are marked on the thread of the program; kernels may be launched on others.
  uint32_t all_threads() { return out_->thread({"/host:CPU", {}, true, false}); }

  /// Times of profiles before 2023 count from 1970 already.
  void set_clock() {
    constexpr int64_t max_start = int64_t{1} << 61;
    if (!profile_start_ns_ || *profile_start_ns_ <= 0 || *profile_start_ns_ > max_start) return;
    const auto& operations = out_->added();
    const bool absolute =
        std::any_of(operations.begin(), operations.end(),
                    [&](const Operation& one) { return one.start_ns >= *profile_start_ns_; });
    out_->clock({absolute ? 0 : *profile_start_ns_});
  }

  struct Program {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name;  // its place in the tables
  };
  struct CoreName {
    NameId name;
    uint32_t place;
  };
  struct PairHash {
    size_t operator()(const std::pair<uint32_t, uint32_t>& pair) const noexcept {
      return hash_numbers(pair.first, pair.second);
    }
  };

  TraceBuilder* out_;
  HostDetail host_;
  bool details_;
  std::optional<OperationPlaces> places_;  // with HostDetail::all
  XlaLevels levels_;
  std::vector<int64_t> left_ps_;  // by name of an op of a TPU: what was rounded away
  std::optional<int64_t> profile_start_ns_;
  bool tpus_ = false;

  // Of the plane being read.
  std::string_view bytes_;
  uint64_t offset_ = 0;
  XPlaneTables tables_;
  std::string_view device_name_;
  std::vector<std::array<NameId, 3>> names_;  // by place of a name, and kind
  std::unordered_map<PlaceKey, uint32_t, PlaceHash> places_of_;
  std::optional<std::pair<PlaceKey, uint32_t>> last_place_;
  std::unordered_map<std::pair<uint32_t, uint32_t>, uint32_t, PairHash> details_of_;
  std::vector<Program> programs_;
  std::vector<HostKind> kinds_;          // by place of a name
  std::vector<uint32_t> range_names_;    // by place of a name
  std::vector<uint32_t> calls_;          // by place of a name
  uint32_t place_ = XPlaneTables::none;  // of the name of the event read last

  // Of the line being read.
  std::vector<CoreOp> core_;
  std::vector<CoreName> ops_;  // by id in `core_`
  std::string thread_name_;
  uint32_t thread_ = HostRange::none;
};

XPlanes::XPlanes(const OpenOptions& options, TraceBuilder& out)
    : impl_(std::make_unique<Impl>(options, out)) {}
XPlanes::~XPlanes() = default;

void XPlanes::read(std::string_view message, uint64_t offset) {
  impl_->read(message, offset);
}
void XPlanes::finish() {
  impl_->finish();
}

}  // namespace kr::trace
