// `rocprofv3 --output-format json`: an object with a list of processes.
//
//     {"rocprofiler-sdk-tool": [{
//       "metadata": {"pid": 1560, …},
//       "agents": [{"id": {"handle": 102}, "type": 2, "gpu_index": 0, "product_name": "…"}, …],
//       "strings": {"buffer_records": [{"kind": "NONE", "operations": []}, …],
//                   "marker_api": [{"key": 163, "value": "aten::view"}, …]},
//       "kernel_symbols": [{"kernel_id": 7, "formatted_kernel_name": "…", …}, …],
//       "buffer_records": {
//         "kernel_dispatch": [{"thread_id": 1560, "correlation_id": {"internal": 8, "external": 0},
//                              "start_timestamp": …, "end_timestamp": …,
//                              "dispatch_info": {"agent_id": {"handle": 102}, "kernel_id": 7,
//                                                "queue_id": {"handle": 1}, …}}, …],
//         "memory_copy": […], "hip_api": […], "marker_api": […], …}}]}
//
// Members may be in any order. Records name what they are by numbers, so all of a process is read
// before names are looked up: 64 bytes per record, for a record of some 600 bytes of text.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/plural.hpp"
#include "trace/format.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/rocm_names.hpp"
#include "trace/readers/rocprof_work.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view tool_member = "rocprofiler-sdk-tool";
constexpr const char* rocprof_json_remedy = "record it again with `rocprofv3 --output-format json`";

class RocprofJsonReader {
 public:
  RocprofJsonReader(Input& input, TraceBuilder& out)
      : input_(&input),
        out_(&out),
        json_(input, input.options().block_size),
        work_(input, rocprof_json_remedy, out) {}

  void run() {
    if (whole_host()) out_->host();
    if (input_->options().operation_details) out_->details();
    try {
      whole();
      if (input_->truncated()) {
        out_->warn("truncated",
                   fmt::format("The file is cut off: its text ends at byte {}.", input_->offset()));
      }
    } catch (const JsonCut& cut) {
      if (!input_->options().allow_truncated) throw;
      out_->warn("truncated",
                 fmt::format("The file is cut off at byte {}: records after it are missing.",
                             cut.place().offset.value_or(0)));
    }
    for (size_t i = 0; i < processes_.size(); ++i) {
      work_.add(processes_[i], i, member_of(i));
      processes_[i].records = {};
    }
    note_unread();
    if (out_->operations() == 0) {
      out_->warn("no-gpu-work",
                 "The file contains no GPU work: it has no records of kernels or copies "
                 "(`rocprofv3 --kernel-trace --memory-copy-trace`).");
    }
  }

 private:
  bool whole_host() const { return input_->options().host == HostDetail::all; }
  bool any_host() const { return input_->options().host != HostDetail::none; }

  void whole() {
    json_.expect(JsonKind::object);
    json_.enter();
    while (json_.next()) {
      if (json_.key() != tool_member) {
        json_.pass();
        continue;
      }
      each_item([&] {
        json_.expect(JsonKind::object);
        process_ = &processes_.emplace_back();
        json_.enter();
        while (json_.next()) member();
      });
    }
    json_.end();
  }

  /// Calls `item` for each of a list, before its value.
  template <class Item>
  void each_item(const Item& item) {
    json_.expect(JsonKind::array);
    json_.enter();
    while (json_.next()) item();
  }

  /// Calls `member(key)` for each of an object, which takes the value or returns false.
  template <class Member>
  void each_member(const Member& member) {
    json_.expect(JsonKind::object);
    json_.enter();
    while (json_.next()) {
      if (!member(json_.key())) json_.pass();
    }
  }

  /// A number that may be the value of a `handle`.
  bool take(int64_t& to) {
    const JsonKind kind = json_.value();
    if (kind == JsonKind::object) {
      json_.enter();
      while (json_.next()) {
        const bool handle = json_.key() == "handle";
        if (json_.value() != JsonKind::number || !handle) {
          json_.skip();
        } else {
          to = parsed(json_.number()).value_or(to);
        }
      }
      return true;
    }
    if (kind != JsonKind::number) {
      json_.skip();
      return true;
    }
    to = parsed(json_.number()).value_or(to);
    return true;
  }

  static std::optional<int64_t> parsed(std::string_view text) {
    const char* const end = text.data() + text.size();
    if (text.starts_with('-')) {
      int64_t value = 0;
      const auto [stop, error] = std::from_chars(text.data(), end, value);
      return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
    }
    uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return static_cast<int64_t>(value);
  }

  bool take(std::string& to) {
    if (json_.value() == JsonKind::string) {
      to = json_.string();
    } else {
      json_.skip();
    }
    return true;
  }

