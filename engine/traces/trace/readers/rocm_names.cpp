#include "trace/readers/rocm_names.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "trace/trace.hpp"

namespace kr::trace {
namespace {

bool begins_type(std::string_view type, std::string_view word) {
  return same_ignoring_case(type.substr(0, word.size()), word);
}

}  // namespace

std::string_view kernel_name_of_symbol(std::string_view symbol) noexcept {
  for (const std::string_view end : {" [clone .kd]", ".kd"}) {
    if (symbol.ends_with(end)) return symbol.substr(0, symbol.size() - end.size());
  }
  return symbol;
}

std::optional<OperationKind> kind_of_rocm_type(std::string_view type,
                                               std::string_view name) noexcept {
  for (const std::string_view word : {"Copy", "Memcpy", "MEMORY_COPY"}) {
    if (begins_type(type, word)) return OperationKind::memcpy;
  }
  for (const std::string_view word : {"Fill", "Memset", "MEMORY_SET"}) {
    if (begins_type(type, word)) return OperationKind::memset;
  }
  if (type.find("Barrier") != type.npos || type.find("BARRIER") != type.npos) return std::nullopt;
  return operation_kind_of(name);
}

bool is_call_of_tracer(std::string_view name) noexcept {
  return name == "hcc_activity_callback" || name == "rpdflush" || name.ends_with("::writeRows");
}

void note_calls_of_tracer(uint64_t calls, TraceBuilder& out) {
  if (calls == 0) return;
  out.warn(
      "calls-of-tracer",
      fmt::format("{} of the tracer itself, as hcc_activity_callback, {} not among the calls of "
                  "the host.",
                  plural(calls, "call"), calls == 1 ? "is" : "are"),
      "info");
}

RocmDomain domain_of(std::string_view domain) noexcept {
  if (domain.find("MARKER") != domain.npos) return RocmDomain::marker;
  const bool runtime = domain.starts_with("HIP_") || domain.starts_with("HSA_");
  return runtime ? RocmDomain::runtime : RocmDomain::library;
}

bool is_hsa_call(std::string_view name) noexcept {
  return name.starts_with("hsa_");
}

std::optional<int64_t> agent_number(std::string_view text) noexcept {
  for (const std::string_view word : {"Agent ", "GPU "}) {
    if (text.starts_with(word)) text.remove_prefix(word.size());
  }
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

}  // namespace kr::trace
