#include "trace/readers/rocprof_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/ascii.hpp"
#include "base/decimal.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/module_text.hpp"
#include "trace/readers/rocm_names.hpp"

namespace kr::trace {
namespace {

std::optional<int64_t> whole_in(std::string_view text) noexcept {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace

void RocprofRowParser::parse(const TextPlace& place, const RocprofLayout& layout,
                             RocprofRows& out) {
  cursor_.begin(place, {layout.titles.size(), layout.titles.size()}, out);
  layout_ = &layout;
  out_ = &out;
  ids_.begin(out);
  out.member_of.clear();
  out.dispatches.clear();
  out.counters.clear();
  out.of_tracer = 0;
  // A fault may end the rows at any time.
  out.members = member_names_;
  cursor_.each([this](size_t at) { return row(at); });
}

size_t RocprofRowParser::row(size_t at) {
  if (!cursor_.read(at)) {
    const auto line = cursor_.line(at);
    if (!line) return 0;
    if (trimmed(*line).empty()) return cursor_.past(*line, at);
    cursor_.refuse(at);
    return 0;
  }
  if (cursor_.unfinished(at)) return 0;
  at_ = at;
  // Files put together repeat it.
  if (!std::ranges::equal(cursor_.row().cells, layout_->titles)) take();
  return cursor_.row().size;
}

void RocprofRowParser::take() {
  if (layout_->kind == RocprofKind::calls) {
    add_call();
  } else {
    add_operation();
  }
}

std::optional<int64_t> RocprofRowParser::number_in(const std::optional<size_t>& column) const {
  return whole_in(trimmed(cell(column)));
}

RocprofRowParser::Times RocprofRowParser::times(bool of_host) {
  Times out;
  const auto read = [&](size_t column, int64_t& ns) {
    const std::string_view text = trimmed(cell(column));
    const DecimalFault fault = text.empty() ? DecimalFault::missing : read_decimal(text, 0, ns);
    if (fault == DecimalFault::none) return std::optional<TimeFault>();
    const auto of_time = time_fault_of(fault);
    if (!of_host && (strict_ || !of_time)) {
      CsvCursor::fail(at_, describe(fault, layout_->titles[column], text));
    }
    return std::optional(of_time.value_or(TimeFault::missing));
  };
  int64_t end_ns = 0;
  if (const auto fault = read(*layout_->start, out.start_ns)) {
    return {no_start(*fault), 0, false};
  }
  if (const auto fault = read(*layout_->end, end_ns)) {
    return {out.start_ns, no_duration(*fault), false};
  }
  if (end_ns < out.start_ns) {
    if (!of_host && strict_) {
      CsvCursor::fail(at_, fmt::format("`{}` comes before `{}`", layout_->titles[*layout_->end],
                                       layout_->titles[*layout_->start]));
    }
    return {out.start_ns, no_duration(TimeFault::backwards), false};
  }
  out.duration_ns = end_ns - out.start_ns;
  return out;
}

uint32_t RocprofRowParser::member() {
  const std::string_view guid = trimmed(cell(layout_->guid));
  std::string made;
  std::string_view name = file_->member;
  if (!guid.empty()) {
    made = fmt::format("process {}", guid);
    name = made;
  }
  auto known = members_.find(name);
  if (known == members_.end()) {
    known = members_.emplace(name, static_cast<uint32_t>(member_names_.size())).first;
    member_names_.emplace_back(name);
    out_->members.emplace_back(name);
  }
  return known->second;
}

int64_t RocprofRowParser::correlation() {
  const std::string_view text = trimmed(cell(layout_->correlation));
  const auto id = whole_in(text);
  if (!id && !text.empty()) add_dropped("correlation that is not a number");
  const bool fits = id && *id > 0 && *id <= std::numeric_limits<uint32_t>::max();
  return fits ? *id : Launch::no_correlation;
}

void RocprofRowParser::add_operation() {
  const Times when = times(false);
  const bool copy = layout_->kind == RocprofKind::copies;
  const std::string_view given = cell(layout_->name);
  const std::string_view name = kernel_name_of_symbol(given);
  NameId id;
  if (name.empty()) {
    add_dropped("operation without a name");
    id = ids_.name(copy ? "(unnamed memcpy)" : "(unnamed kernel)",
                   copy ? OperationKind::memcpy : OperationKind::kernel);
  } else {
    id = copy ? ids_.name(name, OperationKind::memcpy) : ids_.name(name);
  }
  if (layout_->kind == RocprofKind::counters) {
    out_->counters.insert(std::string(cell(layout_->counter)));
    out_->dispatches.push_back(number_in(layout_->dispatch).value_or(-1));
  }
  const TrackId where = track();
  if (host_ == HostDetail::all) out_->correlations.push_back(correlation());
  if (details_) {
    out_->details.push_back(detail());
    out_->detail_correlations.push_back(
        OperationDetails::correlation(number_in(layout_->correlation)));
  }
  out_->member_of.push_back(member());
  out_->operations.push_back({when.start_ns, when.duration_ns, id, where});
}

/// The GPU of an agent; null: it is a CPU, or not known. `number`: as it is written.
const RocprofAgent* RocprofRowParser::gpu(const std::optional<size_t>& column, int64_t& number) {
  const std::string_view text = trimmed(cell(column));
  const auto found = agent_number(text);
  if (!found) return nullptr;
  number = *found;
  if (text.starts_with("GPU ")) {
    for (const auto& [node, agent] : file_->agents) {
      if (agent.gpu == number) return &agent;
    }
    return nullptr;
  }
  const auto known = file_->agents.find(number);
  return known == file_->agents.end() ? nullptr : &known->second;
}

// Copies have no queue: they get a stream of their own, on which they may overlap.
TrackId RocprofRowParser::track() {
  const bool copy = layout_->kind == RocprofKind::copies;
  int64_t number = -1;
  const RocprofAgent* agent = nullptr;
  if (copy) {
    // What the GPU is, of two agents: rows have the direction, of which one end is the host.
    const bool to_host = cell(layout_->name).ends_with("_TO_HOST");
    agent = gpu(to_host ? layout_->agent : layout_->to_agent, number);
  } else {
    agent = gpu(layout_->agent, number);
  }
  if (agent != nullptr) number = agent->gpu;
  if (number < 0 || number > std::numeric_limits<int32_t>::max()) {
    add_dropped("operation without a device number: assigned to device 0");
    number = 0;
  }
  int64_t queue = 0;
  if (copy) {
    out_->made_up_streams = true;
  } else if (const auto given = number_in(layout_->queue)) {
    queue = *given;
  } else {
    add_dropped("operation without a stream number: assigned to stream 0");
    out_->made_up_streams = true;
  }
  return ids_.track(static_cast<int32_t>(number), queue, agent != nullptr ? agent->name : "GPU",
                    member_names_[member()]);
}

uint32_t RocprofRowParser::detail() {
  OperationDetail detail;
  constexpr std::array grid{DetailField::grid_x, DetailField::grid_y, DetailField::grid_z};
  constexpr std::array block{DetailField::block_x, DetailField::block_y, DetailField::block_z};
  for (size_t i = 0; i < 3; ++i) {
    const auto threads = number_in(layout_->grid[i]);
    const auto of_block = number_in(layout_->block[i]);
    if (!threads || !of_block || *threads <= 0 || *of_block <= 0) continue;
    detail[block[i]] = *of_block;
    // AMD counts threads, not thread blocks.
    detail[grid[i]] = (*threads - 1) / *of_block + 1;
  }
  return ids_.detail(detail);
}

void RocprofRowParser::add_call() {
  if (host_ == HostDetail::none) return;
  const RocmDomain of = domain_of(trimmed(cell(layout_->domain)));
  const std::string_view name = cell(layout_->name);
  if (host_ != HostDetail::all) {
    if (of != RocmDomain::runtime) range(name);
    return;
  }
  if (of == RocmDomain::runtime && is_call_of_tracer(name)) {
    ++out_->of_tracer;
    return;
  }
  const Times when = times(true);
  if (!when.right) return add_dropped("call or range without a valid time");
  const uint32_t on = thread();
  if (of == RocmDomain::runtime) {
    out_->launches.push_back(
        {correlation(), when.start_ns, when.duration_ns, ids_.call(name, is_hsa_call(name)), on});
    out_->member_of.push_back(member());
    return;
  }
  const RangeName found = range(name);
  out_->ranges.push_back(
      {when.start_ns, when.start_ns + when.duration_ns, found.number, on, HostRange::none,
       found.module ? HostRange::Kind::module : HostRange::Kind::annotation,
       of == RocmDomain::marker ? HostRange::Form::push_pop : HostRange::Form::call});
}

RocprofRowParser::RangeName RocprofRowParser::range(std::string_view text) {
  const std::string module = may_name_module(text) ? module_of_text(text) : std::string();
  if (module.empty()) return {ids_.range_name(text), false};
  if (host_ != HostDetail::all) return {ids_.range_name(module), true};
  return {ids_.range_name(module, {std::string(text), {}}), true};
}

uint32_t RocprofRowParser::thread() {
  const std::string_view thread = trimmed(cell(layout_->thread));
  const std::string_view process = trimmed(cell(layout_->process));
  // A range of the process has thread 0.
  const bool whole = thread == "0";
  const std::string& name = member_names_[member()];
  if (name.empty()) return ids_.thread(process, whole ? std::string_view() : thread, whole);
  return ids_.thread(fmt::format("[{}] {}", name, process), whole ? std::string_view() : thread,
                     whole);
}

}  // namespace kr::trace
