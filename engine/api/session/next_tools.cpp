#include "session/next_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/join.hpp"
#include "base/plural.hpp"
#include "base/shell_word.hpp"

namespace kr::session {
namespace {

using trace::HostRange;

/// The innermost NVTX range around the launch of an operation; empty: there is none.
std::string_view range_of(const trace::Trace& trace, uint32_t operation) {
  if (trace.host == nullptr || !trace.format.starts_with("nsys")) return {};
  const uint32_t number = trace.host->launch_of[operation];
  if (number == HostRange::none) return {};
  const trace::Launch& launch = trace.host->launches[number];
  std::string_view innermost;
  for (const HostRange::Kind kind : {HostRange::Kind::annotation, HostRange::Kind::module}) {
    const std::vector<uint32_t> ranges =
        trace.host->ranges_at(launch.thread, launch.start_ns, kind);
    if (!ranges.empty())
      innermost = trace.host->range_names[trace.host->ranges[ranges.back()].name];
  }
  return innermost;
}

/// Where the launch of an operation is among others.
int64_t launched_at(const trace::Trace& trace, uint32_t operation) {
  if (trace.host != nullptr) {
    const uint32_t number = trace.host->launch_of[operation];
    if (number != HostRange::none) return trace.host->launches[number].start_ns;
  }
  return trace.operations[operation].start_ns;
}

/// Kernels of the same name and device that were launched before it, in ranges of this name if it
/// is not empty.
size_t launches_before(const trace::Trace& trace, uint32_t operation, std::string_view range) {
  const trace::Operation& it = trace.operations[operation];
  const auto key = [&](uint32_t one) { return std::pair(launched_at(trace, one), one); };
  size_t before = 0;
  for (uint32_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& one = trace.operations[i];
    if (one.name != it.name || trace.track(one.track).device != trace.track(it.track).device) {
      continue;
    }
    if (key(i) >= key(operation)) continue;
    if (range.empty() || range_of(trace, i) == range) ++before;
  }
  return before;
}

/// AMD's names of its own GPUs; others may have none in the trace.
bool is_of_amd(std::string_view device) {
  return device.find("AMD") != device.npos || device.find("Instinct") != device.npos ||
         device.find("Radeon") != device.npos || device.starts_with("gfx");
}

tables::NextTool ncu(const trace::Trace& trace, uint32_t operation, std::string_view range) {
  const trace::OperationName& name = trace.names.get(trace.operations[operation].name);
  if (is_of_amd(trace.track(trace.operations[operation].track).device_name)) {
    return {"ncu", "", "it measures NVIDIA's GPUs, and this one is AMD's: see rocprof-compute"};
  }
  if (name.kind != OperationKind::kernel) {
    return {"ncu", "", "it measures kernels, and this is a copy or a set"};
  }
  const size_t skip = launches_before(trace, operation, range);
  const bool mangled = name.text.starts_with("_Z");
  std::string command = fmt::format("ncu --set full --kernel-name-base {} --kernel-name {} ",
                                    mangled ? "mangled" : "demangled", shell_word(name.text));
  if (!range.empty()) {
    command += fmt::format("--nvtx --nvtx-include {} ", shell_word(std::string(range) + "/"));
  }
  command += fmt::format("--launch-skip {} --launch-count 1 PROGRAM", skip);
  return {"ncu", command,
          fmt::format(
              "launch {} of this kernel {}; add those before the trace began", skip + 1,
              range.empty() ? std::string("on its device") : fmt::format("in ranges `{}`", range))};
}

tables::NextTool nsys(const trace::Track& track, std::string_view range) {
  if (is_of_amd(track.device_name)) {
    return {"nsys", "", "it traces NVIDIA's GPUs, and this one is AMD's: see rocprofv3"};
  }
  if (range.empty()) {
    return {"nsys", "", "no NVTX range encloses its launch, by which nsys could begin and end"};
  }
  return {"nsys",
          fmt::format("nsys profile --capture-range=nvtx --nvtx-capture={} "
                      "--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0 PROGRAM",
                      shell_word(range)),
          "the first range of this name around its launch"};
}

std::string tuple(const std::vector<int64_t>& numbers) {
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const int64_t one : numbers) texts.push_back(std::to_string(one));
  return "(" + join(texts, ", ") + (numbers.size() == 1 ? ",)" : ")");
}

/// PyTorch's type of elements, and how a tensor of it gets values; none: not known.
std::optional<std::pair<std::string_view, std::string_view>> torch_type(ElementType type) {
  switch (type) {
    case ElementType::fp64:
      return std::pair("float64", ".normal_()");
    case ElementType::fp32:
      return std::pair("float32", ".normal_()");
    case ElementType::fp16:
      return std::pair("float16", ".normal_()");
    case ElementType::bf16:
      return std::pair("bfloat16", ".normal_()");
    case ElementType::int64:
      return std::pair("int64", ".zero_()");
    case ElementType::int32:
      return std::pair("int32", ".zero_()");
    case ElementType::int16:
      return std::pair("int16", ".zero_()");
    case ElementType::int8:
      return std::pair("int8", ".zero_()");
    case ElementType::boolean:
      return std::pair("bool", ".zero_()");
    default:
      return std::nullopt;
  }
}

/// An argument in Python; none: the trace does not have what it was.
std::optional<std::string> python(const OpArgument& argument) {
  switch (argument.kind) {
    case OpArgument::Kind::tensor: {
      const auto type = torch_type(argument.type);
      if (!type) return std::nullopt;
      const std::string device = fmt::format("dtype=torch.{}, device='cuda'", type->first);
      if (argument.strides.size() == argument.dims.size() && !argument.dims.empty()) {
        return fmt::format("torch.empty_strided({}, {}, {}){}", tuple(argument.dims),
                           tuple(argument.strides), device, type->second);
      }
      return fmt::format("torch.empty({}, {}){}", tuple(argument.dims), device, type->second);
    }
    case OpArgument::Kind::scalar:
      if (argument.values.size() != 1) return std::nullopt;
      return std::to_string(argument.values[0]);
    case OpArgument::Kind::list: {
      std::string text = tuple(argument.values);
      text.front() = '[';
      text.back() = ']';
      return text;
    }
    default:
      return std::nullopt;
  }
}

tables::NextTool pytorch(const trace::HostOp* op) {
  const auto none = [](std::string why) { return tables::NextTool{"pytorch", "", std::move(why)}; };
  if (op == nullptr) return none("no op of PyTorch is known to have requested it");
  if (!op->name.starts_with("aten::")) return none(fmt::format("`{}` is no op of ATen", op->name));
  if (op->arguments.empty()) {
    return none(
        fmt::format("the arguments of `{}` were not recorded (record_shapes=True)", op->name));
  }
  size_t count = op->arguments.size();
  // Optional arguments that were not passed, at the end.
  while (count > 0 && op->arguments[count - 1].kind == OpArgument::Kind::unknown) --count;
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<std::string> text = python(op->arguments[i]);
    if (!text) return none(fmt::format("argument {} of `{}` is not in the trace", i + 1, op->name));
    texts.push_back(*text);
  }
  const std::string program = fmt::format(
      "import torch; run = lambda a=({},): torch.ops.aten.{}(*a); run(); "
      "torch.cuda.synchronize(); run(); torch.cuda.synchronize()",
      join(texts, ", "), op->name.substr(6));
  std::string note = "the op with these shapes and types, twice, with other values";
  if (count < op->arguments.size()) {
    note += fmt::format("; {} at the end left out, which the trace does not have",
                        plural(op->arguments.size() - count, "argument"));
  }
  return {"pytorch", "python3 -c " + shell_word(program), note};
}

}  // namespace

