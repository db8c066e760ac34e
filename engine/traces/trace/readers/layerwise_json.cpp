// The JSON of vLLM's layer-wise profiler, of any size, to module trees: a context, and a member a
// step, `prefill` or `decode_1`, with its trees.
//
//     {"context": {"engine_args": {"model": "…"}, "batch_size": 8},
//      "prefill": {"metadata": {"num_running_seqs": 8},
//                  "summary_stats": [{"entry": {"name": "LlamaForCausalLM",
//                                               "cuda_time_us": 5120.25, "invocations": 1},
//                                     "children": [{"entry": …}]}],
//                  "model_stats": […]},
//      "decode_1": …}
//
// Members may be in any order, and some may be unknown. Memory is a block, the open nodes and
// the keys of the open objects; only where a node's `children` come before its `entry` (keys that
// were sorted) is its whole tree kept until its name is known.
//
// A step is a member of the whole that is an object with `summary_stats`, or with the requested
// table; other members are passed over. Members of the context become entries with dotted keys
// (`engine_args.model`, `devices[0]`), nulls left out. A node without `invocations` has 0 of
// them, in `model_stats` 1. A file that is cut off gives, where that is allowed, the steps whose
// table is whole.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "trace/format.hpp"
#include "trace/readers/layerwise_forest.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

// Keys and values of the context are kept up to here; no profiler writes a hundredth of it.
constexpr size_t context_room = size_t{1} << 20;
constexpr std::string_view beyond_context = "member of the context beyond 1 MiB";

// Members of a step.
constexpr uint32_t metadata_bit = 1, summary_bit = 2, model_bit = 4;

uint32_t step_member(std::string_view key) noexcept {
  if (key == "metadata") return metadata_bit;
  if (key == "summary_stats") return summary_bit;
  if (key == "model_stats") return model_bit;
  return 0;
}

bool names_model(std::string_view key) noexcept {
  constexpr std::string_view args = "engine_args.";
  if (key.starts_with(args)) key.remove_prefix(args.size());
  return key == "model" || key.starts_with("served_model_name");
}

