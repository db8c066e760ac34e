#include "base/operation_kind.hpp"

namespace kr {

std::string_view to_string(OperationKind kind) noexcept {
  switch (kind) {
    case OperationKind::kernel:
      return "kernel";
    case OperationKind::memcpy:
      return "memcpy";
    case OperationKind::memset:
      return "memset";
  }
  return "kernel";
}

std::optional<OperationKind> operation_kind_from(std::string_view word) noexcept {
  for (const OperationKind kind : operation_kinds) {
    if (to_string(kind) == word) return kind;
  }
  return std::nullopt;
}

OperationKind operation_kind_of(std::string_view name) noexcept {
  if (name.starts_with("[CUDA ")) {
    if (name.find("memcpy") != name.npos) return OperationKind::memcpy;
    if (name.find("memset") != name.npos) return OperationKind::memset;
  }
  constexpr std::string_view copies[] = {"Memcpy ", "__amd_rocclr_copy", "CopyHostToDevice",
                                         "CopyDeviceToHost", "CopyDeviceToDevice"};
  for (const std::string_view head : copies) {
    if (name.starts_with(head)) return OperationKind::memcpy;
  }
  constexpr std::string_view sets[] = {"Memset ", "__amd_rocclr_fill"};
  for (const std::string_view head : sets) {
    if (name.starts_with(head)) return OperationKind::memset;
  }
  return OperationKind::kernel;
}

}  // namespace kr