OperationOp op_of(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                  uint32_t operation) {
  OperationOp found;
  const trace::HostTrace* const host = run.trace.host.get();
  if (host == nullptr || !host->ops || host->ops->ops.empty()) return found;
  const cost::CostedRun costed = cost::cost_run(rules, run, nullptr);
  if (const uint32_t call = costed.call_of[operation]; call != cost::CostedRun::none) {
    const cost::CostedOp& one = costed.ops[costed.calls[call].costed];
    return {&host->ops->ops[one.op], one.cost};
  }
  const uint32_t number = host->launch_of[operation];
  if (number == HostRange::none || host->creation(operation) != nullptr) return found;
  const trace::Launch& launch = host->launches[number];
  int64_t start_ns = INT64_MIN;
  for (const trace::OpCall& call : host->ops->calls) {
    if (call.thread != launch.thread || call.start_ns > launch.start_ns ||
        call.end_ns <= launch.start_ns || call.start_ns < start_ns) {
      continue;
    }
    start_ns = call.start_ns;
    found.op = &host->ops->ops[call.op];
  }
  return found;
}

std::vector<tables::NextTool> next_tools(const trace::Trace& trace, uint32_t operation,
                                         const trace::HostOp* op) {
  const std::string_view range = range_of(trace, operation);
  return {ncu(trace, operation, range), nsys(trace.track(trace.operations[operation].track), range),
          pytorch(op)};
}

}  // namespace kr::session
