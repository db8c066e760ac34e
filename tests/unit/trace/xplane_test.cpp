// Profiles of XLA (xplane.pb): small messages, as they should be and as they should not.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/wire_writer.hpp"
#include "support.hpp"
#include "trace/format.hpp"

namespace kr::test::xplane_test {
namespace {

std::string number_field(uint32_t number, int64_t value) {
  std::string out;
  append_number(out, number, value);
  return out;
}
std::string bytes_field(uint32_t number, std::string_view bytes) {
  std::string out;
  append_bytes(out, number, bytes);
  return out;
}

// Fields of an XSpace.
std::string plane(std::string_view name, const std::string& rest) {
  return bytes_field(1, bytes_field(2, name) + rest);
}
std::string event_name(int64_t id, std::string_view name, const std::string& rest = {}) {
  return bytes_field(
      4, number_field(1, id) + bytes_field(2, number_field(1, id) + bytes_field(2, name) + rest));
}
std::string stat_name(int64_t id, std::string_view name) {
  return bytes_field(
      5, number_field(1, id) + bytes_field(2, number_field(1, id) + bytes_field(2, name)));
}
std::string line(int64_t id, std::string_view name, int64_t timestamp_ns,
                 const std::string& events) {
  return bytes_field(
      3, number_field(1, id) + bytes_field(2, name) + number_field(3, timestamp_ns) + events);
}
std::string event(int64_t metadata, int64_t offset_ps, int64_t duration_ps,
                  const std::string& stats = {}) {
  return bytes_field(4, number_field(1, metadata) + number_field(2, offset_ps) +
                            number_field(3, duration_ps) + stats);
}
std::string number_stat(int64_t id, int64_t value) {
  return bytes_field(4, number_field(1, id) + number_field(3, value));
}
std::string text_stat(int64_t id, std::string_view value, uint32_t field = 4) {
  return bytes_field(field, number_field(1, id) + bytes_field(5, value));
}
std::string ref_stat(int64_t id, int64_t ref) {
  return bytes_field(4, number_field(1, id) + number_field(7, ref));
}

trace::OpenOptions everything() {
  trace::OpenOptions options;
  options.host = trace::HostDetail::all;
  options.operation_details = true;
  return options;
}

trace::Trace read(std::string_view bytes, const trace::OpenOptions& options = everything()) {
  trace::Input input(bytes, "t.xplane.pb", options);
  trace::TraceBuilder builder("t.xplane.pb", "xplane");
  trace::xplane_format.read(input, builder);
  return std::move(builder).finish();
}
std::string error_in(std::string_view bytes, const trace::OpenOptions& options = everything()) {
  try {
    read(bytes, options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Where the trace says that an operation belongs, outermost first.
std::string place_of(const trace::Trace& trace, size_t operation) {
  const trace::NodeCreation* const creation = trace.host->creation(operation);
  if (creation == nullptr) return "-";
  std::string out;
  for (const trace::HostRange& range : trace.host->ranges) {
    if (range.thread != creation->thread || !range.contains(creation->time_ns)) continue;
    out += out.empty() ? "" : " > ";
    out += trace.host->range_names[range.name];
  }
  return out;
}

std::string launch_of(const trace::Trace& trace, size_t operation) {
  const trace::Launch* const launch = trace.host->launch(operation);
  if (launch == nullptr) return "-";
  return trace.host->calls[launch->call].name + " of " + trace.host->threads[launch->thread].thread;
}

std::string ranges_of(const trace::Trace& trace) {
  std::string out;
  for (const trace::HostRange& range : trace.host->ranges) {
    const trace::HostThread& thread = trace.host->threads[range.thread];
    if (thread.other_clock) continue;
    out += fmt::format("{} [{}, {}) {}\n", trace.host->range_names[range.name], range.start_ns,
                       range.end_ns, thread.whole_process ? "all" : thread.thread);
  }
  return out;
}

const std::string gpu_stats =
    stat_name(1, "correlation_id") + stat_name(2, "kernel_details") +
    stat_name(3, "memcpy_details") + stat_name(4, "tf_op") + stat_name(5, "hlo_op") +
    stat_name(6, "hlo_module") + stat_name(7, "jit_step") + stat_name(8, "name") +
    stat_name(9, "jit(step)/transpose(jvp(Model))/layers_0/wq/dot_general") +
    stat_name(10, "device_type_string") + stat_name(11, "XlaModule:");

// The metadata comes after the lines.
const std::string gpu_plane = plane(
    "/device:GPU:3",
    line(16, "Stream #16(Kernel,MemcpyD2H)", 1000,
         event(1, 5'000'000, 2'000'000,
               number_stat(1, 41) +
                   text_stat(2,
                             "regs:32 static_shared:0 dynamic_shared:64 "
                             "grid:8,2,1 block:256,1,1 occ_pct:50") +
                   ref_stat(4, 11) + ref_stat(8, 9) + text_stat(5, "fusion.1") + ref_stat(6, 7)) +
             event(2, 9'000'500, 1'000'000,
                   number_stat(1, 42) + text_stat(3, "kind:D2H size:4096 dest:1 async:1"))) +
        line(17, "XLA Ops", 1000, event(1, 5'000'000, 2'000'000)) +
        line(18, "Stream #18", 2000, event(3, 0, 500'000, number_stat(1, 43))) +
        event_name(1, "loop_add_fusion.kd") + event_name(2, "MemcpyD2H") + event_name(3, "Memset") +
        gpu_stats + text_stat(10, "Some GPU", 6));

const std::string host_plane = plane(
    "/host:CPU",
    line(7, "python3", 0,
         event(1, 1'000'000, 500'000, number_stat(1, 41)) + event(2, 500'000, 9'000'000) +
             event(3, 400'000, 9'500'000, number_stat(2, 5)) + event(4, 0, 10'000'000) +
             event(5, 0, 10'000'000) + event(6, 7'000'000, 0)) +
        line(8, "worker", 0, event(7, 2'000'000, 500'000, number_stat(1, 42))) +
        event_name(1, "cuLaunchKernel") + event_name(2, "PjitFunction(step)") +
        event_name(3, "train") + event_name(4, "$train.py:3 main") +
        event_name(5, "Executable::Execute") + event_name(6, "MemoryAllocation") +
        event_name(7, "MemcpyD2H") + stat_name(1, "correlation_id") + stat_name(2, "step_num"));

const std::string environment =
    plane("Task Environment",
          stat_name(1, "profile_start_time") +
              bytes_field(6, number_field(1, 1) + number_field(3, 1'786'000'000'123'456'789)));

TEST_CASE("operations, launches and places of a GPU") {
  const trace::Trace trace = read(gpu_plane + host_plane + environment);
  CHECK(dump(trace) ==
        "2000 500 memset Some GPU (3) 18 Memset\n"
        "6000 2000 kernel Some GPU (3) 16 loop_add_fusion\n"
        "10001 1000 memcpy Some GPU (3) 16 MemcpyD2H\n");
  CHECK(trace.clock.utc_ns == 1'786'000'000'123'456'789);
  CHECK(launch_of(trace, 0) == "-");
  CHECK(launch_of(trace, 1) == "cuLaunchKernel of python3");
  CHECK(launch_of(trace, 2) == "(call without a name) of worker");
  CHECK(place_of(trace, 1) ==
        "jit_step > Model > layers_0 > wq > autograd_phase=backward > hlo_op=fusion.1");
  CHECK(place_of(trace, 2) == "-");
  CHECK(ranges_of(trace) ==
        "train step_num=5 [400, 9900) all\n"
        "PjitFunction(step) [500, 9500) python3\n");
  CHECK(trace.details->of(1).get(trace::DetailField::grid_y) == 2);
  CHECK(trace.details->of(2).get(trace::DetailField::bytes) == 4096);
  CHECK(trace.dropped.empty());
}

TEST_CASE("without the host, nothing of it is kept") {
  const trace::Trace trace = read(gpu_plane + host_plane, trace::OpenOptions{});
  CHECK(trace.operations.size() == 3);
  CHECK(trace.host == nullptr);
  CHECK(!trace.clock.utc_ns);
}

TEST_CASE("names of ranges without the ranges") {
  trace::OpenOptions options;
  options.host = trace::HostDetail::range_names;
  const trace::Trace trace = read(gpu_plane + host_plane, options);
  const auto has = [&](std::string_view name) {
    return std::ranges::find(trace.range_names, name) != trace.range_names.end();
  };
  CHECK(has("layers_0"));
  CHECK(has("hlo_op=fusion.1"));
  CHECK(has("train step_num=5"));
  CHECK(has("PjitFunction(step)"));
  CHECK(!has("$train.py:3 main"));
}

TEST_CASE("a stat of an event counts before that of its name") {
  const std::string stats = stat_name(1, "tf_op");
  const trace::Trace trace =
      read(plane("/device:GPU:0",
                 line(1, "Stream #1", 0,
                      event(1, 0, 1000) + event(1, 2000, 1000, text_stat(1, "jit(f)/b/add:"))) +
                     event_name(1, "k", text_stat(1, "jit(f)/a/add:", 5)) + stats));
  CHECK(place_of(trace, 0) == "jit_f > a");
  CHECK(place_of(trace, 1) == "jit_f > b");
}

TEST_CASE("memory of the allocators of GPUs") {
  constexpr int allocator = 1, bytes = 2, used = 3;
  const auto stats = [](int name, int64_t size, int64_t total) {
    return text_stat(allocator, name == 1 ? "GPU_3_bfc" : "xla_host") + number_stat(bytes, size) +
           number_stat(used, total);
  };
  const std::string names = event_name(1, "MemoryAllocation") +
                            event_name(2, "MemoryDeallocation") + stat_name(1, "allocator_name") +
                            stat_name(2, "allocation_bytes") + stat_name(3, "bytes_allocated");
  const std::string events =
      event(1, 9'000'000, 0, stats(1, 256, 4864)) + event(1, 5'000'000, 0, stats(1, 512, 4608)) +
      event(2, 12'000'000, 0, stats(1, 4096, 768)) + event(1, 7'000'000, 0, stats(2, 64, 64));
  const std::string wrong = event(1, 6'000'000, 0, number_stat(bytes, 1) + number_stat(used, 1)) +
                            event(1, 6'000'000, 0, stats(1, -5, 64)) +
                            event(1, 6'000'000, 0, text_stat(1, "GPU_3_bfc"));
  const std::string host =
      plane("/host:CPU", line(7, "python3", 100, events) + line(8, "worker", 100, wrong) + names);
  trace::OpenOptions options = everything();
  options.memory = true;
  const trace::Trace trace = read(gpu_plane + host, options);
  REQUIRE(trace.memory != nullptr);
  REQUIRE(trace.memory->series.size() == 2);
  const trace::MemorySeries& gpu = trace.memory->series[0];
  CHECK(gpu.kind == "gpu");
  CHECK(gpu.device == 3);
  REQUIRE(gpu.events.size() == 3);
  CHECK(gpu.events[0].time_ns == 5100);
  CHECK(gpu.events[1].after.used == 4864);
  CHECK(gpu.events[2].bytes == -4096);
  CHECK(trace.memory->series[1].kind == "xla_host");
  CHECK(!trace.memory->series[1].device);
  CHECK(trace.dropped.size() == 2);
  CHECK(read(gpu_plane + host, everything()).memory == nullptr);
}

TEST_CASE("ops of a TPU core that enclose each other do not overlap") {
  const std::string ops =
      // Children come before what encloses them.
      event(2, 10'000'250, 4'000'250) + event(3, 20'000'000, 5'000'000) +
      event(1, 9'000'000, 21'000'000) + event(2, 40'000'000, 4'000'250) +
      event(2, 44'000'250, 4'000'250);
  const trace::Trace trace = read(plane(
      "/device:TPU:1",
      line(1, "XLA Modules", 100, event(4, 8'000'000, 30'000'000)) + line(2, "XLA Ops", 100, ops) +
          line(3, "Async XLA Ops", 100, event(2, 0, 90'000'000)) +
          event_name(1, "%while.2 = (s32[]) while(%t)", bytes_field(4, "while.2")) +
          event_name(2, "%fusion.1 = f32[] fusion(%p)",
                     text_stat(1, "jit(f)/Model/mlp/add:", 5) + text_stat(2, "loop fusion", 5)) +
          event_name(3, "%copy.7 = f32[] copy(%p)") + event_name(4, "jit_f(1234)") +
          stat_name(1, "tf_op") + stat_name(2, "hlo_category")));
  CHECK(dump(trace) ==
        "9100 1000 kernel  (1) 0 while.2\n"
        "10100 4000 kernel  (1) 0 fusion.1\n"
        "14101 6000 kernel  (1) 0 while.2\n"
        "20101 5000 kernel  (1) 0 copy.7\n"
        "25101 5000 kernel  (1) 0 while.2\n"
        "40100 4001 kernel  (1) 0 fusion.1\n"
        "44101 4000 kernel  (1) 0 fusion.1\n");
  CHECK(place_of(trace, 1) == "jit_f > Model > mlp > hlo_category=loop fusion");
  CHECK(place_of(trace, 3) == "jit_f");
  CHECK(place_of(trace, 5) == "jit_f > Model > mlp > hlo_category=loop fusion");
  CHECK(!trace.lost_streams.empty());
}

TEST_CASE("what a file of XLA begins with") {
  CHECK(trace::xplane_format.sniff(gpu_plane));
  CHECK(trace::xplane_format.sniff(environment));
  CHECK(trace::xplane_format.sniff(
      bytes_field(1, number_field(1, 3) + bytes_field(2, "/host:metadata"))));
  for (const std::string& other : {
           std::string(),
           std::string("\x0a"),
           std::string("\n/device:GPU:0"),
           // A packet of Perfetto: a clock snapshot; a tree of processes.
           bytes_field(1, bytes_field(6, number_field(1, 1)) + number_field(8, 77)),
           bytes_field(1, bytes_field(2, bytes_field(1, number_field(1, 77)))),
           bytes_field(2, "/device:GPU:0"),
           bytes_field(1, bytes_field(2, "other")),
       }) {
    CHECK(!trace::xplane_format.sniff(other));
  }
}

TEST_CASE("ids that are not there, and times that cannot be") {
  const trace::Trace trace =
      read(plane("/device:GPU:0",
                 line(1, "Stream #1", 0,
                      event(9, 0, 1000, ref_stat(1, 99) + number_stat(98, 1)) + event(1, 3000, -5) +
                          event(1, -8000, 1) + event(1, INT64_MAX, INT64_MAX) +
                          bytes_field(4, number_field(1, 1) + number_field(5, 12))) +
                     line(2, "Stream #x", 0, event(1, 0, 1)) +
                     line(3, "Stream #2", INT64_MAX, event(1, 9000, 1)) + event_name(1, "k") +
                     stat_name(1, "tf_op")));
  CHECK(trace.operations.size() == 5);
  CHECK(trace.untimed.size() == 4);
  std::string dropped;
  for (const auto& records : trace.dropped) {
    dropped += fmt::format("{} {}\n", records.count, records.what);
  }
  CHECK(dropped ==
        "1 operation without a name\n"
        "1 event without a time, only counted\n");
}

TEST_CASE("times of a core that do not fit") {
  const trace::Trace trace = read(plane(
      "/device:TPU:0",
      line(1, "XLA Ops", 0,
           event(1, 1000, 1000) + event(1, 4000, INT64_MAX / 2) + event(1, INT64_MAX - 5, 1)) +
          line(2, "XLA Ops", INT64_MAX - 1, event(1, 0, 1000)) + event_name(1, "op")));
  CHECK(trace.operations.size() == 4);
  CHECK(trace.untimed.size() == 3);
}

TEST_CASE("numbers of stats in any number of bytes") {
  for (const int64_t id : {int64_t{1}, int64_t{300}}) {
    for (const int64_t value :
         {int64_t{0}, int64_t{127}, int64_t{128}, int64_t{1} << 62, INT64_MAX, int64_t{-7}}) {
      CAPTURE(value);
      const trace::Trace trace =
          read(plane("/device:GPU:0",
                     line(1, "Stream #1", 0, event(1, 0, 1000, number_stat(id, value))) +
                         event_name(1, "k") + stat_name(id, "correlation_id")) +
               plane("/host:CPU", line(1, "t", 0, event(1, 0, 1000, number_stat(id, value))) +
                                      event_name(1, "cuLaunchKernel") +
                                      stat_name(id, "correlation_id")));
      CHECK(trace.host->launches[0].correlation == value);
      CHECK(launch_of(trace, 0) == "cuLaunchKernel of t");
    }
  }
}

TEST_CASE("fields of another type are errors with their place") {
  const std::string good = plane("/host:metadata", "");
  const auto bad = [&](const std::string& rest) { return good + plane("/device:GPU:0", rest); };
  CHECK(error_in(bad(number_field(3, 1))).find("not a message `XPlane`") != std::string::npos);
  CHECK(error_in(bad(bytes_field(3, number_field(2, 1)))).find("`XLine`") != std::string::npos);
  CHECK(error_in(bad(line(1, "Stream #1", 0, bytes_field(4, bytes_field(2, "x")))))
            .find("`XEvent`") != std::string::npos);
  CHECK(error_in(bad(line(1, "Stream #1", 0, event(1, 0, 1, bytes_field(4, "\xff")))))
            .find("`XStat`") != std::string::npos);
  CHECK(
      error_in(bad(bytes_field(4, bytes_field(2, number_field(2, 1))))).find("`XEventMetadata`") !=
      std::string::npos);
  CHECK(error_in(bad(bytes_field(5, bytes_field(1, "")))).find("`XStatMetadata`") !=
        std::string::npos);
  // At the first byte of the message: behind the first plane and two heads of two bytes.
  const std::string text = error_in(bad(bytes_field(3, number_field(2, 1))));
  const size_t at = good.size() + 2 + 2 + std::string_view("/device:GPU:0").size() + 2;
  CHECK(text.find(fmt::format("at byte {}:", at)) != std::string::npos);
  CHECK(error_in(good + number_field(1, 5)).find("`XSpace`") != std::string::npos);
}

TEST_CASE("bytes that were replaced by a conversion as text") {
  std::string text;
  for (const char c : gpu_plane) {
    if (static_cast<unsigned char>(c) < 0x80)
      text += c;
    else
      text += "\xef\xbf\xbd";
  }
  CHECK(trace::xplane_format.sniff(text));
  CHECK(error_in(text).find("was converted as text") != std::string::npos);
}

TEST_CASE("a file that is cut off at any byte") {
  const std::string whole = gpu_plane + host_plane + environment;
  const std::string all = dump(read(whole));
  trace::OpenOptions tolerant = everything();
  tolerant.allow_truncated = true;
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const std::string_view part = std::string_view(whole).substr(0, size);
    const bool between =
        size == 0 || size == gpu_plane.size() || size == gpu_plane.size() + host_plane.size();
    CHECK(error_in(part).empty() == between);
    const trace::Trace trace = read(part, tolerant);
    CHECK(dump(trace) == (size < gpu_plane.size() ? "" : all));
  }
}

TEST_CASE("each byte changed, and blocks of any size") {
  const std::string whole = gpu_plane + host_plane + environment;
  for (const size_t block : {1, 7, 100}) {
    trace::OpenOptions options = everything();
    options.block_size = block;
    CHECK(dump(read(whole, options)) == dump(read(whole)));
  }
  // What comes of them is a trace or an Error.
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 4, 0x80}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ change);
      error_in(changed);
    }
  }
}

/// All that kr keeps of a profile.
std::string all_of(const trace::Trace& trace) {
  std::string out = dump(trace) + ranges_of(trace);
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    out += launch_of(trace, i) + " | " + place_of(trace, i);
    if (trace.details) {
      out += fmt::format(" | grid_x={}",
                         trace.details->of(i).get(trace::DetailField::grid_x).value_or(-1));
    }
    out += '\n';
  }
  for (const trace::Launch& launch : trace.host->launches) {
    out += fmt::format("{} {} {}\n", launch.correlation, launch.start_ns, launch.duration_ns);
  }
  if (trace.memory) {
    for (const trace::MemorySeries& series : trace.memory->series) {
      for (const trace::MemoryEvent& event : series.events) {
        out +=
            fmt::format("{} {} {} {}\n", series.kind, event.time_ns, event.bytes, event.after.used);
      }
    }
  }
  for (const auto& records : trace.dropped) {
    out += fmt::format("{} {} from {}\n", records.count, records.what, records.first_offset);
  }
  return out + trace.untimed_why;
}

// Events enough for many blocks: of a GPU, a TPU and a host; with texts that only they have, and
// some that are dropped.
std::string long_profile(bool damaged) {
  std::string gpu, core, modules, calls, functions;
  for (int64_t i = 0; i < 300; ++i) {
    const int64_t at = i * 10'000'000;
    std::string stats = number_stat(1, i) + ref_stat(8, 9);
    if (i % 3 == 0) stats += text_stat(4, fmt::format("jit(step)/M/layers_{}/add:", i % 7));
    if (i % 5 == 0) stats += text_stat(2, fmt::format("grid:{},1,1 block:256,1,1", 1 + i % 4));
    // Of two texts of a stat the last counts.
    if (i % 4 == 0) stats += text_stat(5, "fusion.0") + ref_stat(5, 11);
    if (i % 6 == 0) stats += ref_stat(5, 11) + text_stat(5, "fusion.1");
    gpu += event(i % 31 == 30 ? 77 : 1 + i % 3, i % 41 == 40 ? -at : at, 2'000'000, stats);
    if (i % 29 == 0) gpu += bytes_field(4, number_field(1, 1) + number_field(5, 12));
    if (damaged && i == 290) gpu += event(1, at, 1, bytes_field(4, "\x08\x01\xff"));
    modules += event(4, at, 9'000'000);
    core +=
        event(2, at + 1'000'250, 4'000'250, text_stat(1, fmt::format("jit(f)/M/l{}/dot:", i % 9))) +
        event(1, at, 8'000'000);
    calls += event(1, at, 500'000, number_stat(1, i)) + event(4, 0, i) +
             event(2, at, 3'000'000 * (i % 2)) + event(3, at, 9'000'000, number_stat(2, i)) +
             event(5, at, 1'000, i % 17 == 0 ? number_stat(1, 1000 + i) : "");
    functions += event(6, at, 0,
                       text_stat(3, i % 2 == 0 ? "GPU_3_bfc" : "xla_host") + number_stat(4, 64) +
                           number_stat(5, i % 19 == 0 ? -1 : 64 * i));
    if (i % 23 == 0) functions += bytes_field(4, number_field(1, 5) + number_field(5, 2));
  }
  return plane("/host:CPU",
               line(7, "python3", 0, calls) + line(8, "python3", 0, functions) +
                   event_name(1, "cuLaunchKernel") + event_name(2, "PjitFunction(step)") +
                   event_name(3, "train") + event_name(4, "$train.py:3 main") +
                   event_name(5, "Executable::Execute") + event_name(6, "MemoryAllocation") +
                   stat_name(1, "correlation_id") + stat_name(2, "step_num") +
                   stat_name(3, "allocator_name") + stat_name(4, "allocation_bytes") +
                   stat_name(5, "bytes_allocated")) +
         plane("/device:TPU:1",
               line(1, "XLA Modules", 100, modules) + line(2, "XLA Ops", 100, core) +
                   event_name(1, "%while.2 = (s32[]) while(%t)", bytes_field(4, "while.2")) +
                   event_name(2, "%fusion.1 = f32[] fusion(%p)", text_stat(2, "loop fusion", 5)) +
                   event_name(4, "jit_f(1234)") + stat_name(1, "tf_op") +
                   stat_name(2, "hlo_category")) +
         plane("/device:GPU:3",
               line(16, "Stream #16(Kernel)", 1000, gpu) + event_name(1, "loop_add_fusion.kd") +
                   event_name(2, "MemcpyD2H") +
                   event_name(3, "Memset", text_stat(5, "fusion.2", 5)) + gpu_stats);
}

TEST_CASE("a profile is the same in blocks of any size, on any number of threads") {
  const std::string profile = long_profile(false);
  const std::string damaged = long_profile(true);
  trace::OpenOptions options = everything();
  options.memory = true;
  options.threads = 1;
  const std::string expected = all_of(read(profile, options));
  const std::string error = error_in(damaged, options);
  CHECK(expected.find("layers_6") != std::string::npos);
  CHECK(expected.find("event without a time, only counted from") != std::string::npos);
  CHECK(error.find("`XStat`") != std::string::npos);
  for (const unsigned threads : {1U, 2U, 4U}) {
    for (const size_t block_size : {size_t{1}, size_t{100}, size_t{4096}}) {
      CAPTURE(threads);
      CAPTURE(block_size);
      options.threads = threads;
      options.block_size = block_size;
      CHECK(all_of(read(profile, options)) == expected);
      CHECK(error_in(damaged, options) == error);
    }
  }
}

// --- JAX's trace.json ---

trace::Trace read_json(std::string_view text, const trace::OpenOptions& options = everything()) {
  trace::Input input(text, "t.trace.json", options);
  trace::TraceBuilder builder("t.trace.json", "xla-json");
  trace::xla_json_format.read(input, builder);
  return std::move(builder).finish();
}

// Names of processes and threads may come late.
constexpr std::string_view json =
    R"json({"displayTimeUnit": "ns", "metadata": {"highres-ticks": true},
 "traceEvents": [
  {"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "/device:GPU:1"}},
  {"ph": "M", "pid": 3, "name": "process_sort_index", "args": {"sort_index": 3}},
  {"ph": "M", "pid": 3, "tid": 16, "name": "thread_name", "args": {"name": "Stream #16(Kernel)"}},
  {"ph": "M", "pid": 3, "tid": 17, "name": "thread_name", "args": {"name": "XLA Ops"}},
  {"ph": "X", "pid": 3, "tid": 16, "ts": 5.25, "dur": 2.5, "name": "loop_add_fusion.kd",
   "args": {"correlation_id": "41", "hlo_module": "jit_f", "tf_op": "jit(f)/M/add:",
            "kernel_details": "regs:32 grid:8,2,1 block:256,1,1", "flops": 7}},
  {"args": {"memcpy_details": "kind:D2H size:64"}, "name": "MemcpyD2H", "dur": 1, "ts": 9.0005,
   "tid": 16, "pid": 3, "ph": "X"},
  {"ph": "X", "pid": 3, "tid": 17, "ts": 5.25, "dur": 2.5, "name": "fusion"},
  {"ph": "X", "pid": 3, "tid": 16, "ts": 12, "name": "without"},
  {"ph": "X", "pid": 7, "tid": 1, "ts": 1, "dur": 0.5, "name": "cuLaunchKernel", "args": {"correlation_id": "41"}},
  {"ph": "X", "pid": 7, "tid": 1, "ts": 0, "dur": 9, "name": "train", "args": {"step_num": "5", "_r": "1"}},
  {"ph": "M", "pid": 7, "name": "process_name", "args": {"name": "/host:CPU"}},
  {"ph": "M", "pid": 7, "tid": 1, "name": "thread_name", "args": {"name": "python"}},
  {}]})json";

TEST_CASE("a Chrome trace of JAX") {
  CHECK(trace::xla_json_format.sniff(json));
  CHECK(!trace::xla_json_format.sniff(R"({"traceEvents": [{"ph": "M", "name": "process_name"}]})"));
  CHECK(!trace::xla_json_format.sniff(
      R"({"traceEvents": [{"ph": "M", "name": "process_name", "args": {"name": "/host:CPU"}}, {"cat": "kernel"}]})"));
  const trace::Trace trace = read_json(json);
  CHECK(dump(trace) ==
        "5250 2500 kernel  (1) 16 loop_add_fusion\n"
        "9001 1000 memcpy  (1) 16 MemcpyD2H\n"
        "10001 0 kernel  (1) 16 without\n");
  CHECK(trace.untimed.size() == 1);
  CHECK(launch_of(trace, 0) == "cuLaunchKernel of python");
  CHECK(place_of(trace, 0) == "jit_f > M");
  CHECK(ranges_of(trace) == "train step_num=5 [0, 9000) all\n");
  CHECK(trace.details->of(0).get(trace::DetailField::grid_x) == 8);
  CHECK(trace.details->of(1).get(trace::DetailField::bytes) == 64);
}

TEST_CASE("a Chrome trace of JAX that is cut off, or is not one") {
  trace::OpenOptions tolerant = everything();
  tolerant.allow_truncated = true;
  for (size_t size = 1; size < json.size(); size += 3) {
    CAPTURE(size);
    CHECK_THROWS_AS(read_json(json.substr(0, size)), Error);
    CHECK_NOTHROW(read_json(json.substr(0, size), tolerant));
  }
  CHECK_THROWS_AS(read_json(R"({"traceEvents": [7]})"), Error);
  CHECK_THROWS_AS(read_json(R"({"traceEvents": {}})"), Error);
  CHECK_NOTHROW(
      read_json(R"({"traceEvents": [{"ph": 7, "pid": [], "ts": "x", "args": {"name": {}}}]})"));
}

}  // namespace
}  // namespace kr::test::xplane_test
