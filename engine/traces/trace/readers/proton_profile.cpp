// Profiles of Proton, Triton's profiler, to module trees: a list of the tree and the devices, as
// JSON
// (`.hatchet`) or as MessagePack (`.hatchet_msgpack`).
//
//     [{"children": [{"children": [], "frame": {"name": "matmul", "type": "function"},
//                     "metrics": {"bytes": 1509949440000, "count": 10000, "device_id": "0",
//                                 "device_type": "CUDA", "flops16": 687194767360000.0,
//                                 "time (ns)": 902867331}}],
//       "frame": {"name": "ROOT", "type": "function"}, "metrics": {"count": 0, "time (ns)": 0}},
//      {"CUDA": {"0": {"arch": "100", "bus_width": 8192, "clock_rate": 1965000,
//                      "memory_clock_rate": 3996000, "num_sms": 148}}}]
//
// By third_party/proton/csrc/lib/Data/TreeData.cpp and proton/viewer.py of Triton (2024 to 2026).
// Members may be in any order. A metric is of the node alone and the sum of all its calls: what
// a node takes is its own and its children's. `flops` and `bytes` are the user's, per scope or by a
// kernel's `launch_metadata`. Clocks are in kHz, buses in bits. Phases of a session are files of
// their own: `NAME.part_1.hatchet`. A folder of them is one profile.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/format.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/msgpack_pull.hpp"
#include "trace/readers/proton_nodes.hpp"
#include "trace/readers/proton_parts.hpp"

namespace kr::trace {
namespace {

bool is_node_member(std::string_view key) {
  return key == "children" || key == "frame" || key == "metrics";
}

/// One file.
template <class Pull>
class ProtonReader {
 public:
  ProtonReader(Input& input, ModuleTraceBuilder& out, ProtonTree& tree, ProtonFound& found)
      : input_(&input),
        out_(&out),
        tree_(&tree),
        values_(input, input.options().block_size),
        nodes_(values_, tree, found, out, input.options().strict) {}

  void run() {
    try {
      whole();
      if (input_->truncated()) {
        out_->warn("truncated",
                   fmt::format("The file is cut off: its text ends at byte {}.", input_->offset()));
      }
    } catch (const JsonCut& cut) {
      if (!input_->options().allow_truncated) throw;
      cut_off(cut);
    }
  }

 private:
  void whole() {
    values_.expect(JsonKind::array);
    values_.enter();
    for (bool first = true; values_.next(); first = false) {
      values_.expect(JsonKind::object);
      const uint64_t offset = values_.offset();
      values_.enter();
      if (!values_.next()) continue;
      if (first || is_node_member(values_.key())) {
        nodes_.read(offset);
      } else {
        devices();
      }
    }
    values_.end();
  }

  // The cursor is at the first member.
  void devices() {
    SeenKeys types;
    do {
      const std::string type(values_.key());
      once(types.add(type));
      if (values_.value() == JsonKind::null) {
        values_.skip();
        continue;
      }
      values_.expect(JsonKind::object);
      values_.enter();
      SeenKeys ids;
      while (values_.next()) {
        once(ids.add(values_.key()));
        ProfiledDevice one;
        one.type = type;
        one.id = values_.key();
        device(one);
        tree_->device(std::move(one));
      }
    } while (values_.next());
  }

  void device(ProfiledDevice& one) {
    values_.expect(JsonKind::object);
    values_.enter();
    SeenKeys seen;
    while (values_.next()) {
      const std::string key(values_.key());
      once(seen.add(key));
      const JsonKind kind = values_.value();
      std::optional<int64_t>* const whole = number_of(one, key);
      if (kind == JsonKind::null || (whole == nullptr && key != "arch")) {
        values_.skip();
      } else if (whole != nullptr) {
        *whole = read_whole(values_);
      } else {
        const bool number = kind == JsonKind::number;
        if (!number) values_.expect(JsonKind::string);
        one.arch = number ? values_.number() : values_.string();
      }
    }
  }

