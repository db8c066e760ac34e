// Arguments of one call of a framework op, as a trace recorded them or a test of a ruleset states
// them. Facts of the formats: PyTorch's profiler writes "Input Dims", "Input type", "Input Strides"
// and "Concrete Inputs"; vLLM and SGLang write shapes into NVTX payloads.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kr {

/// Type of the elements of a tensor. `unknown` if the trace does not contain it or kr does not know
/// its size.
enum class ElementType : uint8_t {
  unknown,
  fp64,
  fp32,
  fp16,
  bf16,
  fp8,
  fp4,
  int64,
  int32,
  int16,
  int8,
  boolean
};

/// Size of one element in bits; 0 if unknown. fp4 has 4: two elements are packed into one byte.
int bits_of(ElementType type);

/// The word of the language: `fp16`, `bf16`; empty for unknown.
std::string_view word_of(ElementType type);

/// The type that a word of the language names; unknown for any other word.
ElementType element_type_of_word(std::string_view word);

/// The type that a profiler's text names: `float`, `c10::BFloat16`, `long int`, `Float8_e4m3fn`;
/// else unknown.
ElementType element_type_of_profiler(std::string_view text);

/// One argument.
struct OpArgument {
  enum class Kind : uint8_t {
    unknown,  ///< nothing is known of it, or it is an optional argument that was not passed
    tensor,   ///< `type`, `dims`, perhaps `strides`
    scalar,   ///< one integer or boolean: `values[0]`
    list,     ///< a list of integers or booleans: `values`
    tensors   ///< a list of tensors, whose types no trace contains
  };
  Kind kind = Kind::unknown;
  ElementType type = ElementType::unknown;
  std::vector<int64_t> dims;     ///< of a tensor; empty for a tensor of rank 0
  std::vector<int64_t> strides;  ///< in elements, one per dimension; empty if not recorded
  std::vector<int64_t> values;   ///< of a scalar or list

  friend auto operator<=>(const OpArgument&, const OpArgument&) = default;
};

/// All arguments of one call, in order. Empty if none were recorded.
using OpArguments = std::vector<OpArgument>;

}  // namespace kr
