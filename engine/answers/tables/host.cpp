// What the host did: calls that launched operations, and the ranges that enclose them.
#include "analyze/run.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::string without_host_trace(const Source& source) {
  for (const Run& run : source.runs) {
    if (run.get<analyze::LabelledTrace>().trace.host) return {};
  }
  return "no trace contains the host's calls or ranges";
}

struct HostCallRow : Parts<Run, trace::Launch, trace::HostCall, trace::HostThread> {
  size_t id;
  int64_t operations;
};

void add_host_calls(const Source& source, Rows<HostCallRow>& rows) {
  for (const Run& run : source.runs) {
    const trace::HostTrace* host = run.get<analyze::LabelledTrace>().trace.host.get();
    if (host == nullptr) continue;
    std::vector<int64_t> launched(host->launches.size());
    for (const uint32_t launch : host->launch_of) {
      if (launch != trace::HostRange::none) ++launched[launch];
    }
    for (size_t i = 0; i < host->launches.size(); ++i) {
      const trace::Launch& launch = host->launches[i];
      const trace::HostCall& call = host->calls[launch.call];
      const trace::HostThread& thread = host->threads[launch.thread];
      rows.add({{run, launch, call, thread}, i, launched[i]});
    }
  }
}

Cell form_of(trace::HostRange::Form form) {
  switch (form) {
    case trace::HostRange::Form::call:
      break;
    case trace::HostRange::Form::push_pop:
      return "push_pop";
    case trace::HostRange::Form::start_end:
      return "start_end";
  }
  return {};
}

struct HostRangeRow : Parts<Run, trace::HostRange, trace::HostThread, trace::RangeText> {
  size_t id;
  std::string_view name;
};

void add_host_ranges(const Source& source, Rows<HostRangeRow>& rows) {
  const trace::RangeText no_text;
  for (const Run& run : source.runs) {
    const trace::HostTrace* host = run.get<analyze::LabelledTrace>().trace.host.get();
    if (host == nullptr) continue;
    for (size_t i = 0; i < host->ranges.size(); ++i) {
      const trace::HostRange& range = host->ranges[i];
      const trace::HostThread& thread = host->threads[range.thread];
      if (thread.other_clock) continue;
      const bool more = !host->range_texts.empty();
      const trace::RangeText& text = more ? host->range_texts[range.name] : no_text;
      rows.add({{run, range, thread, text}, i, host->range_names[range.name]});
    }
  }
}

template <class Row>
InfoOf<Row> many_rows(InfoOf<Row> info) {
  info.many_rows = true;
  info.in_short_form = false;
  return info;
}

}  // namespace

const Definition host_calls_table = TableOf<HostCallRow>{
    many_rows<HostCallRow>(
        {"host_calls",
         "host calls",
         "One row per run and call of the CUDA runtime or driver that can launch operations.",
         {run_column,
          {"call_id", Unit::id, Role::key, "Its place among the calls of the run by start.",
           &HostCallRow::id},
          {"process", Unit::text, Role::measure, "The process, as the trace names it.",
           &trace::HostThread::process},
          {"thread", Unit::text, Role::measure, "The thread, as the trace names it.",
           &trace::HostThread::thread},
          {"api", Unit::text, Role::measure, "The function, such as `cudaLaunchKernel`.",
           &trace::HostCall::name},
          {"type", Unit::text, Role::measure, "`runtime` or `driver`.",
           [](const trace::HostCall& call) { return call.driver ? "driver" : "runtime"; }},
          {"correlation", Unit::id, Role::detail, "The number that links operations to it.",
           [](const trace::Launch& launch) {
             return launch.correlation != trace::Launch::no_correlation ? Cell(launch.correlation)
                                                                        : Cell();
           },
           optional},
          {"start_ns", Unit::ns, Role::measure, "Its start, on the clock of the trace.",
           &trace::Launch::start_ns},
          {"duration_ns", Unit::ns, Role::measure, "Its duration.", &trace::Launch::duration_ns},
          {"operations", Unit::count, Role::measure, "Operations that it launched.",
           &HostCallRow::operations}}}),
    needs<analyze::LabelledTrace>, add_host_calls, without_host_trace, facts::Reads::host};

const Definition host_ranges_table = TableOf<HostRangeRow>{
    many_rows<HostRangeRow>(
        {"host_ranges",
         "host ranges",
         "One row per run and range of the host: an nn.Module or an annotation.",
         {run_column,
          {"range_id", Unit::id, Role::key, "Its place among the ranges of the run.",
           &HostRangeRow::id},
          {"process", Unit::text, Role::measure, "The process, as the trace names it.",
           &trace::HostThread::process},
          {"thread", Unit::text, Role::measure, "The thread, as the trace names it.",
           &trace::HostThread::thread},
          {"type", Unit::text, Role::measure, "`module` or `annotation`.",
           [](const trace::HostRange& range) {
             return range.kind == trace::HostRange::Kind::module ? "module" : "annotation";
           }},
          {"name", Unit::text, Role::measure, "Its name.", &HostRangeRow::name},
          {"start_ns", Unit::ns, Role::measure, "Its start, on the clock of the trace.",
           &trace::HostRange::start_ns},
          {"end_ns", Unit::ns, Role::measure,
           "Its end; the largest number if it was open when the trace ended.",
           &trace::HostRange::end_ns},
          {"parent_id", Unit::id, Role::measure,
           "The range of the thread that began last before it and had not ended.",
           [](const trace::HostRange& range) {
             return range.parent != trace::HostRange::none ? Cell(int64_t{range.parent}) : Cell();
           },
           optional},
          {"form", Unit::text, Role::measure,
           "How the program marked it: `push_pop` or `start_end` of NVTX.",
           [](const trace::HostRange& range) { return form_of(range.form); }, optional},
          {"domain", Unit::text, Role::measure, "The NVTX domain, unless it is the default.",
           &trace::RangeText::domain, optional},
          {"text", Unit::text, Role::detail,
           "Of a module whose name is only a part of its text, such as a dictionary with "
           "shapes: all of it.",
           &trace::RangeText::text, optional}}}),
    needs<analyze::LabelledTrace>, add_host_ranges, without_host_trace, facts::Reads::host};

}  // namespace kr::tables
