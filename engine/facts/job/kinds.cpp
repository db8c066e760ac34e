// What collectives are, by the names that libraries give them.
#include <algorithm>

#include "base/ascii.hpp"
#include "job/member.hpp"

namespace kr::job {
namespace {

using Kind = CollectiveKind;

struct Word {
  std::string_view word;  // small letters, without `_`
  Kind kind;
};

/// The first that is in the text decides, so that `reducescatter` comes before `reduce`.
constexpr Word words[] = {
    {"reducescatter", Kind::reduce_scatter},
    {"allreduce", Kind::all_reduce},
    {"allgather", Kind::all_gather},
    {"alltoall", Kind::all_to_all},
    {"all2all", Kind::all_to_all},
    {"sendrecv", Kind::send_receive},
    {"broadcast", Kind::broadcast},
    {"bcast", Kind::broadcast},
    {"barrier", Kind::barrier},
};
/// Too short to be looked for in names of kernels, which reduce and gather on one device, too.
constexpr Word words_of_calls[] = {
    {"scatter", Kind::scatter}, {"gather", Kind::gather}, {"reduce", Kind::reduce},
    {"send", Kind::send},       {"recv", Kind::receive},
};
/// All-reduces that are called by their way of reducing: vLLM, SGLang, aiter, TensorRT-LLM.
constexpr Word words_of_kernels[] = {
    {"crossdevicereduce", Kind::all_reduce}, {"quickreduce", Kind::all_reduce},
    {"oneshot", Kind::all_reduce},           {"twoshot", Kind::all_reduce},
    {"lamport", Kind::all_reduce},
};

std::string without_underscores(std::string_view name) {
  std::string small = lowered(name);
  std::erase(small, '_');
  return small;
}

template <size_t n>
Kind first_word(std::string_view text, const Word (&all)[n]) {
  const auto found = std::find_if(std::begin(all), std::end(all), [text](const Word& one) {
    return text.find(one.word) != text.npos;
  });
  return found == std::end(all) ? Kind::other : found->kind;
}

/// `ncclDevKernel_Reduce_Sum_f32_RING_LL`, `ncclKernel_Gather`: the word behind the prefix.
Kind word_of_nccl(std::string_view name) {
  for (const std::string_view prefix :
       {"nccldevkernel", "ncclkernel", "nccl", "rccldevkernel", "rcclkernel", "rccl"}) {
    const size_t at = name.find(prefix);
    if (at == name.npos) continue;
    const std::string_view rest = name.substr(at + prefix.size());
    for (const Word& one : words_of_calls) {
      if (rest.starts_with(one.word)) return one.kind;
    }
    return Kind::other;
  }
  return Kind::other;
}

int64_t bytes_of_element(std::string_view type) noexcept {
  struct Size {
    std::string_view type;
    int64_t bytes;
  };
  // As PyTorch spells them.
  constexpr Size sizes[] = {
      {"Float", 4},       {"Int", 4},  {"Half", 2},   {"BFloat16", 2},       {"Short", 2},
      {"Double", 8},      {"Long", 8}, {"Char", 1},   {"ComplexFloat", 8},   {"Byte", 1},
      {"ComplexHalf", 4}, {"Bool", 1}, {"UInt16", 2}, {"ComplexDouble", 16}, {"UInt32", 4},
      {"UInt64", 8},
  };
  if (type.starts_with("Float8_")) return 1;
  for (const Size& one : sizes) {
    if (one.type == type) return one.bytes;
  }
  return CollectiveInstance::unknown;
}

}  // namespace

CollectiveKind kind_of_call(std::string_view name) {
  const std::string small = without_underscores(name);
  const Kind kind = first_word(small, words);
  return kind == Kind::other ? first_word(small, words_of_calls) : kind;
}

CollectiveKind kind_of_kernel(std::string_view name) {
  const std::string small = without_underscores(name);
  if (const Kind kind = first_word(small, words); kind != Kind::other) return kind;
  if (const Kind kind = first_word(small, words_of_kernels); kind != Kind::other) return kind;
  return word_of_nccl(small);
}

int64_t bytes_of(CollectiveKind kind, int64_t in_elements, int64_t out_elements,
                 std::string_view type) noexcept {
  int64_t elements = in_elements;
  switch (kind) {
    case Kind::all_gather:
      elements = out_elements;
      break;
    case Kind::all_reduce:
    case Kind::reduce_scatter:
    case Kind::all_to_all:
    case Kind::broadcast:
    case Kind::reduce:
    case Kind::send:
    case Kind::receive:
      break;
    default:
      return CollectiveInstance::unknown;
  }
  const int64_t each = bytes_of_element(type);
  int64_t bytes = 0;
  if (elements < 0 || each < 0 || __builtin_mul_overflow(elements, each, &bytes)) {
    return CollectiveInstance::unknown;
  }
  return bytes;
}

std::pair<int64_t, int64_t> bus_factor(CollectiveKind kind, int64_t group_size) noexcept {
  switch (kind) {
    case Kind::all_reduce:
      if (group_size < 1) return {0, 0};
      return {2 * (group_size - 1), group_size};
    case Kind::all_gather:
    case Kind::reduce_scatter:
    case Kind::all_to_all:
    case Kind::gather:
    case Kind::scatter:
      if (group_size < 1) return {0, 0};
      return {group_size - 1, group_size};
    case Kind::broadcast:
    case Kind::reduce:
    case Kind::send:
    case Kind::receive:
      return {1, 1};
    default:
      return {0, 0};
  }
}

}  // namespace kr::job
