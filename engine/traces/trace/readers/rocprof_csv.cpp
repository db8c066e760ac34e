// `rocprofv3 --output-format csv`: a file per domain (kernel_trace.csv, memory_copy_trace.csv,
// hip_api_trace.csv or hip_runtime_trace.csv, marker_api_trace.csv, …), all of one run in a folder,
// or one of them by itself. Also those that `rocpd convert` and rocpd2csv write, which begin with a
// column `Guid` and may have several processes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "base/utf8.hpp"
#include "trace/format.hpp"
#include "trace/rank_place.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/readers/cupti_layout.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/rocm_names.hpp"
#include "trace/readers/rocprof_layout.hpp"
#include "trace/readers/rocprof_rows.hpp"

namespace kr::trace {
namespace {

/// All files of a run into one trace.
class RocprofMerge {
 public:
  RocprofMerge(TraceBuilder& out, HostDetail host) : out_(&out), host_(host) {
    if (host == HostDetail::all) out.host();
  }

  void add(RocprofRows& rows) {
    if (!rows.dispatches.empty()) keep_once(rows);
    std::vector<int64_t> numbers;
    numbers.reserve(rows.members.size());
    for (const std::string& member : rows.members) {
      const auto next = static_cast<int64_t>(members_.size());
      numbers.push_back(members_.try_emplace(member, next).first->second);
    }
    const auto link = [&](int64_t& id, size_t record) {
      if (id != Launch::no_correlation) id |= numbers[rows.member_of[record]] << 32;
    };
    for (size_t i = 0; i < rows.correlations.size(); ++i) link(rows.correlations[i], i);
    for (size_t i = 0; i < rows.launches.size(); ++i) link(rows.launches[i].correlation, i);
    counters_.insert(rows.counters.begin(), rows.counters.end());
    of_tracer_ += rows.of_tracer;
    add_block(rows, *out_);
  }

  void finish() {
    forget_only_member();
    if (!counters_.empty()) {
      out_->warn("counters",
                 fmt::format("While counters are collected kernels run one after another: idle "
                             "time and overlap are not those of the program. The values of {} ({}) "
                             "are not read.",
                             plural(counters_.size(), "counter"),
                             some_of({counters_.begin(), counters_.end()})));
    }
    if (host_ == HostDetail::all) note_calls_of_tracer(of_tracer_, *out_);
  }

 private:
  /// A dispatch has a row per counter.
  void keep_once(RocprofRows& rows) {
    size_t kept = 0;
    for (size_t i = 0; i < rows.operations.size(); ++i) {
      const std::string& member = rows.members[rows.member_of[i]];
      if (!dispatches_.emplace(member, rows.dispatches[i]).second) continue;
      rows.operations[kept] = rows.operations[i];
      rows.member_of[kept] = rows.member_of[i];
      if (!rows.correlations.empty()) rows.correlations[kept] = rows.correlations[i];
      if (!rows.details.empty()) {
        rows.details[kept] = rows.details[i];
        rows.detail_correlations[kept] = rows.detail_correlations[i];
      }
      ++kept;
    }
    rows.operations.truncate(kept);
    if (!rows.correlations.empty()) rows.correlations.truncate(kept);
    if (!rows.details.empty()) {
      rows.details.truncate(kept);
      rows.detail_correlations.truncate(kept);
    }
  }

  /// A member distinguishes a process from others.
  void forget_only_member() {
    members_.erase("");
    if (members_.size() > 1) return;
    for (Track& track : out_->tracks()) track.member.clear();
    if (host_ != HostDetail::all) return;
    for (HostThread& thread : out_->host().threads) {
      if (const auto merged = merged_process(thread.process)) {
        thread.process = std::string(merged->process);
      }
    }
  }

  TraceBuilder* out_;
  HostDetail host_;
  std::map<std::string, int64_t> members_;
  std::set<std::pair<std::string, int64_t>> dispatches_;
  std::set<std::string> counters_;
  uint64_t of_tracer_ = 0;
};

/// A file, for a CsvStream: its first row is its header, all others are records.
class RocprofTable {
 public:
  using Layout = RocprofLayout;
  using Rows = RocprofRows;
  using Parser = RocprofRowParser;

