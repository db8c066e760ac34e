// The three kinds of GPU operation of rules and readers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kr {

enum class OperationKind : uint8_t { kernel, memcpy, memset };

inline constexpr std::array<OperationKind, 3> operation_kinds{
    OperationKind::kernel, OperationKind::memcpy, OperationKind::memset};

/// `kernel`, `memcpy`, `memset`.
std::string_view to_string(OperationKind kind) noexcept;
std::optional<OperationKind> operation_kind_from(std::string_view word) noexcept;

/// A spelling of copies or sets: the head of a name, and a text anywhere after it (mostly
/// nothing).
struct OperationSpelling {
  OperationKind kind;
  std::string_view head;
  std::string_view part;
};

/// The first that matches a name gives its kind.
std::span<const OperationSpelling> operation_spellings() noexcept;

/// The kind by the name alone, as a CSV without categories has to be read: the spellings of
/// copies and sets of nsys (`[CUDA memcpy HtoD]`, `[CUDA Unified Memory memcpy DtoH]`,
/// `[CUDA memset]`), of Kineto (`Memcpy HtoD (Pageable -> Device)`, `Memset (Device)`) and of ROCm
/// (`__amd_rocclr_copyBuffer`, `__amd_rocclr_fillBufferAligned`, `CopyHostToDevice`). All else is a
/// kernel.
OperationKind operation_kind_of(std::string_view name) noexcept;

}  // namespace kr
