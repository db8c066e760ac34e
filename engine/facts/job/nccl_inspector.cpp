#include "job/nccl_inspector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/input_files.hpp"
#include "base/integer.hpp"
#include "base/json_read.hpp"
#include "base/plural.hpp"
#include "base/saturated.hpp"

namespace kr::job {
namespace {

constexpr const char* inspector_remedy =
    "NCCL Inspector writes one JSON object per line to NCCL_INSPECTOR_DUMP_DIR";

struct Record {
  std::string communicator;
  std::string name;
  int64_t rank = 0;
  int64_t ranks = 0;
  std::string operation;
  std::optional<int64_t> sequence;
  int64_t bytes = 0;
  int64_t time_ns = 0;
  std::string timing;
};

std::string_view text_of(const JsonValue* value) {
  return value != nullptr ? std::string_view(value->string) : std::string_view();
}

/// Not negative.
std::optional<int64_t> number_of(const JsonValue* value) {
  if (value == nullptr || value->kind != JsonValue::Kind::integer || value->integer < 0) {
    return std::nullopt;
  }
  return value->integer;
}

std::optional<Record> record_of(const JsonValue& line) {
  const JsonValue* const header = line.find("header");
  const JsonValue* const collective = line.find("coll_perf");
  const JsonValue* const measured = collective != nullptr ? collective : line.find("p2p_perf");
  if (header == nullptr || measured == nullptr) return std::nullopt;
  const std::string prefix = collective != nullptr ? "coll" : "p2p";
  const auto of = [&](const char* key) { return measured->find(prefix + key); };
  std::string_view id = text_of(header->find("id"));
  if (!id.starts_with("0x")) return std::nullopt;
  const auto communicator = integer_from<uint64_t>(id.substr(2), 16);
  const auto rank = number_of(header->find("rank")), ranks = number_of(header->find("n_ranks"));
  const auto bytes = number_of(of("_msg_size_bytes")), time_us = number_of(of("_exec_time_us"));
  Record out;
  out.operation = text_of(of(""));
  if (!communicator || !rank || !ranks || !bytes || !time_us || out.operation.empty() ||
      __builtin_mul_overflow(*time_us, int64_t{1000}, &out.time_ns)) {
    return std::nullopt;
  }
  // As traces spell it, with no zeros before it.
  out.communicator = fmt::format("{:#x}", *communicator);
  out.name = text_of(header->find("comm_name"));
  out.rank = *rank;
  out.ranks = *ranks;
  out.sequence = number_of(of("_sn"));
  out.bytes = *bytes;
  out.timing = text_of(of("_timing_source"));
  return out;
}

class InspectorReader {
 public:
  void read(const std::string& path) {
    const std::string text = read_file(path);
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line(text.data() + at, end - at);
      at = end + 1;
      if (line.find_first_not_of(" \t\r") == line.npos || add(line, path)) continue;
      // Without an end of line: NCCL ended while it wrote, or writes still.
      ++(end == text.size() ? cut_off_ : skipped_);
    }
  }

  NcclInspector take() && {
    // Names of files contain those of hosts.
    if (skipped_ != 0) {
      warn(fmt::format("{} of NCCL Inspector {}: left out", plural(skipped_, "line"),
                       skipped_ == 1 ? "is not a record" : "are not records"));
    }
    if (cut_off_ != 0) {
      warn(fmt::format("{} of NCCL Inspector {} cut off: the last line is left out",
                       plural(cut_off_, "file"), cut_off_ == 1 ? "is" : "are"));
    }
    for (auto& [key, one] : sums_) out_.all.push_back(std::move(one));
    return std::move(out_);
  }
  bool empty() const noexcept { return sums_.empty(); }

 private:
  void warn(std::string text) {
    out_.warnings.push_back({"nccl-inspector-lines", std::move(text), "warning"});
  }

  bool add(std::string_view line, const std::string& path) {
    std::optional<Record> record;
    try {
      record = record_of(parse_json(line, path));
    } catch (const Error&) {
      return false;
    }
    if (!record) return false;
    InspectedOperations& sums = sums_[{record->communicator, record->rank, record->operation}];
    if (sums.instances++ == 0) {
      sums.communicator = record->communicator;
      sums.rank = record->rank;
      sums.ranks = record->ranks;
      sums.operation = record->operation;
      sums.kind = kind_of_call(record->operation);
    }
    if (sums.name.empty()) sums.name = record->name;
    if (const auto number = record->sequence) {
      sums.first_sequence = std::min(*number, sums.first_sequence.value_or(*number));
      sums.last_sequence = std::max(*number, sums.last_sequence.value_or(*number));
    }
    sums.bytes = add_saturated(sums.bytes, record->bytes);
    sums.time_ns = add_saturated(sums.time_ns, record->time_ns);
    int64_t moved = record->bytes;
    const bool fits =
        !is_of_part(sums.kind) || !__builtin_mul_overflow(record->bytes, record->ranks, &moved);
    if (!fits) sums.moved_bytes.reset();
    if (sums.moved_bytes) sums.moved_bytes = add_saturated(*sums.moved_bytes, moved);
    if (record->timing == "kernel_gpu") ++sums.timed_on_gpu;
    if (record->timing.ends_with("_cpu")) ++sums.timed_on_host;
    return true;
  }

  static bool is_of_part(CollectiveKind kind) {
    switch (kind) {
      case CollectiveKind::all_gather:
      case CollectiveKind::reduce_scatter:
      case CollectiveKind::all_to_all:
      case CollectiveKind::gather:
      case CollectiveKind::scatter:
        return true;
      default:
        return false;
    }
  }

  std::map<std::tuple<std::string, int64_t, std::string>, InspectedOperations> sums_;
  NcclInspector out_;
  size_t skipped_ = 0;
  size_t cut_off_ = 0;
};

std::vector<std::string> inspector_files(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.is_regular_file(error) && entry.path().extension() == ".log") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw Error(path, "contains no file `*.log`", inspector_remedy);
  return files;
}

}  // namespace

std::optional<double> InspectedOperations::bytes_per_s() const noexcept {
  if (!moved_bytes || time_ns <= 0) return std::nullopt;
  return static_cast<double>(*moved_bytes) * 1e9 / static_cast<double>(time_ns);
}

std::optional<double> InspectedOperations::bus_bytes_per_s() const noexcept {
  const auto algorithm = bytes_per_s();
  const auto [numerator, denominator] = bus_factor(kind, ranks);
  if (!algorithm || denominator == 0) return std::nullopt;
  return *algorithm * static_cast<double>(numerator) / static_cast<double>(denominator);
}

NcclInspector read_nccl_inspector(const std::string& path) {
  InspectorReader reader;
  for (const std::string& file : inspector_files(path)) {
    InputFiles::note(std::filesystem::path(file));
    reader.read(file);
  }
  if (reader.empty()) {
    throw Error(path, "contains no record of NCCL Inspector", inspector_remedy);
  }
  return std::move(reader).take();
}

}  // namespace kr::job
