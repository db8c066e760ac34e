#include "ncu/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "base/nearest.hpp"
#include "ncu/gpus_text.hpp"

namespace kr::ncu {
namespace {

using GpuWords = std::vector<std::string>;

/// Words that do not distinguish GPUs.
bool is_vendor_word(std::string_view word) {
  constexpr std::array<std::string_view, 7> words{"nvidia", "amd",      "tesla", "geforce",
                                                  "rtx",    "instinct", "gpu"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// `sxm5` is `sxm`, `144g` is `144gb`.
std::string common_word(std::string word) {
  if (word.size() == 4 && word.starts_with("sxm")) word.resize(3);
  if (word.size() > 1 && word.back() == 'g' &&
      std::all_of(word.begin(), word.end() - 1, is_digit)) {
    word += 'b';
  }
  return word;
}

GpuWords gpu_words(std::string_view text, bool with_vendor) {
  GpuWords words;
  std::string word;
  const auto end_of_word = [&] {
    if (!word.empty() && (with_vendor || !is_vendor_word(word))) {
      words.push_back(common_word(word));
    }
    word.clear();
  };
  for (const char c : text) {
    if (is_letter(c) || is_digit(c)) {
      word += lower(c);
    } else {
      end_of_word();
    }
  }
  end_of_word();
  return words;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// What a GPU is known by.
struct Spelling {
  GpuWords model;               // a name has all of them
  GpuWords allowed;             // and no others
  std::vector<GpuWords> exact;  // its own name and others, as they are: these win
};

bool contains(const GpuWords& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool may_be(const Spelling& gpu, const GpuWords& wanted) {
  const auto known = [&](const std::string& word) { return contains(gpu.allowed, word); };
  const auto there = [&](const std::string& word) { return contains(wanted, word); };
  return std::all_of(wanted.begin(), wanted.end(), known) &&
         std::all_of(gpu.model.begin(), gpu.model.end(), there);
}

struct GpuList {
  std::vector<GpuPeaks> gpus;
  std::vector<Spelling> spellings;  // by GPU
};

double figure_of(std::string_view cell, double unit) {
  if (cell.empty()) return 0;
  double value = 0;
  double place = 0;  // of the next decimal; 0: before the point
  for (const char c : cell) {
    if (c == '.') {
      KR_CHECK(place == 0);
      place = 1;
      continue;
    }
    KR_CHECK(is_digit(c));
    value = value * 10 + (c - '0');
    place *= 10;
  }
  return place > 0 ? value * unit / place : value * unit;
}

constexpr size_t gpu_columns = 14;
constexpr double tera = 1e12, giga = 1e9;

GpuPeaks peaks_of(const std::vector<std::string_view>& cells) {
  const auto flops = [&](size_t at) { return figure_of(cells[at], tera); };
  return {.name = std::string(cells[0]),
          .fp64 = flops(3),
          .fp32 = flops(4),
          .tf32 = flops(5),
          .fp16_tensor = flops(6),
          .bf16_tensor = flops(7),
          .fp8_tensor = flops(8),
          .int8_tensor = flops(9),
          .dram_bytes_per_s = figure_of(cells[10], giga),
          .l2_bytes_per_s = figure_of(cells[11], giga),
          .sms = static_cast<int64_t>(figure_of(cells[12], 1)),
          .source = std::string(cells[13])};
}

Spelling spelling_of(const std::vector<std::string_view>& cells) {
  Spelling spelling;
  spelling.model = gpu_words(cells[1], false);
  spelling.exact.push_back(gpu_words(cells[0], true));
  spelling.allowed = gpu_words(cells[0], false);
  if (cells[2].empty()) return spelling;
  for (const std::string_view name : split_at(cells[2], ';')) {
    spelling.exact.push_back(gpu_words(name, true));
    for (std::string& word : gpu_words(name, false)) spelling.allowed.push_back(std::move(word));
  }
  return spelling;
}

GpuList read_gpus(std::string_view text) {
  GpuList list;
  bool head = true;
  for (const std::string_view line : split_at(text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> cells = split_at(line, '\t');
    KR_CHECK(cells.size() == gpu_columns);
    if (!head) {
      list.gpus.push_back(peaks_of(cells));
      list.spellings.push_back(spelling_of(cells));
    }
    head = false;
  }
  return list;
}

const GpuList& gpu_list() {
  static const GpuList all = read_gpus(gpus_text);
  return all;
}

/// The places of those that the name may mean.
std::vector<size_t> gpus_called(std::string_view name) {
  const std::vector<Spelling>& spellings = gpu_list().spellings;
  const GpuWords exact = gpu_words(name, true);
  const GpuWords wanted = gpu_words(name, false);
  std::vector<size_t> found;
  for (size_t i = 0; i < spellings.size(); ++i) {
    const std::vector<GpuWords>& names = spellings[i].exact;
    if (std::find(names.begin(), names.end(), exact) != names.end()) return {i};
    if (!wanted.empty() && may_be(spellings[i], wanted)) found.push_back(i);
  }
  return found;
}

std::vector<std::string> names_at(const std::vector<size_t>& places) {
  std::vector<std::string> names;
  names.reserve(places.size());
  for (const size_t place : places) names.push_back(gpu_list().gpus[place].name);
  return names;
}

}  // namespace

std::span<const GpuPeaks> gpus() {
  return gpu_list().gpus;
}

const GpuPeaks* find_gpu(std::string_view name) {
  const std::vector<size_t> found = gpus_called(name);
  if (found.empty()) return nullptr;
  if (found.size() > 1) {
    throw Error("", fmt::format("several GPUs are called `{}`", name),
                fmt::format("name one of them: {}", join(names_at(found), "; ")));
  }
  return &gpu_list().gpus[found.front()];
}

const GpuPeaks& named_gpu(std::string_view name, std::string_view option) {
  const GpuPeaks* found = find_gpu(name);
  if (found != nullptr) return *found;
  std::vector<std::string> names;
  names.reserve(gpus().size());
  for (const GpuPeaks& one : gpus()) names.push_back(one.name);
  const auto near = nearest(name, names);
  throw Error("", fmt::format("{}: no data sheet of the GPU `{}`", option, name),
              (near ? fmt::format("did you mean `{}`? ", *near) : std::string()) +
                  "`kr list gpus` shows those that kr knows");
}

}  // namespace kr::ncu