  RocprofTable(Input& input, TraceBuilder& out, RocprofMerge& merge, RocprofFile file)
      : input_(&input), out_(&out), merge_(&merge), file_(std::move(file)) {}

  /// To its end.
  void read() {
    CsvStream(*input_, *out_, *this).run();
    warn_where_cut_off(*input_, *out_);
  }

  const RocprofLayout* layout() const { return layout_ ? &*layout_ : nullptr; }
  RocprofRowParser parser() const { return {input_->options(), file_}; }
  bool line(std::string_view text, const TextPlace& place) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    if (trimmed(text).empty()) return true;
    layout_ = read_rocprof_header(text);
    if (!layout_) {
      throw Error(input_->shown(), place.where(),
                  fmt::format("is not the header of a CSV of rocprofv3: {}", shown_text(text)));
    }
    return true;
  }
  void merge(RocprofRows& rows, const TextPlace&) { merge_->add(rows); }

 private:
  Input* input_;
  TraceBuilder* out_;
  RocprofMerge* merge_;
  RocprofFile file_;
  std::optional<RocprofLayout> layout_;
};

/// The GPUs of a machine, by the numbers of nodes that other files have.
std::map<int64_t, RocprofAgent> read_agents(Input& input) {
  std::string text(size_t{1} << 20, '\0');
  text.resize(input.read(text.data(), text.size()));
  std::map<int64_t, RocprofAgent> agents;
  std::optional<RocprofLayout> layout;
  int32_t gpus = 0;
  for (std::string_view rest = text; !rest.empty();) {
    CsvRow row;
    row.read(rest);
    if (row.size == 0) break;
    const std::string_view line = rest.substr(0, row.size);
    rest.remove_prefix(row.size);
    if (!layout) {
      layout = rocprof_layout(line);
      if (!layout) return {};
      continue;
    }
    if (row.cells.size() != layout->titles.size()) continue;
    if (row.cells[*layout->type] != "GPU") continue;
    const auto node = agent_number(trimmed(row.cells[*layout->node]));
    if (!node) continue;
    RocprofAgent& agent = agents[*node];
    const auto index =
        layout->type_index ? agent_number(trimmed(row.cells[*layout->type_index])) : std::nullopt;
    agent.gpu = index && *index >= 0 && *index <= INT32_MAX ? static_cast<int32_t>(*index) : gpus;
    if (layout->product) agent.name = row.cells[*layout->product];
    if (agent.name.empty()) agent.name = "GPU";
    ++gpus;
  }
  return agents;
}

struct RocprofMember {
  std::string name;
  std::string prefix;
  RocprofLayout layout;
  std::unique_ptr<Input> input;
};

/// Kinds of GPU work are read before the calls that launched them, each file by itself and all into
/// one trace.
class RocprofFolder {
 public:
  RocprofFolder(const Input& folder, TraceBuilder& out) : folder_(&folder), out_(&out) {}

  void run() {
    list();
    check();
    RocprofMerge merge(*out_, folder_->options().host);
    for (RocprofMember& member : members_) {
      RocprofFile file;
      if (!member.prefix.empty()) file.member = fmt::format("process {}", member.prefix);
      const auto agents = agents_.find(member.prefix);
      if (agents != agents_.end()) file.agents = agents->second;
      RocprofTable(*member.input, *out_, merge, std::move(file)).read();
    }
    merge.finish();
    if (!skipped_.empty()) {
      out_->warn("skipped-files", fmt::format("Not read: {}.", some_of(skipped_)), "info");
    }
    if (out_->operations() == 0) {
      out_->warn("no-gpu-work",
                 "The folder contains no GPU work: it has no rows of kernels or "
                 "copies.");
    }
  }

