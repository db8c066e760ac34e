#include "trace/readers/rocprof_work.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "trace/readers/module_text.hpp"
#include "trace/readers/rocm_names.hpp"

namespace kr::trace {

void RocprofWork::add(const RocprofProcess& process, size_t number, const std::string& member) {
  process_ = &process;
  number_ = number;
  member_ = member;
  names_.clear();
  tracks_.clear();
  threads_.clear();
  for (const RocprofRecord& one : process.records) {
    if (one.what <= RocprofRecord::What::copy) {
      add_operation(one);
    } else {
      add_call(one);
    }
  }
}

void RocprofWork::add_operation(const RocprofRecord& one) {
  const bool strict = input_->options().strict;
  const RowTimes when = row_times(one.start, one.end, strict, [&](std::string_view why) {
    throw Error(input_->shown(), fmt::format("a record of an operation cannot be: {}", why),
                std::string(remedy_));
  });
  out_->add({when.start_ns, when.duration_ns, operation_name(one), track(one)});
  if (whole_host()) {
    const int64_t linked = linked_id(one);
    out_->add_correlations(&linked, 1);
  }
  if (input_->options().operation_details) {
    const uint32_t correlation = OperationDetails::correlation(one.correlation);
    out_->add_details(&one.detail, &correlation, 1);
  }
}

int64_t RocprofWork::linked_id(const RocprofRecord& one) const {
  const bool fits = one.correlation > 0 && one.correlation <= UINT32_MAX;
  return fits ? static_cast<int64_t>(number_) << 32 | one.correlation : Launch::no_correlation;
}

NameId RocprofWork::operation_name(const RocprofRecord& one) {
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

std::string_view RocprofWork::name_of_kind(const RocprofRecord& one) const {
  if (one.kind >= process_->operations.size()) return {};
  const std::vector<std::string>& names = process_->operations[one.kind];
  const bool known = one.name >= 0 && one.name < static_cast<int64_t>(names.size());
  return known ? std::string_view(names[static_cast<size_t>(one.name)]) : std::string_view();
}

// Copies have no queue: they get a stream of their own, on which they may overlap.
TrackId RocprofWork::track(const RocprofRecord& one) {
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

void RocprofWork::add_call(const RocprofRecord& one) {
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
    out_->host().launches.push_back({linked_id(one), one.start.integer,
                                     one.end.integer - one.start.integer, call, thread(one)});
    return;
  }
  if (one.what == What::marker) {
    const auto text = process_->markers.find(one.correlation);
    if (text != process_->markers.end()) name = text->second;
  }
  add_range(one, name);
}

void RocprofWork::add_range(const RocprofRecord& one, std::string_view name) {
  const std::string module = may_name_module(name) ? module_of_text(name) : std::string();
  const bool is_module = !module.empty();
  const RangeText text{is_module ? std::string(name) : std::string(), {}};
  if (!whole_host()) {
    out_->range_name(is_module ? module : name);
    return;
  }
  const uint32_t range = out_->range_name(is_module ? module : name, text);
  out_->host().ranges.push_back({one.start.integer, one.end.integer, range, thread(one),
                                 HostRange::none,
                                 is_module ? HostRange::Kind::module : HostRange::Kind::annotation,
                                 one.what == RocprofRecord::What::marker ? HostRange::Form::push_pop
                                                                         : HostRange::Form::call});
}

uint32_t RocprofWork::thread(const RocprofRecord& one) {
  const auto [at, added] = threads_.try_emplace(one.thread, 0);
  if (!added) return at->second;
  std::string process = std::to_string(process_->pid);
  if (!member_.empty()) process = fmt::format("[{}] {}", member_, process);
  // A range of the process has no thread.
  const bool whole = one.thread == 0;
  at->second =
      out_->thread({std::move(process), whole ? std::string() : std::to_string(one.thread), whole});
  return at->second;
}

}  // namespace kr::trace
