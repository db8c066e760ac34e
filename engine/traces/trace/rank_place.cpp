#include "trace/rank_place.hpp"

#include <charconv>
#include <string>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

constexpr std::string_view joints = "-_=.";

/// The number at `at`, or behind one joint. Moves `at` behind it.
std::optional<int64_t> number_at(std::string_view text, size_t& at) {
  size_t digits = at;
  if (digits < text.size() && joints.find(text[digits]) != joints.npos) ++digits;
  if (digits >= text.size() || !is_digit(text[digits])) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  at = static_cast<size_t>(end - text.data());
  return value;
}

std::optional<int64_t> RankPlace::*kind_of_place(std::string_view word) {
  if (word == "dp") return &RankPlace::data;
  if (word == "ep") return &RankPlace::expert;
  if (word == "pp") return &RankPlace::pipeline;
  return word == "tp" ? &RankPlace::tensor : nullptr;
}

/// Number after the last of these words.
std::optional<int64_t> number_after_word(std::string_view lower) {
  std::optional<int64_t> found;
  size_t found_at = 0;
  for (const std::string_view word : {"rank", "worker"}) {
    for (size_t at = lower.find(word); at != lower.npos; at = lower.find(word, at + 1)) {
      size_t end = at + word.size();
      const auto value = number_at(lower, end);
      if (!value || (found && at < found_at)) continue;
      found = value;
      found_at = at;
    }
  }
  return found;
}

/// `report_N%h_%q{SLURM_PROCID}`: the number at the end of the name, behind `_nHOST_`.
std::optional<int64_t> slurm_process(std::string_view lower) {
  const std::string_view name = lower.substr(lower.rfind('/') + 1);
  constexpr std::string_view head = "report_n";
  if (!name.starts_with(head)) return std::nullopt;
  size_t at = name.find('_', head.size());
  if (at == name.npos || at == head.size()) return std::nullopt;
  const auto value = number_at(name, at);
  return value && (at == name.size() || name[at] == '.') ? value : std::nullopt;
}

/// All places in a text.
RankPlace places_in(std::string_view text) {
  const std::string lower = lowered(text);
  RankPlace place;
  for (size_t at = 0; at + 2 < lower.size(); ++at) {
    if (at > 0 && is_letter(lower[at - 1])) continue;
    const auto member = kind_of_place(std::string_view(lower).substr(at, 2));
    if (member == nullptr) continue;
    size_t end = at + 2;
    if (const auto value = number_at(lower, end)) place.*member = value;
  }
  return place;
}

/// `-TP-3`: as SGLang names its files.
bool has_sglang_place(std::string_view path) {
  for (const std::string_view word : {"-DP-", "-EP-", "-PP-", "-TP-"}) {
    const size_t at = path.rfind(word);
    if (at != path.npos && at + word.size() < path.size() && is_digit(path[at + word.size()])) {
      return true;
    }
  }
  return false;
}

}  // namespace

RankPlace place_of_member(std::string_view member) {
  return places_in(member);
}

RankPlace place_in_path(std::string_view path) {
  const bool of_rank = has_sglang_place(path) || number_after_word(lowered(path));
  return of_rank ? places_in(path) : RankPlace{};
}

std::optional<int64_t> only_number(const RankPlace& place) noexcept {
  std::optional<int64_t> only;
  for (const auto& number : {place.data, place.expert, place.pipeline, place.tensor}) {
    if (number && only) return std::nullopt;
    if (number) only = number;
  }
  return only;
}

std::optional<int64_t> rank_in_path(std::string_view path) {
  const std::string lower = lowered(path);
  if (const auto rank = number_after_word(lower)) return rank;
  if (const auto rank = slurm_process(lower)) return rank;
  return only_number(place_in_path(path));
}

std::optional<MergedProcess> merged_process(std::string_view process) noexcept {
  if (!process.starts_with('[')) return std::nullopt;
  const size_t close = process.find(']');
  if (close == process.npos || close + 1 >= process.size() || process[close + 1] != ' ') {
    return std::nullopt;
  }
  const std::string_view member = process.substr(1, close - 1);
  const auto digits_from = [&](size_t from) {
    size_t end = from;
    while (end < member.size() && is_digit(member[end])) ++end;
    return end;
  };
  size_t at = 0;
  constexpr std::string_view unranked = "process ";
  if (member.starts_with(unranked)) {
    if (member.size() == unranked.size()) return std::nullopt;
  } else if (member.starts_with("rank")) {
    at = 4 + (member.size() > 4 && member[4] == ' ' ? 1U : 0U);
    const size_t end = digits_from(at);
    if (end == at || end != member.size()) return std::nullopt;
  } else {
    while (true) {
      const std::string_view word = member.substr(at, 2);
      if (word != "DP" && word != "EP" && word != "PP" && word != "TP") return std::nullopt;
      const size_t end = digits_from(at + 2);
      if (end == at + 2) return std::nullopt;
      if (end == member.size()) break;
      if (member[end] != '-') return std::nullopt;
      at = end + 1;
    }
  }
  return MergedProcess{member, process.substr(close + 2)};
}

}  // namespace kr::trace