class LayerwiseReader {
 public:
  LayerwiseReader(Input& input, ModuleTraceBuilder& out)
      : input_(&input),
        out_(&out),
        json_(input, input.options().block_size),
        forest_(json_, out, input.options().each_call ? 1 : 0),
        table_(input.options().each_call ? model_bit : summary_bit) {}

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
    if (!model_.empty()) out_->model_text(std::move(model_));
    if (out_->steps() == 0) {
      out_->warn("no-steps", "The profile contains no step: neither a prefill nor a decode.");
    }
  }

 private:
  enum class Stage : uint8_t { outside, in_member, in_table, table_read };

  void whole() {
    json_.expect(JsonKind::object);
    json_.enter();
    SeenKeys seen;
    while (json_.next()) {
      key_ = json_.key();
      if (!seen.add(key_)) throw json_.error("occurs twice");
      const JsonKind kind = json_.value();
      if (key_ == "context" && kind != JsonKind::null) {
        context();
      } else if (kind == JsonKind::object) {
        member();
      } else {
        json_.skip();
      }
    }
    json_.end();
  }

  // Steps.

  void member() {
    stage_ = Stage::in_member;
    proven_ = false;
    fault_.reset();
    running_.reset();
    SeenKeys seen;
    json_.enter();
    while (json_.next()) {
      const std::string_view key = json_.key();
      const uint32_t known = step_member(key);
      if (!(known != 0 ? seen.add(known) : seen.add(key))) {
        blame(json_.error("occurs twice"));
        json_.pass();
      } else if (known == table_) {
        prove();
        table();
      } else if (known == metadata_bit) {
        metadata();
      } else {
        if (known == summary_bit) prove();
        json_.pass();
      }
    }
    if (stage_ == Stage::table_read) {
      end_step();
    } else if (proven_) {
      throw json_.error("has no `model_stats`", "read its `summary_stats`");
    }
    stage_ = Stage::outside;
  }

  // What is wrong with a member counts only where it is a step.
  void blame(Error error) {
    if (proven_) throw error;
    if (!fault_) fault_ = std::move(error);
  }

  void prove() {
    proven_ = true;
    if (fault_) throw Error(*fault_);
  }

  void metadata() {
    const JsonKind kind = json_.value();
    if (kind != JsonKind::object) {
      if (kind != JsonKind::null) {
        blame(json_.error(fmt::format("is {}, not an object", to_string(kind))));
      }
      json_.skip();
      return;
    }
    SeenKeys seen;
    json_.enter();
    while (json_.next()) {
      const bool is_count = json_.key() == "num_running_seqs";
      if (!seen.add(json_.key())) blame(json_.error("occurs twice"));
      const JsonKind value = json_.value();
      if (!is_count || value == JsonKind::null) {
        json_.skip();
      } else if (value != JsonKind::number) {
        blame(json_.error(fmt::format("is {}, not a number", to_string(value))));
        json_.skip();
      } else {
        running();
      }
    }
  }

  void running() {
    try {
      running_ = read_count(json_);
    } catch (const JsonCut&) {
      throw;
    } catch (const Error& error) {
      // The number was read whole; only what it says is wrong.
      blame(error);
    }
  }

  void table() {
    json_.expect(JsonKind::array);
    stage_ = Stage::in_table;
    out_->begin_step(key_);
    forest_.read();
    stage_ = Stage::table_read;
  }

  void end_step() {
    if (running_) out_->running_seqs(*running_);
    out_->end_step();
  }

  void cut_off(const JsonCut& cut) {
    const uint64_t at = cut.place().offset.value_or(0);
    if (stage_ == Stage::table_read) end_step();
    std::string what = fmt::format("The file is cut off at byte {}", at);
    if (stage_ == Stage::in_member || stage_ == Stage::in_table) {
      what += fmt::format(": its last step, {}, is incomplete and is dropped", shown_text(key_));
    }
    out_->warn("truncated", what + '.');
  }

  // The context.

  struct Open {
    size_t name_size;
    bool object;
    uint64_t items = 0;
    SeenKeys seen = {};
  };

  void context() {
    json_.expect(JsonKind::object);
    std::string name;
    std::vector<Open> open;
    open.push_back({0, true});
    json_.enter();
    while (!open.empty()) {
      if (!json_.next()) {
        open.pop_back();
        continue;
      }
      Open& in = open.back();
      name.resize(in.name_size);
      if (in.object) {
        if (!in.seen.add(json_.key())) throw json_.error("occurs twice");
        if (!name.empty()) name += '.';
        name += json_.key();
      } else {
        name += fmt::format("[{}]", in.items++);
      }
      const JsonKind kind = json_.value();
      if (kind == JsonKind::object || kind == JsonKind::array) {
        open.push_back({name.size(), kind == JsonKind::object});
        json_.enter();
      } else {
        scalar(name, kind);
      }
    }
  }

  void scalar(const std::string& name, JsonKind kind) {
    switch (kind) {
      case JsonKind::string:
        entry(name, json_.string());
        break;
      case JsonKind::number:
        entry(name, json_.number());
        break;
      case JsonKind::boolean:
        entry(name, json_.boolean() ? "true" : "false");
        break;
      default:
        json_.skip();
        break;
    }
  }

  void entry(const std::string& name, std::string_view value) {
    if (name.size() + value.size() > context_left_) {
      out_->add_dropped(beyond_context, json_.offset());
      return;
    }
    context_left_ -= name.size() + value.size();
    if (names_model(name)) {
      if (!model_.empty()) model_ += ' ';
      model_ += value;
    }
    out_->context(name, std::string(value));
  }

  Input* input_;
  ModuleTraceBuilder* out_;
  JsonPull json_;
  LayerwiseForest forest_;
  uint32_t table_;
  std::string key_;  // of the member of the whole that is being read
  Stage stage_ = Stage::outside;
  bool proven_ = false;  // the member is a step
  std::optional<Error> fault_;
  std::optional<int64_t> running_;
  size_t context_left_ = context_room;
  std::string model_;
};

bool holds_summary(JsonPull& json) {
  json.enter();
  while (json.next()) {
    if (json.key() == "summary_stats") return true;
    json.pass();
  }
  return false;
}

constexpr std::array<std::string_view, 1> layerwise_json_extensions{".json"};

// Its first member is an object `context`, or one of its members an object with `summary_stats`.
bool is_layerwise_json(std::string_view head) noexcept {
  // `Input` would unpack what is packed.
  if (compression_of(head) != Compression::none) return false;
  try {
    const OpenOptions options;
    Input input(head, "", options);
    JsonPull json(input, Input::head_size);
    if (json.value() != JsonKind::object) return false;
    json.enter();
    for (bool first = true; json.next(); first = false) {
      const bool context = json.key() == "context";
      if (json.value() != JsonKind::object) {
        json.skip();
      } else if ((first && context) || holds_summary(json)) {
        return true;
      }
    }
  } catch (const std::exception&) {
    // The head ends here, or it is not JSON.
  }
  return false;
}

}  // namespace

const TraceFormat layerwise_json_format{
    .name = "layerwise-json",
    .kind = "layer-wise profiles of vLLM (JSON)",
    .summary = "JSON of vLLM's layer-wise profiler: module trees, for `kr tree`",
    .extensions = layerwise_json_extensions,
    .carries = "modules",
    .sniff = is_layerwise_json,
    .read_modules = [](Input& input, ModuleTraceBuilder& out) {
      LayerwiseReader(input, out).run();
    }};

}  // namespace kr::trace
