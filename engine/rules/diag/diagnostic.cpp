#include "diag/diagnostic.hpp"

#include <fmt/args.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace kr::diag {
const std::vector<CodeInfo>& all_codes() {
  static const std::vector<CodeInfo> codes = [] {
    std::vector<CodeInfo> all{
#define KR_CODE(id, symbol, severity, arguments, message) \
  {#id, #symbol, Severity::severity, arguments, message},
#include "diag/codes.def"
#undef KR_CODE
    };
    for (CodeInfo& info : all) std::ranges::replace(info.name, '_', '-');
    return all;
  }();
  return codes;
}

const CodeInfo* code_info(CodeRow row) {
  return &all_codes()[static_cast<size_t>(row)];
}

const CodeInfo* find_code(std::string_view id_or_name) {
  for (const CodeInfo& info : all_codes()) {
    if (info.id == id_or_name || info.name == id_or_name) return &info;
  }
  return nullptr;
}

std::string description(const CodeInfo& info) {
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (int i = 0; i < info.arguments; ++i) arguments.push_back("…");
  return fmt::vformat(info.message, arguments);
}

std::string_view to_string(Severity severity) noexcept {
  constexpr std::array<std::string_view, 4> names{"info", "warning", "error", "retired"};
  return names[static_cast<size_t>(severity)];
}

Diagnostic& Sink::add(const CodeInfo& info, source::Span span, std::string message) {
  if (info.severity == Severity::error) ++errors_;
  Diagnostic& added = diagnostics_.emplace_back();
  added.code = &info;
  added.severity = info.severity;
  added.span = span;
  added.message = std::move(message);
  return added;
}

std::vector<Diagnostic> Sink::sorted() const {
  std::vector<Diagnostic> sorted = diagnostics_;
  std::ranges::stable_sort(sorted, [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.span.file, a.span.begin) < std::tie(b.span.file, b.span.begin);
  });
  return sorted;
}

}  // namespace kr::diag
