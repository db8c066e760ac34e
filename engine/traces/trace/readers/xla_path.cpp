#include "trace/readers/xla_path.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

/// Transformations of JAX: `jvp(Transformer)` is what `Transformer` becomes.
constexpr std::array<std::string_view, 13> transformations{
    "jit",        "pjit",       "jvp",  "transpose", "vmap",      "checkpoint",          "remat",
    "custom_jvp", "custom_vjp", "pmap", "xmap",      "shard_map", "rematted_computation"};

/// Parts that are control flow and transformations, not modules.
constexpr std::array<std::string_view, 16> control{"checkpoint",
                                                   "remat",
                                                   "remat2",
                                                   "rematted_computation",
                                                   "while",
                                                   "scan",
                                                   "cond",
                                                   "closed_call",
                                                   "core_call",
                                                   "custom_jvp_call",
                                                   "pjit",
                                                   "custom_vjp_call",
                                                   "custom_vjp_call_jaxpr",
                                                   "shard_map",
                                                   "xla_call",
                                                   "named_call"};

bool is_control(std::string_view part, std::string_view before) {
  if (std::ranges::find(control, part) != control.end()) return true;
  if (before == "while" && part == "body") return true;
  return part.starts_with("branch_") && part.ends_with("_fun");
}

/// `jvp(Transformer)`: what is in the brackets.
struct Wrapped {
  std::string_view by;
  std::string_view inner;
};
std::optional<Wrapped> unwrap(std::string_view part) {
  const size_t open = part.find('(');
  if (open == part.npos || !part.ends_with(')')) return std::nullopt;
  const std::string_view by = part.substr(0, open);
  if (std::ranges::find(transformations, by) == transformations.end()) return std::nullopt;
  return Wrapped{by, part.substr(open + 1, part.size() - open - 2)};
}

/// The first part of a path, which brackets may hold together, and what follows the slash.
std::string_view take_part(std::string_view& path) {
  size_t depth = 0;
  for (size_t at = 0; at < path.size(); ++at) {
    if (path[at] == '(') ++depth;
    if (path[at] == ')' && depth > 0) --depth;
    if (path[at] != '/' || depth > 0) continue;
    const std::string_view part = path.substr(0, at);
    path.remove_prefix(at + 1);
    return part;
  }
  const std::string_view part = path;
  path = {};
  return part;
}

/// `jit_f(1234)`: without the fingerprint.
std::string_view without_fingerprint(std::string_view program) {
  const size_t open = program.rfind('(');
  if (open == program.npos || !program.ends_with(')')) return program;
  const std::string_view digits = program.substr(open + 1, program.size() - open - 2);
  const bool number =
      !digits.empty() && std::ranges::all_of(digits, [](char c) { return is_digit(c); });
  return number ? program.substr(0, open) : program;
}

}  // namespace

bool is_xla_path(std::string_view path) noexcept {
  return !path.empty() && path != "XlaModule" && !path.starts_with("XlaModule:") &&
         path != "(null)";
}

bool is_xla_name_stack(std::string_view name) noexcept {
  return name.find('/') != name.npos || name.starts_with("jit(") || name.starts_with("pjit(") ||
         name.starts_with("pmap(");
}

const std::vector<OperationPlaces::Level>& XlaLevels::of(const XlaPlace& place) {
  levels_.clear();
  texts_.clear();
  backward_ = false;
  module(without_fingerprint(place.program));
  add_path(place.path);
  if (backward_) levels_.push_back({HostRange::Kind::annotation, "autograd_phase=backward"});
  annotation("hlo_category=", place.category);
  annotation("hlo_op=", place.op);
  return levels_;
}

void XlaLevels::add_path(std::string_view path) {
  // Of ops that were fused, the first; behind the last colon, the type that TensorFlow adds.
  path = path.substr(0, path.find(';'));
  if (const size_t colon = path.rfind(':');
      colon != path.npos && path.find_first_of("/)", colon) == path.npos) {
    path = path.substr(0, colon);
  }
  std::string_view before;
  bool first = true;
  while (!path.empty()) {
    const std::string_view part = take_part(path);
    std::string_view name = part;
    bool program = false;
    while (const auto wrapped = unwrap(name)) {
      backward_ = backward_ || wrapped->by == "transpose";
      program = wrapped->by == "jit" || wrapped->by == "pjit" || wrapped->by == "pmap";
      name = wrapped->inner;
    }
    if (first && program) {
      // What a program contains has its own name in `program`, mostly.
      if (levels_.empty()) module(texts_.emplace_back("jit_" + std::string(name)));
    } else if (!path.empty() && !is_control(name, before) && !(program && name == "main")) {
      module(name);
    }
    before = name;
    first = false;
  }
}

void XlaLevels::annotation(std::string_view key, std::string_view value) {
  if (value.empty()) return;
  std::string& text = texts_.emplace_back(key);
  text += value;
  levels_.push_back({HostRange::Kind::annotation, text});
}

}  // namespace kr::trace
