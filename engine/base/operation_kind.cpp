#include "base/operation_kind.hpp"

namespace kr {

std::string_view to_string(OperationKind kind) noexcept {
  constexpr std::array<std::string_view, operation_kinds.size()> names{"kernel", "memcpy",
                                                                       "memset"};
  return names[static_cast<size_t>(kind)];
}

std::optional<OperationKind> operation_kind_from(std::string_view word) noexcept {
  for (const OperationKind kind : operation_kinds) {
    if (to_string(kind) == word) return kind;
  }
  return std::nullopt;
}

std::span<const OperationSpelling> operation_spellings() noexcept {
  using enum OperationKind;
  static constexpr OperationSpelling all[] = {
      {memcpy, "[CUDA ", "memcpy"},
      {memset, "[CUDA ", "memset"},
      {memcpy, "Memcpy ", ""},
      {memcpy, "__amd_rocclr_copy", ""},
      {memcpy, "CopyHostToDevice", ""},
      {memcpy, "CopyDeviceToHost", ""},
      {memcpy, "CopyDeviceToDevice", ""},
      {memset, "Memset ", ""},
      {memset, "__amd_rocclr_fill", ""},
  };
  return all;
}

OperationKind operation_kind_of(std::string_view name) noexcept {
  for (const OperationSpelling& spelling : operation_spellings()) {
    if (name.starts_with(spelling.head) &&
        name.find(spelling.part, spelling.head.size()) != name.npos) {
      return spelling.kind;
    }
  }
  return OperationKind::kernel;
}

}  // namespace kr
