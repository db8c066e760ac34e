#include "trace/readers/rocprof_layout.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "trace/readers/csv_cursor.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

std::string bare_title(std::string_view title) {
  std::string out;
  for (const char c : title) {
    const char small = lower(c);
    if (is_lower(small) || is_digit(small)) out += small;
  }
  return out;
}

constexpr const char* kernel_trace =
    "read its kernel_trace.csv: `rocprofv3 --kernel-trace --output-format csv`";

/// What has no operations, by columns that only it has.
struct OtherRocprof {
  std::array<std::string_view, 3> titles;  // those that are not empty
  const char* why;
  const char* remedy;
};
constexpr std::array other_rocprof{
    OtherRocprof{{"name"sv, "calls"sv, "totaldurationns"sv},
                 "is a summary of rocprofv3 (`--stats`): it has no start times",
                 kernel_trace},
    OtherRocprof{{"allocationsize"sv, "address"sv, "operation"sv},
                 "contains allocations of memory, no kernels and copies",
                 kernel_trace},
    OtherRocprof{{"allocflags"sv, "operation"sv, ""sv},
                 "contains waits for scratch memory, no kernels and copies",
                 kernel_trace},
    OtherRocprof{{"sampletimestamp"sv, "dispatchid"sv, ""sv},
                 "contains samples of instructions, no kernels and copies",
                 kernel_trace},
    OtherRocprof{{"countername"sv, "countervalue"sv, ""sv},
                 "contains counters of dispatches without their times",
                 kernel_trace},
};

class RocprofHeader {
 public:
  explicit RocprofHeader(const std::vector<std::string_view>& titles) {
    for (const std::string_view title : titles) {
      titles_.push_back(bare_title(title));
      layout_.titles.emplace_back(title);
    }
  }

  std::optional<RocprofLayout> read() {
    RocprofLayout& out = layout_;
    out.start = column("starttimestamp");
    out.end = column("endtimestamp");
    out.guid = column("guid");
    out.correlation = column("correlationid");
    out.process = column("processid");
    out.thread = column("threadid");
    out.agent = column("agentid");
    out.queue = column("queueid");
    out.dispatch = column("dispatchid");
    out.block = {column("workgroupsizex"), column("workgroupsizey"), column("workgroupsizez")};
    out.grid = {column("gridsizex"), column("gridsizey"), column("gridsizez")};
    const bool timed = out.start && out.end;
    if (const auto counter = column("countername"); counter && timed && column("kernelname")) {
      out.kind = RocprofKind::counters;
      out.counter = counter;
      out.name = column("kernelname");
      if (out.dispatch) return std::move(out);
    } else if (timed && out.dispatch && column("kernelname")) {
      out.kind = RocprofKind::kernels;
      out.name = column("kernelname");
      return std::move(out);
    } else if (timed && column("direction") && column("destinationagentid")) {
      out.kind = RocprofKind::copies;
      out.name = column("direction");
      out.to_agent = column("destinationagentid");
      out.agent = column("sourceagentid");
      return std::move(out);
    } else if (timed && column("domain") && column("function")) {
      out.kind = RocprofKind::calls;
      out.domain = column("domain");
      out.name = column("function");
      return std::move(out);
    } else if (column("agenttype") && column("logicalnodeid")) {
      out.kind = RocprofKind::agents;
      out.node = column("logicalnodeid");
      out.type = column("agenttype");
      out.type_index = column("logicalnodetypeid");
      out.product = column("productname");
      if (!out.product) out.product = column("name");
      out.why = "lists the CPUs and GPUs of a machine, no kernels and copies";
      out.remedy = "name its folder";
      return std::move(out);
    }
    for (const OtherRocprof& one : other_rocprof) {
      const bool all = std::ranges::all_of(
          one.titles, [&](std::string_view title) { return title.empty() || column(title); });
      if (!all) continue;
      out.kind = RocprofKind::other;
      out.why = one.why;
      out.remedy = one.remedy;
      return std::move(out);
    }
    return std::nullopt;
  }

 private:
  std::optional<size_t> column(std::string_view title) const {
    const auto at = std::ranges::find(titles_, title);
    if (at == titles_.end()) return std::nullopt;
    return static_cast<size_t>(at - titles_.begin());
  }

  RocprofLayout layout_;
  std::vector<std::string> titles_;
};

}  // namespace

std::string_view plural_of(RocprofKind kind) noexcept {
  constexpr std::array plurals{"agents"sv, "kernels"sv,  "copies"sv,
                               "calls"sv,  "counters"sv, "records without operations"sv};
  return plurals[static_cast<size_t>(kind)];
}

std::optional<RocprofLayout> read_rocprof_header(std::string_view line) {
  CsvRow row;
  row.read(trimmed(line));
  if (row.end != CsvRow::End::text_ended) return std::nullopt;
  return RocprofHeader(row.cells).read();
}

std::optional<RocprofLayout> rocprof_layout(std::string_view head) {
  if (head.starts_with(byte_order_mark)) head.remove_prefix(byte_order_mark.size());
  const size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos) return std::nullopt;
  const size_t end = std::min(head.find('\n', begin), head.size());
  return read_rocprof_header(head.substr(begin, end - begin));
}

std::string rocprof_prefix(std::string_view path) {
  constexpr std::array ends{"_trace"sv, "_collection"sv, "_info"sv};
  constexpr std::array words{
      "kernel"sv,  "memory"sv,  "copy"sv,    "allocation"sv, "scratch"sv,  "hip"sv,   "hsa"sv,
      "rccl"sv,    "marker"sv,  "api"sv,     "runtime"sv,    "compiler"sv, "core"sv,  "range"sv,
      "amd"sv,     "ext"sv,     "image"sv,   "finalize"sv,   "counter"sv,  "agent"sv, "rocdecode"sv,
      "rocjpeg"sv, "hipfile"sv, "kokkosp"sv, "ompt"sv,       "compile"sv};
  std::string_view name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.rfind(".csv"));
  const auto* const end = std::ranges::find_if(
      ends, [&](std::string_view one) { return name.ends_with(one.substr(1)); });
  if (end == ends.end()) return {};
  name.remove_suffix(end->size() - 1);
  while (name.ends_with('_')) {
    name.remove_suffix(1);
    const std::string_view last = name.substr(name.rfind('_') + 1);
    if (std::ranges::find(words, last) == words.end()) return std::string(name);
    name.remove_suffix(last.size());
  }
  return std::string(name);
}

}  // namespace kr::trace
