// The pages of analyses.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "base/file.hpp"
#include "base/sqlite.hpp"
#include "coverage/suggest.hpp"
#include "make_pages.hpp"
#include "overview/overview.hpp"
#include "page/pages.hpp"
#include "picture/label_styles.hpp"
#include "render/render.hpp"
#include "sema/load.hpp"
#include "session/session.hpp"
#include "tables/registry.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::test::analysis_pages {
namespace {

kr::match::CompiledRules rules() {
  constexpr const char* text = R"(
labels substage { gemm "Matrix products" color "#4e79a7"  attn color "#59a14f"
  comm color "#c0392b"  misc }
engine e "E" {
  phases { prefill: "EXTEND"  decode: /DECODE (?<step>\d+)/ }
  substage { gemm: "gemm"  attn: "attn"  comm: "nccl"  misc: otherwise }
  stage { layer: "gemm" | "attn"  other: otherwise }
}
)";
  return compile_rules(text);
}

/// Events of a trace, one after the other.
class Events {
 public:
  Events& add(std::string_view category, std::string_view name, int64_t start_ns,
              int64_t duration_ns, int64_t correlation = 0, int device = 0) {
    text_ += fmt::format(
        R"({}{{"ph":"X","cat":"{}","name":{},"pid":1,"tid":1,"ts":{}e-3,"dur":{}e-3,"args":{{"correlation":{},"device":{},"stream":7}}}})",
        text_.empty() ? "" : ",\n", category, quoted(name), start_ns, duration_ns, correlation,
        device);
    return *this;
  }
  std::string finish() const { return "{\"traceEvents\":[" + text_ + "]}"; }

 private:
  /// Only what has to be escaped is: bytes that are not UTF-8 stay.
  static std::string quoted(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) < 0x20) {
        out += fmt::format("\\u{:04x}", c);
      } else {
        out += c;
      }
    }
    return out + "\"";
  }
  std::string text_;
};

/// A prefill and `steps` decodes of 8 layers, each launched as a graph, with a collective at its
/// end.
std::string decode_trace(int steps, int64_t slow, std::string_view own_name) {
  Events events;
  int64_t now = 1000;
  for (int step = 0; step <= steps; ++step) {
    const std::string name = step == 0 ? "step[EXTEND bs=1]" : fmt::format("step[DECODE {}]", step);
    events.add("user_annotation", name, now, 9000);
    events.add("cuda_runtime", "cudaGraphLaunch", now + 100, 500, step + 1);
    int64_t at = now + 2000;
    const auto kernel = [&](std::string_view what, int64_t length) {
      events.add("kernel", what, at, length, step + 1);
      at += length + 20;
    };
    for (int layer = 0; layer < 8; ++layer) {
      kernel("gemm_qkv", 800 + step % 7);
      kernel("attn_decode", 300 + slow);
      kernel("gemm_mlp", 1200);
      kernel("rms_norm", 90);
    }
    kernel("ncclDevKernel_AllReduce", 400 + 3 * slow);
    kernel(own_name, 50);
    now = at + 500 * slow;
  }
  events.add("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", now, 700);
  return events.finish();
}

std::string hostile_trace() {
  Events events;
  int64_t now = 0;
  events.add("user_annotation", "step[EXTEND <script>window.hacked = 4</script>]", 0, 100000);
  for (const std::string& name :
       {std::string("<script>window.hacked = 1; alert(1)</script>"),
        std::string("</script><script>window.hacked = 2</script>"), std::string("<!--<script>"),
        std::string("<img src=x onerror=\"window.hacked = 3\">"),
        std::string("=cmd()|'/C calc'!A0"), std::string("quote \" comma , newline \n end"),
        std::string("broken \xff\xc3 utf-8 \x80"), std::string("escape \x1b[31m"),
        std::string("turn \xe2\x80\xae around"), std::string("\\u003cb\\u003e"),
        std::string(":1234567890123456789,"), std::string("\"results\":{}"), std::string(5000, 'k'),
        std::string("__proto__"), std::string("nul \0 inside", 12)}) {
    events.add("cuda_runtime", "<b>cudaLaunchKernel</b>", now, 10, now + 1);
    events.add("kernel", name, now + 500, 1000 + now, now + 1);
    now += 2000;
  }
  return events.finish();
}

