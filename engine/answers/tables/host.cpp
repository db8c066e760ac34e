// What the host did: calls that launched operations, and the ranges that enclose them.
#include "analyze/run.hpp"
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

void add_host_calls(const Source& source, RowSink& sink) {
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
      const bool correlated = launch.correlation != trace::Launch::no_correlation;
      sink.row({run.summary.id, static_cast<int64_t>(i), thread.process, thread.thread, call.name,
                call.driver ? "driver" : "runtime", correlated ? Cell(launch.correlation) : Cell(),
                launch.start_ns, launch.duration_ns, launched[i]});
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

void add_host_ranges(const Source& source, RowSink& sink) {
  const trace::RangeText no_text;
  for (const Run& run : source.runs) {
    const trace::HostTrace* host = run.get<analyze::LabelledTrace>().trace.host.get();
    if (host == nullptr) continue;
    for (size_t i = 0; i < host->ranges.size(); ++i) {
      const trace::HostRange& range = host->ranges[i];
      const trace::HostThread& thread = host->threads[range.thread];
      if (thread.reference) continue;
      const bool nested = range.parent != trace::HostRange::none;
      const bool more = !host->range_texts.empty();
      const trace::RangeText& text = more ? host->range_texts[range.name] : no_text;
      sink.row({run.summary.id, static_cast<int64_t>(i), thread.process, thread.thread,
                range.kind == trace::HostRange::Kind::module ? "module" : "annotation",
                host->range_names[range.name], range.start_ns, range.end_ns,
                nested ? Cell(int64_t{range.parent}) : Cell(), form_of(range.form),
                table::cell_or_nothing(text.domain), table::cell_or_nothing(text.text)});
    }
  }
}

table::Info many_rows(table::Info info) {
  info.many_rows = true;
  info.in_short_form = false;
  return info;
}

}  // namespace

const Definition host_calls_table{
    many_rows(
        {"host_calls",
         "host calls",
         "One row per run and call of the CUDA runtime or driver that can launch operations.",
         {{"run", Unit::text, Role::key, "The run."},
          {"call_id", Unit::id, Role::key, "Its place among the calls of the run by start."},
          {"process", Unit::text, Role::measure, "The process, as the trace names it."},
          {"thread", Unit::text, Role::measure, "The thread, as the trace names it."},
          {"api", Unit::text, Role::measure, "The function, such as `cudaLaunchKernel`."},
          {"type", Unit::text, Role::measure, "`runtime` or `driver`."},
          {"correlation", Unit::id, Role::detail, "The number that links operations to it.", true},
          {"start_ns", Unit::ns, Role::measure, "Its start, on the clock of the trace."},
          {"duration_ns", Unit::ns, Role::measure, "Its duration."},
          {"operations", Unit::count, Role::measure, "Operations that it launched."}}}),
    needs<analyze::LabelledTrace>, add_host_calls, without_host_trace, facts::Reads::host};

const Definition host_ranges_table{
    many_rows(
        {"host_ranges",
         "host ranges",
         "One row per run and range of the host: an nn.Module or an annotation.",
         {{"run", Unit::text, Role::key, "The run."},
          {"range_id", Unit::id, Role::key, "Its place among the ranges of the run."},
          {"process", Unit::text, Role::measure, "The process, as the trace names it."},
          {"thread", Unit::text, Role::measure, "The thread, as the trace names it."},
          {"type", Unit::text, Role::measure, "`module` or `annotation`."},
          {"name", Unit::text, Role::measure, "Its name."},
          {"start_ns", Unit::ns, Role::measure, "Its start, on the clock of the trace."},
          {"end_ns", Unit::ns, Role::measure,
           "Its end; the largest number if it was open when the trace ended."},
          {"parent_id", Unit::id, Role::measure,
           "The range of the thread that began last before it and had not ended.", true},
          {"form", Unit::text, Role::measure,
           "How the program marked it: `push_pop` or `start_end` of NVTX.", true},
          {"domain", Unit::text, Role::measure, "The NVTX domain, unless it is the default.", true},
          {"text", Unit::text, Role::detail,
           "Of a module whose name is only a part of its text, such as a dictionary with "
           "shapes: all of it.",
           true}}}),
    needs<analyze::LabelledTrace>, add_host_ranges, without_host_trace, facts::Reads::host};

}  // namespace kr::tables
