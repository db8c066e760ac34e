// Profiles of Proton, Triton's profiler (`.hatchet`), to module trees: a list of the tree and the
// devices.
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
// kernel's `launch_metadata`. Clocks are in kHz, buses in bits. Phases are files of their own.
#include <fmt/format.h>

#include <array>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "trace/format.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/proton_tree.hpp"

namespace kr::trace {
namespace {

bool is_node_member(std::string_view key) {
  return key == "children" || key == "frame" || key == "metrics";
}

class ProtonReader {
 public:
  ProtonReader(Input& input, ModuleTraceBuilder& out)
      : input_(&input),
        out_(&out),
        json_(input, input.options().block_size),
        tree_(json_, out, input.options().strict) {}

  void run() {
    out_->costs();
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
    refuse_without_times();
    tree_.release(input_->shown());
    say_what_is_unread();
  }

 private:
  void whole() {
    json_.expect(JsonKind::array);
    json_.enter();
    for (bool first = true; json_.next(); first = false) {
      json_.expect(JsonKind::object);
      const uint64_t offset = json_.offset();
      json_.enter();
      if (!json_.next()) continue;
      if (first || is_node_member(json_.key())) {
        tree_.read(offset);
      } else {
        devices();
      }
    }
    json_.end();
  }

  // The cursor is at the first member.
  void devices() {
    SeenKeys types;
    do {
      const std::string type(json_.key());
      once(types.add(type));
      if (json_.value() == JsonKind::null) {
        json_.skip();
        continue;
      }
      json_.expect(JsonKind::object);
      json_.enter();
      SeenKeys ids;
      while (json_.next()) {
        once(ids.add(json_.key()));
        ProfiledDevice one;
        one.type = type;
        one.id = json_.key();
        device(one);
        out_->costs().devices.push_back(std::move(one));
      }
    } while (json_.next());
  }

  void device(ProfiledDevice& one) {
    json_.expect(JsonKind::object);
    json_.enter();
    SeenKeys seen;
    while (json_.next()) {
      const std::string key(json_.key());
      once(seen.add(key));
      const JsonKind kind = json_.value();
      std::optional<int64_t>* const whole = number_of(one, key);
      if (kind == JsonKind::null || (whole == nullptr && key != "arch")) {
        json_.skip();
      } else if (whole != nullptr) {
        *whole = read_whole(json_);
      } else {
        const bool number = kind == JsonKind::number;
        if (!number) json_.expect(JsonKind::string);
        one.arch = number ? json_.number() : json_.string();
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
    if (!is_new) throw json_.error("occurs twice");
  }

  void cut_off(const JsonCut& cut) {
    std::string what =
        fmt::format("The file is cut off at byte {}", cut.place().offset.value_or(0));
    if (tree_.is_inside()) {
      what += fmt::format(
          ": of what has no end there, the complete parts are kept, below nodes that may be named "
          "`{}`",
          ProtonTree::incomplete);
      tree_.cut_off();
    } else {
      what += ", behind the tree: what is known of devices may be incomplete";
    }
    out_->warn("truncated", what + '.');
  }

  // Profiles of instructions have cycles of single warps, those of samples none.
  void refuse_without_times() const {
    if (tree_.has_times()) return;
    const auto has = [&](std::string_view metric) { return tree_.unread().contains(metric); };
    const char* const instead = has("cycles")        ? "cycles inside kernels (`cycles`)"
                                : has("num_samples") ? "samples of instructions (`num_samples`)"
                                                     : nullptr;
    if (instead != nullptr) {
      throw Error(input_->shown(),
                  fmt::format("is a Proton profile of {}, without the times of kernels", instead),
                  "record them with the default backend: proton.start(NAME), without `backend` and "
                  "`mode`; `proton-viewer` shows this file");
    }
    out_->warn("no-times", tree_.has_nodes() ? "No node of the profile has a time (`time (ns)`): "
                                               "no kernel ran while Proton recorded."
                                             : "The profile contains no kernel and no scope.");
  }

  void say_what_is_unread() {
    if (tree_.unread().empty()) return;
    std::vector<std::string> metrics;
    for (const auto& [name, nodes] : tree_.unread()) {
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
  JsonPull json_;
  ProtonTree tree_;
};

constexpr std::array<std::string_view, 1> proton_json_extensions{".hatchet"};

// A list whose first item is a node: an object whose known members are as those of a node, down to
// the first `frame`. Lists of other formats have other objects.
bool is_proton_json(std::string_view head) noexcept {
  // `Input` would unpack what is packed.
  if (compression_of(head) != Compression::none) return false;
  bool in_node = false;
  try {
    const OpenOptions options;
    Input input(head, "", options);
    JsonPull json(input, Input::head_size);
    if (json.value() != JsonKind::array) return false;
    json.enter();
    bool in_list = true;
    while (true) {
      if (!json.next()) {
        if (in_list && !in_node) return false;  // the list is empty
        if (!in_list) return false;             // a node without a frame
        in_list = false;
        continue;
      }
      if (in_list) {
        if (json.value() != JsonKind::object) return false;
        json.enter();
        in_list = false;
        continue;
      }
      const JsonKind kind = json.value();
      if (json.key() == "frame") return kind == JsonKind::object;
      if (json.key() == "children") {
        if (kind != JsonKind::array && kind != JsonKind::null) return false;
        in_node = true;
      } else if (json.key() == "metrics") {
        if (kind != JsonKind::object && kind != JsonKind::null) return false;
        in_node = true;
      }
      if (json.key() == "children" && kind == JsonKind::array) {
        json.enter();
        in_list = true;
      } else {
        json.skip();
      }
    }
  } catch (const std::exception&) {
    // The head ends here, or it is not JSON.
  }
  return in_node;
}

}  // namespace

const TraceFormat proton_json_format{
    .name = "proton-json",
    .kind = "profiles of Triton's Proton (.hatchet)",
    .summary = "JSON of Proton, the profiler of Triton: module trees, for `kr tree`",
    .extensions = proton_json_extensions,
    .sniff = is_proton_json,
    .read_modules = [](Input& input, ModuleTraceBuilder& out) { ProtonReader(input, out).run(); }};

}  // namespace kr::trace