std::string wide_trace() {
  Events events;
  for (int i = 0; i < 3000; ++i) {
    const int64_t now = i * 10000;
    events.add("user_annotation", fmt::format("step[DECODE {}]", i), now, 5000);
    events.add("cuda_runtime", "cudaLaunchKernel", now + 10, 10, i + 1);
    events.add("kernel", fmt::format("kernel_{}_{}", i % 5 == 0 ? "gemm" : "attn", i), now + 100,
               1000 + i, i + 1);
  }
  return events.finish();
}

/// An nsys export of two GPUs: decodes of a long product, an attention and a norm that is shorter
/// than the period of samples, which are of 16 metrics every 100 µs. The second GPU has nothing but
/// a product, and a lower clock in its second half.
void write_sampled(const std::string& path) {
  constexpr int64_t us = 1000;
  constexpr std::array metrics{"GPC Clock Frequency [MHz]",
                               "GR Active [Throughput %]",
                               "Sync Compute In Flight [Throughput %]",
                               "SMs Active [Throughput %]",
                               "SM Issue [Throughput %]",
                               "Tensor Active [Throughput %]",
                               "Compute Warps in Flight [Throughput %]",
                               "Vertex/Tess/Geometry Warps in Flight [Throughput %]",
                               "Unallocated Warps in Active SMs [Throughput %]",
                               "DRAM Read Bandwidth [Throughput %]",
                               "DRAM Write Bandwidth [Throughput %]",
                               "NVLink RX Requests User Data [Throughput %]",
                               "NVLink TX Responses Protocol Data [Throughput %]",
                               "PCIe RX Throughput [Throughput %]",
                               "PCIe TX Throughput [Throughput %]",
                               "<img src=x onerror='window.hacked = 5'> [Throughput %]"};
  std::string sql =
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (1, 'gemm_qkv'), (2, 'attn_decode'), (3, 'rms_norm'), (9, "
      "'cudaLaunchKernel_v7000');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, "
      "demangledName INT, correlationId INT, globalPid INT);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId "
      "INT, nameId INT);"
      "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, globalTid INT, text TEXT);"
      "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, cuDevice INT);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100 80GB HBM3', 0), (1, 'NVIDIA H100 80GB "
      "HBM3', 1);"
      "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, metricId INT, metricName TEXT);"
      "CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);"
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INT, globalPid INT, deviceId INT, address "
      "INT, bytes INT, memKind INT, memoryOperationType INT);";
  int64_t launch = 0;
  const auto kernel = [&](int device, int name, int64_t start, int64_t end) {
    ++launch;
    sql += fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({0}, {1}, 1, {2}, 9);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({3}, {4}, {5}, 7, {6}, {2}, 0);",
        launch * 10, launch * 10 + 5, launch, start * us, end * us, device, name);
  };
  constexpr int64_t steps = 20;
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t at = 1000 + 2000 * step;
    sql += fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, 1, 'step[DECODE {}]');",
                       launch * 10 + 6, launch * 10 + 49, step);
    // Every second step keeps what it allocates: the last one has the most.
    for (int64_t type = 0; type <= step % 2; ++type) {
      sql +=
          fmt::format("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES ({}, 0, 0, {}, {}, 2, {});",
                      launch * 10 + 7 + type, 4096 * step, 1 << 20, type);
    }
    kernel(0, 1, at, at + 1200);
    kernel(0, 2, at + 1200, at + 1850);
    if (step == 0) kernel(0, 3, at + 1855, at + 1860);
    kernel(1, 1, at + 100, at + 700);
  }
  for (int64_t gpu = 0; gpu < 2; ++gpu) {
    const int64_t type = int64_t{0x41} << 48 | gpu;
    for (size_t metric = 0; metric < metrics.size(); ++metric) {
      std::string name = metrics[metric];
      for (size_t quote = 0; (quote = name.find('\'', quote)) != name.npos; quote += 2) {
        name.insert(quote, 1, '\'');
      }
      sql += fmt::format("INSERT INTO TARGET_INFO_GPU_METRICS VALUES ({}, {}, '{}');", type, metric,
                         name);
      for (int64_t at = 0; at < 2000 * steps; at += 100) {
        const int64_t clock = gpu == 1 && at > 1000 * steps ? 1410 : 1980;
        sql +=
            fmt::format("INSERT INTO GPU_METRICS VALUES ({}, {}, {}, {});", at * us, type, metric,
                        metric == 0 ? clock : static_cast<int64_t>(metric * 37 + at / 100) % 101);
      }
    }
  }
  kr::sqlite::Database::write(path).execute(sql);
}

