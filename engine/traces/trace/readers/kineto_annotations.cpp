#include "trace/readers/kineto_annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/integer.hpp"
#include "base/json_read.hpp"
#include "trace/input.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view module_key = "module_fqn";
constexpr std::string_view name_key = "name";
/// Of a display: they say nothing of the node.
constexpr std::array lanes{"stream"sv, "annotated_stream"sv, "original_stream"sv};

/// By output_json.cpp and CuptiActivity.cpp of Kineto.
constexpr std::array profilers_keys{"Collective name"sv,
                                    "Ev Idx"sv,
                                    "External id"sv,
                                    "In split size"sv,
                                    "Out split size"sv,
                                    "Seq"sv,
                                    "annotation"sv,
                                    "block"sv,
                                    "blocks per SM"sv,
                                    "bytes"sv,
                                    "channel"sv,
                                    "channel_type"sv,
                                    "context"sv,
                                    "copy kind"sv,
                                    "correlation"sv,
                                    "cuda event"sv,
                                    "device"sv,
                                    "dst kind"sv,
                                    "est. achieved occupancy %"sv,
                                    "external id"sv,
                                    "flags"sv,
                                    "fromDevice"sv,
                                    "graph id"sv,
                                    "graph node id"sv,
                                    "grid"sv,
                                    "inDevice"sv,
                                    "kernel"sv,
                                    "kind"sv,
                                    "memory bandwidth (GB/s)"sv,
                                    "memory kind"sv,
                                    "priority"sv,
                                    "queued"sv,
                                    "registers per thread"sv,
                                    "shared memory"sv,
                                    "src kind"sv,
                                    "toDevice"sv,
                                    "value"sv,
                                    "warps per SM"sv};

static_assert(std::ranges::is_sorted(profilers_keys));

std::string text_of(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::string:
      return value.string;
    case JsonValue::Kind::integer:
      return std::to_string(value.integer);
    case JsonValue::Kind::number:
      return fmt::format("{}", value.number);
    case JsonValue::Kind::boolean:
      return value.boolean ? "True" : "False";
    case JsonValue::Kind::array: {
      std::string list;
      for (const JsonValue& item : value.items) list += (list.empty() ? "" : ", ") + text_of(item);
      return '[' + list + ']';
    }
    default:
      return {};
  }
}

}  // namespace

void NodeAnnotation::set(std::string_view key, std::string_view value) {
  values_.insert_or_assign(std::string(key), std::string(value));
}

void NodeAnnotation::set_all(const JsonValue& entries) {
  if (entries.kind == JsonValue::Kind::string) return set(name_key, entries.string);
  for (const JsonValue& entry : entries.items) set_all(entry);
  for (const JsonMember& member : entries.members) {
    set(member.key == "str" ? name_key : member.key, text_of(member.value));
  }
}

bool NodeAnnotation::set_lists(std::string_view modules, std::string_view texts) {
  const auto read = [](std::string_view json, std::vector<std::string>& to) {
    if (json.empty()) return true;
    try {
      for (const JsonValue& item : parse_json(json, "").items) {
        if (item.kind != JsonValue::Kind::string) return false;
        to.push_back(item.string);
      }
    } catch (const Error&) {
      return false;
    }
    return true;
  };
  return read(modules, modules_) && read(texts, texts_);
}

const std::string* NodeAnnotation::find(std::string_view key) const {
  const auto at = values_.find(key);
  return at != values_.end() ? &at->second : nullptr;
}

std::optional<CollectiveCall> NodeAnnotation::collective() const {
  const auto text = [this](std::string_view key) {
    const std::string* const value = find(key);
    return value != nullptr ? *value : std::string();
  };
  const auto number = [&](std::string_view key) {
    const auto value = integer_from<int64_t>(text(key));
    return value && *value >= 0 ? value : std::nullopt;
  };
  CollectiveCall call;
  call.group = text("Process Group Name");
  call.in_elements = number("In msg nelems");
  if (call.group.empty() && !call.in_elements) return std::nullopt;
  call.name = text(name_key);
  call.description = text("Process Group Description");
  call.ranks = text("Process Group Ranks");
  call.type = text("dtype");
  call.group_size = number("Group size");
  call.out_elements = number("Out msg nelems");
  call.source_rank = number("Src Rank");
  call.destination_rank = number("Dst Rank");
  call.rank_argument = number("Rank");
  return call;
}

std::vector<OperationPlaces::Level> NodeAnnotation::levels(std::vector<std::string>& texts) const {
  std::vector<OperationPlaces::Level> levels;
  if (const std::string* path = find(module_key)) {
    for (const std::string_view module : OperationPlaces::modules_of(*path)) {
      levels.push_back({HostRange::Kind::module, module});
    }
  }
  for (const std::string& module : modules_) levels.push_back({HostRange::Kind::module, module});
  for (const std::string& text : texts_) levels.push_back({HostRange::Kind::annotation, text});
  texts.clear();
  texts.reserve(values_.size());
  for (const auto& [key, value] : values_) {
    if (key == module_key || std::ranges::find(lanes, key) != lanes.end() || value.empty())
      continue;
    texts.push_back(key == name_key ? value : fmt::format("{}={}", key, value));
    levels.push_back({HostRange::Kind::annotation, texts.back()});
  }
  return levels;
}

std::optional<NodeAnnotation> annotation_from(std::string_view json) {
  try {
    NodeAnnotation annotation;
    annotation.set_all(parse_json(json, ""));
    return annotation;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_profilers_key(std::string_view key) noexcept {
  return std::ranges::binary_search(profilers_keys, key);
}

NodeAnnotations::NodeAnnotations(const std::string& path) {
  const std::string shown = shown_path(path);
  if (path.ends_with(".pkl")) {
    throw Error(shown, "is a pickle, and reading one would run what is in it",
                "write the annotations as JSON: newer versions of PyTorch do");
  }
  const JsonValue all = parse_json(read_file(path), shown);
  if (all.kind != JsonValue::Kind::object) {
    throw Error(shown, "contains no annotations of CUDA graphs: it is not an object of JSON",
                "PyTorch names such files kernel_annotations_rank0_….json");
  }
  for (const JsonMember& member : all.members) {
    const auto node = integer_from<uint64_t>(member.key);
    if (!node) {
      throw Error(shown, Error::Place{.line = {}, .offset = member.key_begin},
                  fmt::format("`{}` is not the number of a node of a CUDA graph", member.key),
                  "PyTorch names such files kernel_annotations_rank0_….json");
    }
    nodes_[*node].set_all(member.value);
  }
}

const NodeAnnotation* NodeAnnotations::find(uint64_t node) const {
  const auto at = nodes_.find(node);
  return at != nodes_.end() ? &at->second : nullptr;
}

std::string find_annotations(const std::string& trace, const std::string& where) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path own(trace);
  const std::string name = own.filename().string();
  const auto end = std::ranges::find_if_not(name, [](char c) { return is_digit(c); });
  const auto rank = integer_from<int64_t>(std::string_view(name.begin(), end));
  fs::path folder = where;
  if (where.empty()) {
    if (!rank) return {};
    folder = fs::absolute(own, error).parent_path().parent_path();
  }
  const std::string head =
      rank ? fmt::format("kernel_annotations_rank{}_", *rank) : "kernel_annotations_";
  std::string found;
  for (fs::directory_iterator at(folder, error), none; !error && at != none; at.increment(error)) {
    const std::string one = at->path().filename().string();
    if (!one.starts_with(head) || !one.ends_with(".json")) continue;
    if (found.empty() || at->path().string() < found) found = at->path().string();
  }
  return found;
}

}  // namespace kr::trace