  static std::optional<int64_t>* number_of(ProfiledDevice& one, std::string_view key) {
    if (key == "num_sms") return &one.sms;
    if (key == "clock_rate") return &one.clock_khz;
    if (key == "memory_clock_rate") return &one.memory_clock_khz;
    if (key == "bus_width") return &one.bus_width_bits;
    return nullptr;
  }

  void once(bool is_new) const {
    if (!is_new) throw values_.error("occurs twice");
  }

  void cut_off(const JsonCut& cut) {
    std::string what =
        fmt::format("The file is cut off at byte {}", cut.place().offset.value_or(0));
    if (tree_->is_inside()) {
      what += fmt::format(
          ": of what has no end there, the complete parts are kept, below nodes that may be named "
          "`{}`",
          ProtonTree::incomplete);
      tree_->cut_off();
    } else {
      what += ", behind the tree: what is known of devices may be incomplete";
    }
    out_->warn("truncated", what + '.');
  }

  Input* input_;
  ModuleTraceBuilder* out_;
  ProtonTree* tree_;
  Pull values_;
  ProtonNodes<Pull> nodes_;
};

// A list whose first item is a node: an object whose known members are as those of a node, down to
// the first `frame`. Lists of other formats have other objects.
template <class Pull>
bool is_profile(std::string_view head) noexcept {
  // `Input` would unpack what is packed.
  if (compression_of(head) != Compression::none) return false;
  bool in_node = false;
  try {
    const OpenOptions options;
    Input input(head, "", options);
    Pull values(input, Input::head_size);
    if (values.value() != JsonKind::array) return false;
    values.enter();
    bool in_list = true;
    while (true) {
      if (!values.next()) {
        if (in_list && !in_node) return false;  // the list is empty
        if (!in_list) return false;             // a node without a frame
        in_list = false;
        continue;
      }
      if (in_list) {
        if (values.value() != JsonKind::object) return false;
        values.enter();
        in_list = false;
        continue;
      }
      in_node = in_node || values.key() == "frame";
      const JsonKind kind = values.value();
      if (values.key() == "frame") return kind == JsonKind::object;
      if (values.key() == "children") {
        if (kind != JsonKind::array && kind != JsonKind::null) return false;
        in_node = true;
      } else if (values.key() == "metrics") {
        if (kind != JsonKind::object && kind != JsonKind::null) return false;
        in_node = true;
      }
      if (values.key() == "children" && kind == JsonKind::array) {
        values.enter();
        in_list = true;
      } else {
        values.skip();
      }
    }
  } catch (const std::exception&) {
    // The head ends here, or it is something else.
  }
  return in_node;
}

// No text begins so.
bool begins_msgpack_array(std::string_view head) noexcept {
  const auto first = static_cast<uint8_t>(head.empty() ? '[' : head[0]);
  return (first & 0xf0) == 0x90 || first == 0xdc || first == 0xdd;
}

/// A file of one profile.
struct ProfilePart {
  std::string path;
  int64_t number;
};

/// The files of a folder that has one profile in several files, by number, and nothing else. Empty:
/// it is another folder.
std::vector<ProfilePart> parts_of(const Input& folder) {
  std::vector<ProfilePart> files;
  std::vector<std::string> names;
  for (const Input::Entry& entry : folder.entries()) {
    if (entry.name.starts_with('.')) continue;
    const auto part = proton_part(entry.name);
    const auto first = names.empty() ? part : proton_part(names[0]);
    if (entry.type != std::filesystem::file_type::regular || !part || !part->same_profile(*first)) {
      return {};
    }
    names.push_back(entry.name);
    files.push_back({entry.path, part->number});
  }
  const auto has_number = [](const std::string& name) { return proton_part(name)->numbered; };
  if (std::ranges::none_of(names, has_number)) return {};
  std::ranges::sort(files, {}, &ProfilePart::number);
  return files;
}

bool has_parts(const Input& folder) {
  return !parts_of(folder).empty();
}

bool is_proton_json(std::string_view head) noexcept {
  return is_profile<JsonPull>(head);
}

bool is_proton_msgpack(std::string_view head) noexcept {
  return is_profile<MsgpackPull>(head);
}

/// One profile, of one file or of those of a folder.
class ProfileReader {
 public:
  ProfileReader(Input& input, ModuleTraceBuilder& out) : input_(&input), out_(&out), tree_(out) {}

