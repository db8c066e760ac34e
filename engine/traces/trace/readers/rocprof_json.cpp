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
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/plural.hpp"
#include "trace/format.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/module_text.hpp"
#include "trace/readers/rocm_names.hpp"
#include "trace/readers/row_times.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view tool_member = "rocprofiler-sdk-tool";
constexpr const char* rocprof_json_remedy = "record it again with `rocprofv3 --output-format json`";

struct RocprofRecord {
  enum class What : uint8_t { kernel, copy, call, marker, library };

  sqlite::Statement::Cell start{0, sqlite::Statement::Type::null};
  sqlite::Statement::Cell end{0, sqlite::Statement::Type::null};
  int64_t correlation = 0;
  int64_t agent = 0;  // of a copy, where it goes to
  int64_t queue = 0;  // of a copy, the agent that it comes from
  int64_t name = 0;   // of a kernel its id, else the number of the operation of its kind
  int64_t thread = 0;
  uint32_t kind = 0;
  uint32_t detail = 0;
  What what = What::kernel;
};

struct RocprofProcess {
  struct Agent {
    std::optional<int32_t> gpu;  // nullopt: a CPU
    std::string name;
  };
  int64_t pid = 0;
  std::unordered_map<int64_t, Agent, NumberHash> agents;  // by handle
  std::unordered_map<int64_t, std::string, NumberHash> kernels, markers;
  std::vector<std::vector<std::string>> operations;  // by kind and number
  std::vector<RocprofRecord> records;
  std::map<std::string, uint64_t> unread;  // records by domain
};

class RocprofJsonReader {
 public:
  RocprofJsonReader(Input& input, TraceBuilder& out)
      : input_(&input), out_(&out), json_(input, input.options().block_size) {}

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
    for (size_t i = 0; i < processes_.size(); ++i) finish(i);
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

  // A process, once all of it is read.

  void finish(size_t number) {
    process_ = &processes_[number];
    member_ = member_of(number);
    names_.clear();
    tracks_.clear();
    threads_.clear();
    for (const RocprofRecord& one : process_->records) {
      if (one.what <= RocprofRecord::What::copy) {
        add_operation(one, number);
      } else {
        add_call(one, number);
      }
    }
    process_->records = {};
  }

  /// Empty: it is the only process.
  std::string member_of(size_t number) const {
    if (processes_.size() < 2) return {};
    size_t same = 1;
    for (size_t i = 0; i < number; ++i) same += processes_[i].pid == process_->pid ? 1U : 0U;
    return same == 1 ? fmt::format("process {}", process_->pid)
                     : fmt::format("process {} ({})", process_->pid, same);
  }

  void add_operation(const RocprofRecord& one, size_t number) {
    const bool strict = input_->options().strict;
    const RowTimes when = row_times(one.start, one.end, strict, [&](std::string_view why) {
      throw Error(input_->shown(), fmt::format("a record of an operation cannot be: {}", why),
                  rocprof_json_remedy);
    });
    out_->add({when.start_ns, when.duration_ns, operation_name(one), track(one)});
    if (whole_host()) {
      const int64_t linked = linked_id(one, number);
      out_->add_correlations(&linked, 1);
    }
    if (input_->options().operation_details) {
      const uint32_t correlation = OperationDetails::correlation(one.correlation);
      out_->add_details(&one.detail, &correlation, 1);
    }
  }

  static int64_t linked_id(const RocprofRecord& one, size_t number) {
    const bool fits = one.correlation > 0 && one.correlation <= UINT32_MAX;
    return fits ? static_cast<int64_t>(number) << 32 | one.correlation : Launch::no_correlation;
  }

  NameId operation_name(const RocprofRecord& one) {
    const auto [at, added] = names_.try_emplace({one.what, one.kind, one.name});
    if (!added) return at->second;
    if (one.what == RocprofRecord::What::copy) {
      std::string name(name_of_kind(one));
      if (name.empty()) {
        out_->add_dropped("kind of copy without a label", 0);
        name = "MEMORY_COPY";
      }
      return at->second = out_->name(name, OperationKind::memcpy);
    }
    const auto known = process_->kernels.find(one.name);
    if (known == process_->kernels.end() || known->second.empty()) {
      out_->add_dropped("kernel name id without a string", 0);
      return at->second =
                 out_->name(fmt::format("(unnamed kernel {})", one.name), OperationKind::kernel);
    }
    return at->second = out_->name(known->second, operation_kind_of(known->second));
  }

