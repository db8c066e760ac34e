#include "tables/device_word.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace kr::tables {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view usual = "GPU";
constexpr std::string_view any = "device";

/// By the beginning of a device's name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> words{
    {{"TPU"sv, "TPU"sv},
     {"Ascend"sv, "NPU"sv},
     {"NPU"sv, "NPU"sv},
     {"MTIA"sv, any},
     // MTIA of the second generation.
     {"ARTEMIS"sv, any}}};

std::string_view word_of(std::string_view name, std::string_view format) {
  const auto* const known =
      std::ranges::find_if(words, [&](const auto& one) { return name.starts_with(one.first); });
  if (known != words.end()) return known->second;
  return format.starts_with("ascend") ? "NPU"sv : usual;
}

}  // namespace

std::string_view device_word(std::span<const Run* const> runs) {
  std::optional<std::string_view> word;
  for (const Run* run : runs) {
    for (const analyze::DeviceSum& device : run->summary.devices) {
      const std::string_view one = word_of(device.name, run->summary.format);
      if (word && *word != one) return any;
      word = one;
    }
  }
  return word.value_or(usual);
}

std::string_view device_word(const Source& source) {
  std::vector<const Run*> runs;
  runs.reserve(source.runs.size());
  for (const Run& run : source.runs) runs.push_back(&run);
  return device_word(runs);
}

}  // namespace kr::tables