  bool take_time(sqlite::Statement::Cell& to) {
    if (json_.value() != JsonKind::number) {
      json_.skip();
      return true;
    }
    const std::string_view text = json_.number();
    const auto value = parsed(text);
    if (!value) throw json_.error("is not a whole number", rocprof_json_remedy);
    to = {*value, sqlite::Statement::Type::integer};
    return true;
  }

  void member() {
    const std::string_view key = json_.key();
    if (key == "metadata") {
      each_member([&](std::string_view of) { return of == "pid" && take(process_->pid); });
    } else if (key == "agents") {
      each_item([&] { agent(); });
    } else if (key == "strings") {
      strings();
    } else if (key == "kernel_symbols") {
      each_item([&] { kernel(); });
    } else if (key == "buffer_records") {
      each_member([&](std::string_view domain) { return records(domain); });
    } else if (key == "callback_records") {
      each_member([&](std::string_view domain) { return count(domain); });
    } else {
      json_.pass();
    }
  }

  void agent() {
    int64_t handle = 0, type = 0, gpu = -1;
    std::string name, product;
    each_member([&](std::string_view key) {
      if (key == "id") return take(handle);
      if (key == "type") return take(type);
      if (key == "gpu_index") return take(gpu);
      if (key == "name") return take(name);
      return key == "product_name" && take(product);
    });
    RocprofProcess::Agent& one = process_->agents[handle];
    one.name = product.empty() ? name : product;
    constexpr int64_t is_gpu = 2;
    if (type == is_gpu && gpu >= 0 && gpu <= std::numeric_limits<int32_t>::max()) {
      one.gpu = static_cast<int32_t>(gpu);
    }
  }

  void strings() {
    each_member([&](std::string_view key) {
      if (key == "buffer_records") {
        process_->operations.clear();
        each_item([&] {
          std::vector<std::string>& names = process_->operations.emplace_back();
          each_member([&](std::string_view of) {
            if (of != "operations") return false;
            each_item([&] { take(names.emplace_back()); });
            return true;
          });
        });
        return true;
      }
      if (key != "marker_api") return false;
      each_item([&] {
        int64_t id = 0;
        std::string text;
        each_member([&](std::string_view of) {
          if (of == "key") return take(id);
          return of == "value" && take(text);
        });
        if (any_host()) process_->markers.insert_or_assign(id, std::move(text));
      });
      return true;
    });
  }

  void kernel() {
    int64_t id = 0;
    std::string formatted, demangled, symbol;
    each_member([&](std::string_view key) {
      if (key == "kernel_id") return take(id);
      if (key == "formatted_kernel_name") return take(formatted);
      if (key == "demangled_kernel_name") return take(demangled);
      return key == "kernel_name" && take(symbol);
    });
    std::string& name = formatted.empty() ? (demangled.empty() ? symbol : demangled) : formatted;
    process_->kernels.insert_or_assign(id, std::string(kernel_name_of_symbol(name)));
  }

  bool records(std::string_view domain) {
    using What = RocprofRecord::What;
    if (domain == "kernel_dispatch") return read_all(What::kernel);
    if (domain == "memory_copy") return read_all(What::copy);
    if (!domain.ends_with("_api")) return count(domain);
    if (!any_host()) return false;
    if (domain == "marker_api") return read_all(What::marker);
    return read_all(domain == "hip_api" || domain == "hsa_api" ? What::call : What::library);
  }

  bool count(std::string_view domain) {
    const std::string name(domain);
    if (json_.value() != JsonKind::array) {
      json_.skip();
      return true;
    }
    uint64_t items = 0;
    json_.enter();
    while (json_.next()) {
      json_.pass();
      ++items;
    }
    if (items != 0) process_->unread[name] += items;
    return true;
  }

  bool read_all(RocprofRecord::What what) {
    if (json_.value() != JsonKind::array) {
      json_.skip();
      return true;
    }
    json_.enter();
    while (json_.next()) record(what);
    return true;
  }

  void record(RocprofRecord::What what) {
    RocprofRecord one;
    one.what = what;
    shape_ = {};
    int64_t kind = 0;
    each_member([&](std::string_view key) {
      if (key == "start_timestamp") return take_time(one.start);
      if (key == "end_timestamp") return take_time(one.end);
      if (key == "thread_id") return take(one.thread);
      if (key == "kind") return take(kind);
      if (key == "operation") return what == RocprofRecord::What::kernel ? false : take(one.name);
      if (key == "correlation_id") return correlation(one.correlation);
      if (key == "dispatch_info") return dispatch(one);
      if (key == "dst_agent_id") return take(one.agent);
      if (key == "src_agent_id") return take(one.queue);
      return key == "bytes" && take(shape_.bytes);
    });
    one.kind = kind >= 0 && kind < UINT32_MAX ? static_cast<uint32_t>(kind) : UINT32_MAX;
    if (input_->options().operation_details && what <= RocprofRecord::What::copy) {
      one.detail = detail(what);
    }
    process_->records.push_back(one);
  }