  std::string_view name_of_kind(const RocprofRecord& one) const {
    if (one.kind >= process_->operations.size()) return {};
    const std::vector<std::string>& names = process_->operations[one.kind];
    const bool known = one.name >= 0 && one.name < static_cast<int64_t>(names.size());
    return known ? std::string_view(names[static_cast<size_t>(one.name)]) : std::string_view();
  }

  // Copies have no queue: they get a stream of their own, on which they may overlap.
  TrackId track(const RocprofRecord& one) {
    const bool copy = one.what == RocprofRecord::What::copy;
    const auto [at, added] = tracks_.try_emplace({copy, one.agent, one.queue});
    if (copy) out_->made_up_streams();
    if (!added) return at->second;
    const auto gpu_of = [&](int64_t handle) -> const RocprofProcess::Agent* {
      const auto known = process_->agents.find(handle);
      return known == process_->agents.end() || !known->second.gpu ? nullptr : &known->second;
    };
    const RocprofProcess::Agent* agent = gpu_of(one.agent);
    if (agent == nullptr && copy) agent = gpu_of(one.queue);
    if (agent == nullptr) {
      out_->add_dropped("agent of operations that is not one of the GPUs: assigned to device 0", 0);
    }
    Track track{agent != nullptr ? *agent->gpu : 0, copy ? 0 : one.queue,
                agent != nullptr && !agent->name.empty() ? agent->name : "GPU", member_};
    return at->second = out_->track(track);
  }

  void add_call(const RocprofRecord& one, size_t number) {
    using What = RocprofRecord::What;
    const bool right = one.start.type == sqlite::Statement::Type::integer &&
                       one.end.type == sqlite::Statement::Type::integer && one.start.integer >= 0 &&
                       one.end.integer >= one.start.integer;
    if (!right && whole_host()) return out_->add_dropped("call or range without a valid time", 0);
    std::string_view name = name_of_kind(one);
    if (one.what == What::call) {
      if (is_call_of_tracer(name)) {
        ++of_tracer_;
        return;
      }
      if (!whole_host()) return;
      const std::string unnamed = fmt::format("(unnamed call {})", one.name);
      if (name.empty()) {
        out_->add_dropped("call without a name", 0);
        name = unnamed;
      }
      const uint32_t call = out_->call({std::string(name), is_hsa_call(name)});
      out_->host().launches.push_back({linked_id(one, number), one.start.integer,
                                       one.end.integer - one.start.integer, call, thread(one)});
      return;
    }
    if (one.what == What::marker) {
      const auto text = process_->markers.find(one.correlation);
      if (text != process_->markers.end()) name = text->second;
    }
    const std::string module = may_name_module(name) ? module_of_text(name) : std::string();
    const bool is_module = !module.empty();
    const RangeText text{is_module ? std::string(name) : std::string(), {}};
    if (!whole_host()) {
      out_->range_name(is_module ? module : name);
      return;
    }
    const uint32_t range = out_->range_name(is_module ? module : name, text);
    out_->host().ranges.push_back(
        {one.start.integer, one.end.integer, range, thread(one), HostRange::none,
         is_module ? HostRange::Kind::module : HostRange::Kind::annotation,
         one.what == What::marker ? HostRange::Form::push_pop : HostRange::Form::call});
  }

  uint32_t thread(const RocprofRecord& one) {
    const auto [at, added] = threads_.try_emplace(one.thread, 0);
    if (!added) return at->second;
    std::string process = std::to_string(process_->pid);
    if (!member_.empty()) process = fmt::format("[{}] {}", member_, process);
    // A range of the process has no thread.
    const bool whole = one.thread == 0;
    at->second = out_->thread(
        {std::move(process), whole ? std::string() : std::to_string(one.thread), whole});
    return at->second;
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
    if (whole_host()) note_calls_of_tracer(of_tracer_, *out_);
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
  uint64_t of_tracer_ = 0;
  // Of the process that is being finished.
  std::string member_;
  std::map<std::tuple<RocprofRecord::What, uint32_t, int64_t>, NameId> names_;
  std::map<std::tuple<bool, int64_t, int64_t>, TrackId> tracks_;
  std::map<int64_t, uint32_t> threads_;
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