  void run() {
    out_->costs();
    if (!input_->options().parts.empty()) {
      read(*input_, part_number(input_->path()));
      for (const std::string& path : input_->options().parts) {
        Input file(path, input_->options());
        read(file, part_number(path));
      }
    } else if (!input_->folder()) {
      read(*input_, {});
    } else {
      for (const ProfilePart& part : parts_of(*input_)) {
        Input file(part.path, input_->options());
        read(file, part.number);
      }
    }
    refuse_without_times();
    say_what_is_unread();
  }

 private:
  static std::optional<int64_t> part_number(const std::string& path) {
    const auto part = proton_part(std::filesystem::path(path).filename().string());
    return part ? std::optional(part->number) : std::nullopt;
  }

  void read(Input& file, std::optional<int64_t> part) {
    if (begins_msgpack_array(file.head())) {
      ProtonReader<MsgpackPull>(file, *out_, tree_, found_).run();
    } else {
      ProtonReader<JsonPull>(file, *out_, tree_, found_).run();
    }
    has_nodes_ = has_nodes_ || tree_.has_nodes();
    tree_.release(file.shown(), part);
  }

  // Profiles of instructions have cycles of single warps, those of samples none.
  void refuse_without_times() const {
    if (found_.times) return;
    const auto has = [&](std::string_view metric) { return found_.unread.contains(metric); };
    const char* const instead = has("cycles")        ? "cycles inside kernels (`cycles`)"
                                : has("num_samples") ? "samples of instructions (`num_samples`)"
                                                     : nullptr;
    if (instead != nullptr) {
      throw Error(input_->shown(),
                  fmt::format("is a Proton profile of {}, without the times of kernels", instead),
                  "record them with the default backend: proton.start(NAME), without `backend` and "
                  "`mode`; `proton-viewer` shows this file");
    }
    out_->warn("no-times", has_nodes_ ? "No node of the profile has a time (`time (ns)`): "
                                        "no kernel ran while Proton recorded."
                                      : "The profile contains no kernel and no scope.");
  }

  void say_what_is_unread() {
    if (found_.unread.empty()) return;
    std::vector<std::string> metrics;
    for (const auto& [name, nodes] : found_.unread) {
      metrics.push_back(
          fmt::format("`{}` of {} {}", shown_text(name), nodes, nodes == 1 ? "node" : "nodes"));
    }
    const std::string all = some_of(metrics);
    out_->warn("other-metrics", fmt::format("{} {} of the profile {} not read: {}.", metrics.size(),
                                            metrics.size() == 1 ? "metric" : "metrics",
                                            metrics.size() == 1 ? "is" : "are", all));
  }

  Input* input_;
  ModuleTraceBuilder* out_;
  ProtonTree tree_;
  ProtonFound found_;
  bool has_nodes_ = false;
};

void read_profile(Input& input, ModuleTraceBuilder& out) {
  ProfileReader(input, out).run();
}

constexpr std::array<std::string_view, 1> json_extensions{".hatchet"};
constexpr std::array<std::string_view, 1> msgpack_extensions{".hatchet_msgpack"};

}  // namespace

const TraceFormat proton_json_format{
    .name = "proton-json",
    .kind = "profiles of Triton's Proton (.hatchet)",
    .summary = "JSON of Proton, the profiler of Triton: module trees, for `kr tree`",
    .extensions = json_extensions,
    .carries = "modules, costs",
    .sniff = is_proton_json,
    .read_modules = read_profile,
    .sniff_folder = has_parts};

const TraceFormat proton_msgpack_format{.name = "proton-msgpack",
                                        .kind = "the same in MessagePack (.hatchet_msgpack)",
                                        .summary = "MessagePack of Proton: the same module trees",
                                        .extensions = msgpack_extensions,
                                        .carries = "modules, costs",
                                        .sniff = is_proton_msgpack,
                                        .read_modules = read_profile};

}  // namespace kr::trace