 private:
  void list() {
    using std::filesystem::file_type;
    for (Input::Entry& entry : folder_->entries()) {
      if (entry.type != file_type::regular || !names_csv(entry.name)) continue;
      RocprofMember member{entry.name, rocprof_prefix(entry.name), {}, nullptr};
      member.input = std::make_unique<Input>(entry.path, folder_->options());
      auto layout = rocprof_layout(member.input->head());
      if (!layout) {
        skipped_.push_back(entry.name + ", which is not of rocprofv3");
      } else if (layout->kind == RocprofKind::agents) {
        agents_[member.prefix] = read_agents(*member.input);
      } else if (layout->kind == RocprofKind::other) {
        skipped_.push_back(fmt::format("{}, which {}", entry.name, layout->why));
      } else {
        member.layout = std::move(*layout);
        members_.push_back(std::move(member));
      }
    }
    std::ranges::stable_sort(members_, {},
                             [](const RocprofMember& one) { return one.layout.kind; });
  }

  void check() {
    std::set<std::string> with_kernels;
    std::map<std::pair<RocprofKind, std::string>, std::string> seen;
    for (const RocprofMember& member : members_) {
      if (member.layout.kind == RocprofKind::kernels) with_kernels.insert(member.prefix);
      // Calls have a file per domain.
      if (member.layout.kind == RocprofKind::calls) continue;
      const auto [other, added] =
          seen.try_emplace({member.layout.kind, member.prefix}, member.name);
      if (added) continue;
      throw Error(
          folder_->path(),
          fmt::format("contains two files of {}: {} and {}", plural_of(member.layout.kind),
                      other->second, member.name),
          "one folder is one run, whose files begin with the process: 1560_kernel_trace.csv");
    }
    std::erase_if(members_, [&](const RocprofMember& member) {
      const bool again =
          member.layout.kind == RocprofKind::counters && with_kernels.contains(member.prefix);
      if (again) skipped_.push_back(member.name + ", whose dispatches are in the file of kernels");
      return again;
    });
  }

  const Input* folder_;
  TraceBuilder* out_;
  std::vector<RocprofMember> members_;
  std::map<std::string, std::map<int64_t, RocprofAgent>> agents_;  // by prefix
  std::vector<std::string> skipped_;
};

bool is_rocprof_folder(const Input& folder) {
  using std::filesystem::file_type;
  if (!folder.folder()) return false;
  for (const Input::Entry& entry : folder.entries()) {
    if (entry.type != file_type::regular || !names_csv(entry.name)) continue;
    try {
      const Input file(entry.path, folder.options());
      const auto layout = rocprof_layout(file.head());
      if (layout && layout->kind != RocprofKind::other) return true;
    } catch (const Error&) {  // it cannot be read
    }
  }
  return false;
}

void read_rocprof_csv(Input& input, TraceBuilder& out) {
  if (input.folder()) return RocprofFolder(input, out).run();
  const auto layout = rocprof_layout(input.head());
  if (layout && (layout->kind == RocprofKind::other || layout->kind == RocprofKind::agents)) {
    throw Error(input.shown(), layout->why, layout->remedy);
  }
  RocprofMerge merge(out, input.options().host);
  RocprofTable(input, out, merge, {}).read();
  merge.finish();
  if (out.operations() != 0) return;
  const bool calls = layout && layout->kind == RocprofKind::calls;
  out.warn("no-gpu-work",
           calls ? fmt::format("{} contains calls and ranges of the host but no GPU work: name the "
                               "folder that contains the kernels.",
                               input.shown())
                 : "The file contains no GPU work: it has no rows of kernels or copies.");
}

constexpr std::array<std::string_view, 1> rocprof_csv_extensions{".csv"};

}  // namespace

const TraceFormat rocprof_csv_format{
    .name = "rocprofv3-csv",
    .kind = "CSVs of rocprofv3",
    .summary =
        "CSVs of `rocprofv3 --output-format csv`: a folder of them (kernel_trace, "
        "memory_copy_trace, hip_api_trace, marker_api_trace, …), or one",
    .extensions = rocprof_csv_extensions,
    .carries = "launches, streams, steps, shapes",
    .sniff = [](std::string_view head) noexcept { return rocprof_layout(head).has_value(); },
    .read = read_rocprof_csv,
    .folders = true,
    .sniff_folder = is_rocprof_folder};

}  // namespace kr::trace
