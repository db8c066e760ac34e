#include "base/op_arguments.hpp"

#include <algorithm>
#include <array>

namespace kr {
namespace {

struct NamedType {
  ElementType type;
  int bits;
  std::string_view word;
};

constexpr std::array named_types{
    NamedType{ElementType::fp64, 64, "fp64"},   NamedType{ElementType::fp32, 32, "fp32"},
    NamedType{ElementType::fp16, 16, "fp16"},   NamedType{ElementType::bf16, 16, "bf16"},
    NamedType{ElementType::fp8, 8, "fp8"},      NamedType{ElementType::fp4, 4, "fp4"},
    NamedType{ElementType::int64, 64, "int64"}, NamedType{ElementType::int32, 32, "int32"},
    NamedType{ElementType::int16, 16, "int16"}, NamedType{ElementType::int8, 8, "int8"},
    NamedType{ElementType::boolean, 8, "bool"},
};

struct ProfilerType {
  std::string_view text;
  ElementType type;
};

// C++ names of the types, as c10::ScalarType's type metadata prints them.
constexpr std::array profiler_types{
    ProfilerType{"double", ElementType::fp64},
    ProfilerType{"float", ElementType::fp32},
    ProfilerType{"Half", ElementType::fp16},
    ProfilerType{"BFloat16", ElementType::bf16},
    ProfilerType{"long int", ElementType::int64},
    ProfilerType{"long", ElementType::int64},
    ProfilerType{"int", ElementType::int32},
    ProfilerType{"short", ElementType::int16},
    ProfilerType{"short int", ElementType::int16},
    ProfilerType{"signed char", ElementType::int8},
    ProfilerType{"unsigned char", ElementType::int8},
    ProfilerType{"char", ElementType::int8},
    ProfilerType{"bool", ElementType::boolean},
};

const NamedType* find(ElementType type) {
  const auto* found = std::find_if(named_types.begin(), named_types.end(),
                                   [&](const NamedType& named) { return named.type == type; });
  return found == named_types.end() ? nullptr : found;
}

}  // namespace

int bits_of(ElementType type) {
  const NamedType* named = find(type);
  return named == nullptr ? 0 : named->bits;
}

std::string_view word_of(ElementType type) {
  const NamedType* named = find(type);
  return named == nullptr ? std::string_view{} : named->word;
}

ElementType element_type_of_word(std::string_view word) {
  for (const NamedType& named : named_types) {
    if (named.word == word) return named.type;
  }
  return ElementType::unknown;
}

ElementType element_type_of_profiler(std::string_view text) {
  constexpr std::string_view prefix = "c10::";
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  if (text.starts_with("Float8_")) return ElementType::fp8;
  if (text.starts_with("Float4_")) return ElementType::fp4;
  for (const ProfilerType& named : profiler_types) {
    if (named.text == text) return named.type;
  }
  return ElementType::unknown;
}

}  // namespace kr