/// What `kr analyze` has when no tables are chosen, and the other tables about runs.
std::vector<kr::Table> tables_of(const kr::tables::Source& source) {
  std::vector<kr::Table> made;
  for (const kr::tables::Definition* one : kr::tables::all_parts()) {
    if (!kr::tables::is_about_runs(*one)) continue;
    if (kr::tables::absent(*one, source).empty()) made.push_back(kr::tables::make(*one, source));
  }
  return made;
}

/// Of what they are made.
kr::session::Demand demand_of_runs() {
  constexpr kr::facts::Set of_others =
      kr::facts::Set::of<kr::analyze::LabelledTrace, kr::analyze::FoundPhases,
                         kr::what_if::RunReplay, kr::cost::CostedRun, kr::job::Members>();
  std::vector<const kr::tables::Definition*> wanted;
  for (const kr::tables::Definition* one : kr::tables::all_parts()) {
    if (kr::tables::is_about_runs(*one) && !one->needs.has_any(of_others)) wanted.push_back(one);
  }
  return kr::session::Demand::of(wanted);
}

/// The traces of a page are files, as of the ranks of a job.
class Analysis {
 public:
  Analysis(const kr::match::CompiledRules& rules, std::filesystem::path folder, std::string name,
           const std::vector<std::string>& traces)
      : folder_(std::move(folder)), name_(std::move(name)), session_(rules) {
    std::vector<std::string> paths;
    for (size_t i = 0; i < traces.size(); ++i) {
      paths.push_back(input(fmt::format("rank{}.json", i)));
      kr::write_file(paths.back(), traces[i]);
    }
    read(paths);
  }
  /// `write` gets the path of the only trace.
  Analysis(const kr::match::CompiledRules& rules, std::filesystem::path folder, std::string name,
           void (*write)(const std::string&))
      : folder_(std::move(folder)), name_(std::move(name)), session_(rules) {
    const std::string path = input("run.sqlite");
    std::filesystem::remove(path);
    write(path);
    read({path});
  }

  kr::tables::Source& source() { return session_.source(); }

  /// The page, and the JSON that it contains.
  void write() const {
    const kr::tables::Source& source = session_.source();
    const std::vector<kr::Table> tables = tables_of(source);
    kr::overview::Report report;
    report.title = name_;
    report.runs = source.summaries();
    report.styles = kr::picture::label_styles(source.rules->program(), report.runs);
    kr::write_file(folder_ / (name_ + ".html"), kr::page::report_html(source, tables, report));
    kr::write_file(folder_ / ("tables-" + name_ + ".html"),
                   kr::page::tables_html(tables, "<b>kr</b> " + name_, 1000));
    std::string json;
    kr::render::json(tables, [&](std::string_view piece) { json += piece; });
    kr::write_file(folder_ / (name_ + ".json"), json);
  }

 private:
  std::string input(const std::string& file) const {
    const std::filesystem::path inputs = folder_ / "traces" / name_;
    std::filesystem::create_directories(inputs);
    return (inputs / file).string();
  }
  void read(const std::vector<std::string>& paths) {
    std::vector<kr::classify::RunSpec> specs;
    for (const std::string& path : paths) specs.push_back({path, "e", {}, {}});
    session_.read(specs, demand_of_runs());
  }

  std::filesystem::path folder_;
  std::string name_;
  kr::session::Session session_;
};

