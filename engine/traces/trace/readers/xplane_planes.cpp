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
#include "trace/readers/xplane_host.hpp"
#include "trace/readers/xplane_plane.hpp"

namespace kr::trace {
namespace {

constexpr int64_t max_ns = std::numeric_limits<int64_t>::max();
/// Of an op of a TPU: 26 days.
constexpr int64_t max_core_ps = int64_t{1} << 61;

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
      : options_(&options),
        out_(&out),
        host_(options.host),
        details_(options.operation_details),
        host_events_(options, out) {
    if (host_ == HostDetail::all) {
      out.host();
      places_.emplace(out, "XLA");
    }
    if (details_) out.details();
    out.times_from_zero();
  }

  void read(std::string_view message, uint64_t offset) {
    plane_ = XPlane(*options_, message, offset);
    read_plane();
  }

  void finish() {
    if (places_) places_->finish();
    host_events_.finish();
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
  void read_plane() {
    const std::string_view name = plane_.name();
    const auto gpu = device_of(name, "/device:GPU:");
    const auto tpu = device_of(name, "/device:TPU:");
    const bool host = is_host(name) && host_ != HostDetail::none;
    if (gpu || tpu || host || name == "Task Environment") {
      begin_plane();
      if (gpu) read_gpu(*gpu);
      if (tpu) read_tpu(*tpu);
      if (host) host_events_.read(plane_);
    } else if (name.starts_with("/device:")) {
      count_other_device();
    }
  }

  /// Calls are on a plane of their own where the profiler did not join them.
  static bool is_host(std::string_view plane) {
    return plane == "/host:CPU" || plane == "/host:CUPTI" || plane == "/host:ROCTRACER";
  }

  void begin_plane() {
    const XStats stats = plane_.read_tables();
    names_.assign(tables().size(), {});
    places_of_.clear();
    last_places_.assign(tables().size(), {});
    details_of_.clear();
    device_name_ = tables().text(stats.text(XStat::device_type));
    if (const auto start = stats.number(XStat::profile_start)) profile_start_ns_ = start;
  }

  /// SparseCores and custom devices: they may have work, which kr does not know.
  void count_other_device() {
    for (const std::string_view message : plane_.lines()) {
      const XLine line = plane_.line(message);
      if (line.events == 0 || !(line.name == "XLA Ops" || line.name.starts_with("Stream #"))) {
        continue;
      }
      out_->add_dropped("event of a device that is neither a GPU nor a TPU core",
                        plane_.offset_of(message.data()), line.events);
    }
  }

  // --- GPUs ---

  void read_gpu(int32_t device) {
    for (const std::string_view message : plane_.lines()) {
      const XLine line = plane_.line(message);
      const auto stream = stream_of(line.name);
      if (!stream) continue;  // grouped: `XLA Ops`, `Steps`, ...
      const TrackId track = out_->track({device, *stream, std::string(device_name_), {}});
      plane_.each_event(line, *out_, nullptr, [&](const XEvent& event) {
        add({event.start_ns, event.duration_ns, gpu_name(event), track}, event.stats,
            stream_place(event));
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

  /// By the kind that the stats or the name give.
  NameId gpu_name(const XEvent& event) {
    const bool copy = event.stats.text(XStat::memcpy_details) != XStats::no_text;
    const bool set = event.stats.text(XStat::memset_details) != XStats::no_text;
    if (event.place == XPlaneTables::none || tables().event(event.place).name.empty()) {
      out_->add_dropped("operation without a name", plane_.offset_of(event.at));
      return out_->name("(unnamed operation)", OperationKind::kernel);
    }
    NameId& known = names_[event.place][copy ? 1 : set ? 2 : 0];
    if (known.valid()) return known;
    std::string_view name = tables().event(event.place).name;
    if (name.ends_with(".kd")) name.remove_suffix(3);  // of AMD's descriptors
    OperationKind kind = operation_kind_of(name);
    if (copy || name.starts_with("Memcpy")) kind = OperationKind::memcpy;
    if (!copy && (set || name.starts_with("Memset"))) kind = OperationKind::memset;
    return known = out_->name(name, kind);
  }

  // --- TPUs ---

  void read_tpu(int32_t device) {
    std::vector<XLine> work;
    programs_.clear();
    for (const std::string_view message : plane_.lines()) {
      XLine line = plane_.line(message);
      if (line.name == "XLA Ops")
        work.push_back(std::move(line));
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
    plane_.each_event(line, *out_, nullptr, [&](const XEvent& event) {
      if (event.place == XPlaneTables::none) return;
      if (event.start_ns < 0 || event.duration_ns < 0) return;
      programs_.push_back({event.start_ns, event.end_ns(), event.place});
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
    plane_.each_event(line, *out_, nullptr, [&](const XEvent& event) {
      const NameId name = tpu_name(event);
      const uint32_t place = core_place(event);
      if (event.start_ns < 0 || event.duration_ns < 0) {
        add({event.start_ns, event.duration_ns, name, track}, event.stats, place);
        return;
      }
      // Sums of picoseconds have to fit.
      if (std::max(std::abs(event.offset_ps), event.duration_ps) > max_core_ps ||
          event.start_ns > max_ns - max_core_ps) {
        add({event.start_ns, no_duration(TimeFault::too_large), name, track}, event.stats, place);
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
    const XStats none = tables().stats();
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

  NameId tpu_name(const XEvent& event) {
    if (event.place == XPlaneTables::none) {
      out_->add_dropped("operation without a name", plane_.offset_of(event.at));
      return out_->name("(unnamed operation)", OperationKind::kernel);
    }
    NameId& known = names_[event.place][0];
    if (known.valid()) return known;
    const XEventName& one = tables().event(event.place);
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

  uint32_t stream_place(const XEvent& event) {
    if (host_ == HostDetail::none) return HostRange::none;
    return place(event,
                 {event.stats.text(XStat::hlo_module), path_of(event.stats),
                  event.stats.text(XStat::hlo_category), event.stats.text(XStat::hlo_op), false});
  }
  uint32_t core_place(const XEvent& event) {
    if (host_ == HostDetail::none) return HostRange::none;
    return place(event,
                 {program_at(event.start_ns), path_of(event.stats),
                  event.stats.text(XStat::hlo_category), event.stats.text(XStat::hlo_op), true});
  }
  uint32_t path_of(const XStats& stats) const {
    const uint32_t path = stats.text(XStat::tf_op);
    if (is_xla_path(tables().text(path))) return path;
    const uint32_t name = stats.text(XStat::name);
    return is_xla_name_stack(tables().text(name)) ? name : XStats::no_text;
  }

  uint32_t place(const XEvent& event, const PlaceKey& key) {
    if (key.none()) return HostRange::none;
    if (event.place == XPlaneTables::none) return place(key);
    auto& [last, place_of_last] = last_places_[event.place];
    if (last != key) {
      place_of_last = place(key);
      last = key;
    }
    return place_of_last;
  }
  uint32_t place(const PlaceKey& key) {
    const auto [known, added] = places_of_.try_emplace(key, HostRange::none);
    if (added) {
      std::string_view program = tables().text(XStats::no_text);
      if (!key.program_is_event)
        program = tables().text(key.program);
      else if (key.program != XPlaneTables::none)
        program = tables().event(key.program).name;
      const auto& levels = levels_.of(
          {program, tables().text(key.path), tables().text(key.category), tables().text(key.op)});
      if (places_) {
        if (!levels.empty()) known->second = places_->add(levels);
      } else {
        for (const auto& level : levels) out_->range_name(level.name);
      }
    }
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
          xla_detail(tables().text(texts.first), tables().text(texts.second));
      known->second = out_->details().distinct.add(detail);
    }
    const uint32_t correlation = OperationDetails::correlation(stats.number(XStat::correlation));
    out_->add_details(&known->second, &correlation, 1);
  }

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

  const XPlaneTables& tables() const { return plane_.tables(); }

  const OpenOptions* options_;
  TraceBuilder* out_;
  HostDetail host_;
  bool details_;
  XPlaneHost host_events_;
  std::optional<OperationPlaces> places_;  // with HostDetail::all
  XlaLevels levels_;
  std::vector<int64_t> left_ps_;  // by name of an op of a TPU: what was rounded away
  std::optional<int64_t> profile_start_ns_;
  bool tpus_ = false;

  // Of the plane being read.
  XPlane plane_;
  std::string_view device_name_;
  std::vector<std::array<NameId, 3>> names_;  // by place of a name, and kind
  std::unordered_map<PlaceKey, uint32_t, PlaceHash> places_of_;
  // By place of a name: its operations belong to the same place mostly.
  std::vector<std::pair<PlaceKey, uint32_t>> last_places_;
  std::unordered_map<std::pair<uint32_t, uint32_t>, uint32_t, PairHash> details_of_;
  std::vector<Program> programs_;

  // Of the line being read.
  std::vector<CoreOp> core_;
  std::vector<CoreName> ops_;  // by id in `core_`
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
