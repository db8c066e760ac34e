// Packets of Perfetto traces for tests, and what a reader makes of them as texts.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <zlib.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "support.hpp"
#include "support/protobuf.hpp"
#include "trace/format.hpp"
#include "trace/input.hpp"

namespace kr::test::perfetto_packets {

using P = Protobuf;

/// Of sequence 1, as a field of the trace.
inline std::string packet(P fields, uint64_t sequence = 1) {
  fields.number(10, sequence);
  return P().message(1, fields).bytes();
}
inline P at(uint64_t time, uint64_t flags = 2) {
  return P().number(8, time).number(13, flags);
}
inline P interned(uint64_t id, std::string_view text) {
  return P().number(1, id).text(2, text);
}
inline P note(std::string_view key, uint64_t value) {
  return P().text(10, key).number(4, value);
}
inline P extra(std::string_view key, std::string_view value) {
  return P().text(1, key).text(2, value);
}
inline std::string process(uint64_t uuid, uint64_t pid, std::string_view name) {
  return packet(P().message(60, P().number(1, uuid).message(3, P().number(1, pid).text(6, name))));
}
inline std::string thread(uint64_t uuid, uint64_t parent, uint64_t pid, uint64_t tid) {
  return packet(P().message(
      60, P().number(1, uuid).number(5, parent).message(4, P().number(1, pid).number(2, tid))));
}
inline std::string begin(uint64_t time, uint64_t track, std::string_view category,
                         std::string_view name, const std::vector<P>& notes = {},
                         uint64_t sequence = 1) {
  P event = P().number(9, 1).number(11, track).text(23, name);
  if (!category.empty()) event.text(22, category);
  for (const P& one : notes) event.message(4, one);
  return packet(P().number(8, time).message(11, event), sequence);
}
inline std::string end(uint64_t time, uint64_t track, uint64_t sequence = 1) {
  return packet(P().number(8, time).message(11, P().number(9, 2).number(11, track)), sequence);
}
/// Interned names as PyTorch writes them, and the context of a process.
inline std::string tables(uint64_t pid, uint64_t sequence = 1) {
  P data;
  for (const auto& [id, name] : {std::pair<uint64_t, std::string_view>{1, "Kernel"},
                                 {2, "Memcpy"},
                                 {4, "Annotation"},
                                 {100, "[0007] stream 7"},
                                 {101, "[0060] tp"}}) {
    data.message(24, interned(id, name));
  }
  data.message(23, P().number(1, 1).number(2, pid)).message(2, interned(1, "gemm"));
  return packet(P().number(13, 1).message(12, data), sequence);
}
inline std::string stage(uint64_t time, uint64_t duration, uint64_t what, uint64_t queue,
                         const std::vector<P>& more, uint64_t sequence = 1) {
  P event = P().number(1, 5).number(2, duration).number(11, 3).number(13, queue).number(14, what);
  event.number(5, 1);
  if (what == 1) event.number(20, 1);
  for (const P& one : more) event.message(6, one);
  return packet(at(time).message(53, event), sequence);
}

inline trace::OpenOptions everything() {
  trace::OpenOptions options;
  options.host = trace::HostDetail::all;
  options.operation_details = true;
  options.collectives = true;
  options.gpu_metrics = true;
  return options;
}

inline std::vector<trace::Trace> read_members(std::string_view bytes,
                                              const trace::OpenOptions& options = everything()) {
  trace::Input input(bytes, "t.pftrace", options);
  trace::TraceBuilder builder("t.pftrace", "perfetto");
  trace::perfetto_format.read(input, builder);
  return std::move(builder).finish_members();
}
inline trace::Trace read(std::string_view bytes, const trace::OpenOptions& options = everything()) {
  std::vector<trace::Trace> traces = read_members(bytes, options);
  REQUIRE(traces.size() == 1);
  return std::move(traces[0]);
}
inline std::string error_in(std::string_view bytes, bool allow_truncated = false) {
  trace::OpenOptions options = everything();
  options.allow_truncated = allow_truncated;
  try {
    read_members(bytes, options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline std::string dropped(const trace::Trace& trace) {
  std::string out;
  for (const trace::DroppedRecords& one : trace.dropped) {
    out += fmt::format("{} {}\n", one.count, one.what);
  }
  return out;
}

inline std::string calls_of(const trace::Trace& trace) {
  std::string out;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Launch* const launch = trace.host->launch(i);
    if (launch == nullptr) {
      out += "-\n";
      continue;
    }
    const trace::HostThread& thread = trace.host->threads[launch->thread];
    out += fmt::format("{} {} {} {}:{}\n", trace.host->calls[launch->call].name, launch->start_ns,
                       launch->duration_ns, thread.process, thread.thread);
  }
  return out;
}

inline std::string ranges_of(const trace::Trace& trace) {
  std::string out;
  for (const trace::HostRange& range : trace.host->ranges) {
    out += fmt::format("{} {} {} {}\n", range.start_ns, range.end_ns,
                       range.kind == trace::HostRange::Kind::module ? "module" : "annotation",
                       trace.host->range_names[range.name]);
  }
  return out;
}

inline std::string deflated(std::string_view bytes) {
  std::string out(compressBound(static_cast<uLong>(bytes.size())), '\0');
  uLongf size = static_cast<uLongf>(out.size());
  REQUIRE(compress(reinterpret_cast<Bytef*>(out.data()), &size,
                   reinterpret_cast<const Bytef*>(bytes.data()),
                   static_cast<uLong>(bytes.size())) == Z_OK);
  out.resize(size);
  return out;
}

/// Render stages, calls before them, and the slices of calls as a group.
inline std::string torch() {
  return process(1, 50, "python") + thread(2, 1, 50, 51) + tables(50) +
         begin(100, 2, "python_function", "nn.Module: Linear_0") +
         begin(110, 2, "cuda_runtime", "cudaLaunchKernel", {note("correlation", 8)}) +
         begin(120, 2, "cuda_runtime", "cudaMemcpyAsync", {note("correlation", 9)}) +
         begin(90, 2, "python_function", "f.py(3): forward") + end(200, 2) + end(115, 2) +
         end(130, 2) + end(95, 2) +
         stage(1000, 40, 1, 100, {extra("stream id", "7"), extra("correlation", "8")}) +
         stage(1040, 5, 2, 100, {extra("stream id", "7"), extra("correlation", "9")}) +
         stage(1000, 400, 4, 100, {extra("stream id", "7")});
}

inline bool sniffed(std::string_view head) {
  return trace::perfetto_format.sniff(head);
}

}  // namespace kr::test::perfetto_packets