/// The pages of a comparison, of its own and of its tables.
void write_comparison(const kr::match::CompiledRules& rules, const std::filesystem::path& folder,
                      const std::string& name, const std::string& a, const std::string& b) {
  kr::session::RunComparison how;
  std::vector<kr::classify::RunSpec> specs;
  std::filesystem::create_directories(folder / "traces" / name);
  for (auto [side, file, trace] :
       {std::tuple(&how.a, "before", &a), std::tuple(&how.b, "after", &b)}) {
    const std::filesystem::path path = folder / "traces" / name / fmt::format("{}.json", file);
    kr::write_file(path, *trace);
    side->push_back(path.string());
    specs.push_back({path.string(), "e", {}, {}});
  }
  kr::session::Session session(rules);
  session.read(specs, kr::session::Demand::of_comparison(false));
  session.compare_runs(how);
  std::vector<kr::Table> tables;
  for (const char* id : {"runs", "notes", "comparison", "phase_changes", "label_changes",
                         "substitutions", "name_changes"}) {
    tables.push_back(kr::tables::make(*kr::tables::find(id), session.source()));
  }
  kr::write_file(folder / ("tables-" + name + ".html"), kr::page::tables_html(tables, name, 1000));
  kr::write_file(folder / ("diff-" + name + ".html"),
                 kr::page::diff_html(session.source(), tables, "substage"));
  std::string json;
  kr::render::json(tables, [&](std::string_view piece) { json += piece; });
  kr::write_file(folder / ("diff-" + name + ".json"), json);
}

}  // namespace

/// Sums beyond what a double represents to the nanosecond, of kernels that take less than a day.
std::string huge_trace() {
  constexpr int64_t each_ns = 80'000'000'000'000;
  Events events;
  int64_t now_ns = 5;
  const auto add = [&](const char* name, int64_t total_ns) {
    for (; total_ns > 0; total_ns -= std::min(total_ns, each_ns)) {
      events.add("kernel", name, now_ns, std::min(total_ns, each_ns));
      now_ns += std::min(total_ns, each_ns);
    }
  };
  add("gemm", 20'000'000'000'000'001);
  add("attn", 1'000'000'000'000'003);
  return events.finish();
}

void make(const std::filesystem::path& folder) {
  const kr::match::CompiledRules compiled = rules();
  const auto analysis = [&](const char* name, const std::vector<std::string>& traces) {
    return Analysis(compiled, folder, name, traces);
  };
  analysis("analysis", {decode_trace(6, 0, "only_here"), decode_trace(6, 9, "only_there")}).write();
  analysis("analysis-one", {decode_trace(40, 2, "k")}).write();
  Analysis(compiled, folder, "analysis-gpu", write_sampled).write();
  analysis("analysis-wide", {wide_trace()}).write();
  analysis("analysis-empty", {R"({"traceEvents":[]})"}).write();
  analysis("analysis-huge", {huge_trace()}).write();

  // Four ranks, against jobs of one rank and of two.
  const auto ranks = [&](int count) {
    std::vector<std::string> traces;
    for (int rank = 0; rank < count; ++rank) traces.push_back(decode_trace(8 / count, rank, "k"));
    return traces;
  };
  Analysis scaling = analysis("analysis-scaling", ranks(4));
  for (const int count : {1, 2}) {
    Analysis job = analysis("job", ranks(count));
    scaling.source().baselines.push_back(
        {fmt::format("{} <b>ranks", count), std::move(job.source().runs)});
  }
  scaling.write();

  // Runs of very different length; and the same steps with a slower attention and another kernel.
  write_comparison(compiled, folder, "comparison", decode_trace(900, 2, "sampling_900"),
                   decode_trace(1, 2, "sampling_1"));
  write_comparison(compiled, folder, "steps", decode_trace(24, 2, "sampling_kernel_v1"),
                   decode_trace(24, 60, "sampling_kernel_v2<b>"));
  Analysis hostile = analysis("analysis-hostile", {hostile_trace()});
  kr::analyze::RunSummary& run = hostile.source().runs[0].summary;
  run.dropped.push_back({"events with a <u>negative</u> duration", 3, 1234});
  run.inexact = "the trace has times in <u>whole</u> microseconds";
  run.warnings = {{"truncated", "The file ends in the middle of <u>an event</u>."}};
  kr::coverage::TimeCoverage coverage;  // for a note on all runs
  coverage.omitted_groups = 20'000;
  hostile.source().coverage = &coverage;
  hostile.write();
}

}  // namespace kr::test::analysis_pages
