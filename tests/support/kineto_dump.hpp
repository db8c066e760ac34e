// PyTorch traces as text, and read out of a text.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "support/enclosing.hpp"
#include "trace/format.hpp"

namespace kr::test {

/// A line an operation, and with a host trace its launch and the ranges that stand in.
inline std::string dump_kineto(const trace::Trace& trace) {
  std::string out;
  std::vector<uint32_t> annotation_of;  // by launch: the innermost
  if (trace.host != nullptr) {
    const trace::HostTrace& host = *trace.host;
    for (const trace::Launch& launch : host.launches) {
      annotation_of.push_back(trace::HostRange::none);
      for (const uint32_t range : enclosing(host, launch)) {
        const bool wanted = host.ranges[range].kind == trace::HostRange::Kind::annotation;
        if (wanted) annotation_of.back() = range;
      }
    }
  }
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    const trace::OperationName& name = trace.names.get(operation.name);
    const trace::Track& track = trace.track(operation.track);
    out +=
        fmt::format("{} {} {} `{}` {}/{} {}", operation.start_ns, operation.duration_ns,
                    to_string(name.kind), name.text, track.device, track.stream, track.device_name);
    if (trace.host != nullptr) {
      const trace::HostTrace& host = *trace.host;
      if (const trace::Launch* launch = host.launch(i)) {
        out += fmt::format(" <- {} {} {} {}/{}", launch->start_ns, launch->duration_ns,
                           host.calls[launch->call].name, host.threads[launch->thread].process,
                           host.threads[launch->thread].thread);
        for (const uint32_t range : host.modules_at(launch->thread, launch->start_ns)) {
          out += " > " + host.range_names[host.ranges[range].name];
        }
        const uint32_t annotation = annotation_of[host.launch_of[i]];
        if (annotation != trace::HostRange::none) {
          out += " in " + host.range_names[host.ranges[annotation].name];
        }
      }
    }
    out += '\n';
  }
  if (trace.host != nullptr) {
    const trace::HostTrace& host = *trace.host;
    out += fmt::format("{} launches, {} ranges, {} orphans, {} uncorrelated\n",
                       host.launches.size(), host.ranges.size(), host.orphans, host.uncorrelated);
  }
  return out;
}

inline std::string dump_dropped(const trace::Trace& trace) {
  std::string out;
  for (const trace::DroppedRecords& records : trace.dropped) {
    out += fmt::format("{} x {} at {}\n", records.count, records.what, records.first_offset);
  }
  return out;
}

inline trace::Trace read_kineto(std::string_view text, trace::OpenOptions options = {},
                                bool allow_truncated = false,
                                trace::HostDetail host = trace::HostDetail::none) {
  options.allow_truncated = allow_truncated;
  options.host = host;
  trace::Input input(text, "t.json", options);
  trace::TraceBuilder builder("t.json", "kineto-json");
  trace::kineto_json_format.read(input, builder);
  return std::move(builder).finish();
}

/// The names of ranges alone.
inline std::set<std::string> range_names(std::string_view text,
                                         const trace::OpenOptions& reading = {}) {
  const trace::Trace trace = read_kineto(text, reading, false, trace::HostDetail::range_names);
  return {trace.range_names.begin(), trace.range_names.end()};
}

/// `what()` of the Error; empty where there is none.
inline std::string kineto_error(std::string_view text, const trace::OpenOptions& reading = {},
                                bool allow_truncated = false) {
  try {
    read_kineto(text, reading, allow_truncated);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace kr::test