  bool correlation(int64_t& to) {
    if (json_.value() != JsonKind::object) {
      json_.skip();
      return true;
    }
    json_.enter();
    while (json_.next()) {
      if (json_.key() == "internal") {
        take(to);
      } else {
        json_.pass();
      }
    }
    return true;
  }

  bool dispatch(RocprofRecord& one) {
    const bool details = input_->options().operation_details;
    each_member([&](std::string_view key) {
      if (key == "agent_id") return take(one.agent);
      if (key == "queue_id") return take(one.queue);
      if (key == "kernel_id") return take(one.name);
      if (!details) return false;
      if (key == "workgroup_size") return size(shape_.block);
      return key == "grid_size" && size(shape_.grid);
    });
    return true;
  }

  bool size(std::array<int64_t, 3>& to) {
    each_member([&](std::string_view key) {
      if (key == "x") return take(to[0]);
      if (key == "y") return take(to[1]);
      return key == "z" && take(to[2]);
    });
    return true;
  }

  uint32_t detail(RocprofRecord::What what) {
    OperationDetail detail;
    if (what == RocprofRecord::What::copy) {
      if (shape_.bytes != OperationDetail::none) detail[DetailField::bytes] = shape_.bytes;
    } else {
      constexpr std::array grid{DetailField::grid_x, DetailField::grid_y, DetailField::grid_z};
      constexpr std::array block{DetailField::block_x, DetailField::block_y, DetailField::block_z};
      for (size_t i = 0; i < 3; ++i) {
        if (shape_.block[i] <= 0 || shape_.grid[i] <= 0) continue;
        detail[block[i]] = shape_.block[i];
        // AMD counts threads, not thread blocks.
        detail[grid[i]] = (shape_.grid[i] - 1) / shape_.block[i] + 1;
      }
    }
    return out_->details().distinct.add(detail);
  }

  /// Empty: it is the only process.
  std::string member_of(size_t number) const {
    if (processes_.size() < 2) return {};
    const int64_t pid = processes_[number].pid;
    size_t same = 1;
    for (size_t i = 0; i < number; ++i) same += processes_[i].pid == pid ? 1U : 0U;
    return same == 1 ? fmt::format("process {}", pid) : fmt::format("process {} ({})", pid, same);
  }

  void note_unread() {
    std::map<std::string, uint64_t> all;
    for (const RocprofProcess& process : processes_) {
      for (const auto& [domain, records] : process.unread) all[domain] += records;
    }
    std::vector<std::string> shown;
    shown.reserve(all.size());
    for (const auto& [domain, records] : all) {
      shown.push_back(fmt::format("{} of {}", plural(records, "record"), shown_text(domain)));
    }
    if (!shown.empty()) {
      out_->warn("other-records", fmt::format("Not read: {}.", some_of(shown)), "info");
    }
    if (whole_host()) note_calls_of_tracer(work_.calls_of_tracer(), *out_);
  }

  struct Shape {
    std::array<int64_t, 3> grid{}, block{};
    int64_t bytes = OperationDetail::none;
  };

  Input* input_;
  TraceBuilder* out_;
  JsonPull json_;
  std::deque<RocprofProcess> processes_;
  RocprofProcess* process_ = nullptr;
  Shape shape_;  // of the record that is being read
  RocprofWork work_;
};

bool is_rocprof_json(std::string_view head) noexcept {
  constexpr std::string_view spaces = " \t\r\n\xef\xbb\xbf";
  for (const std::string_view next : {"{"sv, "\"rocprofiler-sdk-tool\""sv}) {
    const size_t at = head.find_first_not_of(spaces);
    if (at == head.npos || !head.substr(at).starts_with(next)) return false;
    head.remove_prefix(at + next.size());
  }
  return true;
}

constexpr std::array<std::string_view, 1> rocprof_json_extensions{".json"};

}  // namespace

const TraceFormat rocprof_json_format{
    .name = "rocprofv3-json",
    .kind = "JSON of rocprofv3",
    .summary = "JSON of `rocprofv3 --output-format json`",
    .extensions = rocprof_json_extensions,
    .carries = "launches, streams, steps, shapes",
    .sniff = is_rocprof_json,
    .read = [](Input& input, TraceBuilder& out) { RocprofJsonReader(input, out).run(); }};

}  // namespace kr::trace
