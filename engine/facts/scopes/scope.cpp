#include "scopes/scope.hpp"

#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "classify/enclosing_steps.hpp"

namespace kr::scopes {

/// Adds the keys of each track, row, …, in the order of their numbers.
class ScopeBuilder {
 public:
  explicit ScopeBuilder(Scope scope) : scope_(std::move(scope)) {}

  void add(std::span<const uint32_t> keys) {
    scope_.keys_.insert(scope_.keys_.end(), keys.begin(), keys.end());
    scope_.ends_.push_back(static_cast<uint32_t>(scope_.keys_.size()));
    has_other_ |= keys.size() != 1;
  }
  void add(uint32_t key) { add({&key, 1}); }
  /// Keys are numbered in the order in which their texts are met.
  uint32_t key_of(std::string_view text) {
    const auto next = static_cast<uint32_t>(scope_.texts_.size());
    const auto [known, added] = known_.try_emplace(text, next);
    if (added) scope_.texts_.push_back(text);
    return known->second;
  }
  void add_outside() { add(std::span<const uint32_t>()); }
  void add_part(std::string_view text) { text.empty() ? add_outside() : add(key_of(text)); }
  void set_numbers(std::vector<int64_t> numbers) { scope_.numbers_ = std::move(numbers); }

  Scope finish() {
    if (!has_other_) {
      scope_.ends_ = {};
    } else {
      add_outside();  // operations without a track, row, …
    }
    return std::move(scope_);
  }

 private:
  Scope scope_;
  bool has_other_ = false;  // lists of none or several keys
  std::unordered_map<std::string_view, uint32_t> known_;
};

namespace {

/// 0, 1, …
std::vector<int64_t> counted(size_t numbers) {
  std::vector<int64_t> all(numbers);
  std::iota(all.begin(), all.end(), int64_t{0});
  return all;
}

/// Each part has a key of its own.
Scope one_by_one(Scope scope, size_t parts) {
  ScopeBuilder builder(std::move(scope));
  for (uint32_t i = 0; i < parts; ++i) builder.add(i);
  builder.set_numbers(counted(parts));
  return builder.finish();
}

/// By what `of` says of a track, in order.
template <class Of, class Number>
Scope by_track(const trace::Trace& trace, const Of& of, const Number& number) {
  std::map<decltype(of(trace.tracks[0])), uint32_t> keys;
  for (const trace::Track& track : trace.tracks) keys.try_emplace(of(track));
  uint32_t next = 0;
  for (auto& [what, key] : keys) key = next++;
  std::vector<int64_t> numbers(keys.size());
  ScopeBuilder builder(Scope(Scope::Of::track, trace, nullptr, nullptr));
  for (uint32_t i = 0; i < trace.tracks.size(); ++i) {
    const uint32_t key = keys.at(of(trace.tracks[i]));
    numbers[key] = number(i);
    builder.add(key);
  }
  builder.set_numbers(std::move(numbers));
  return builder.finish();
}

size_t layers_of(const classify::Attribution& attribution) {
  size_t layers = 0;
  for (const classify::RepeatedBlock& block : attribution.repeated_blocks) {
    if (block.is_layers()) layers = std::max(layers, block.first_layer + block.repeats);
  }
  return layers;
}

}  // namespace

Scope with_outside(Scope scope, std::string_view text) {
  Scope out(scope.of_, *scope.trace_, scope.labelled_, scope.attribution_);
  const auto outside = static_cast<uint32_t>(scope.size());
  const size_t lists = scope.ends_.empty() ? scope.keys_.size() + 1 : scope.ends_.size();
  for (size_t i = 0; i < lists; ++i) {
    const std::span<const uint32_t> keys = scope.keys_of(i);
    out.keys_.insert(out.keys_.end(), keys.begin(), keys.end());
    if (keys.empty()) out.keys_.push_back(outside);
    out.ends_.push_back(static_cast<uint32_t>(out.keys_.size()));
  }
  out.texts_ = std::move(scope.texts_);
  out.numbers_ = std::move(scope.numbers_);
  if (out.texts_.size() == outside) out.texts_.push_back(text);
  if (out.numbers_.size() == outside) out.numbers_.push_back(-1);
  return out;
}

Scope whole_run(const trace::Trace& trace) {
  return one_by_one(Scope(Scope::Of::run, trace, nullptr, nullptr), 1);
}

Scope by_device(const trace::Trace& trace) {
  return by_track(
      trace, [](const trace::Track& track) { return track.device; },
      [&](uint32_t track) { return trace.tracks[track].device; });
}

Scope by_stream(const trace::Trace& trace) {
  return by_track(
      trace, [](const trace::Track& track) { return std::pair(track.device, track.stream); },
      [](uint32_t track) { return track; });
}

Scope by_name(const trace::Trace& trace) {
  return one_by_one(Scope(Scope::Of::name, trace, nullptr, nullptr), trace.names.size());
}

Scope by_name_text(const trace::Trace& trace) {
  ScopeBuilder builder(Scope(Scope::Of::name, trace, nullptr, nullptr));
  for (const trace::OperationName& name : trace.names) builder.add(builder.key_of(name.text));
  return builder.finish();
}

Scope by_row(const trace::Trace& trace, const classify::Labelled& labelled) {
  return one_by_one(Scope(Scope::Of::row, trace, &labelled, nullptr), labelled.rows());
}

Scope by_label(const trace::Trace& trace, const classify::Labelled& labelled, size_t dimension) {
  ScopeBuilder builder(Scope(Scope::Of::row, trace, &labelled, nullptr));
  for (const classify::LabelResult& result : labelled.dimensions[dimension].by_row) {
    builder.add(builder.key_of(result.label));
  }
  return builder.finish();
}

Scope by_step(const trace::Trace& trace, const classify::Attribution& attribution) {
  const classify::EnclosingSteps enclosing(attribution.steps);
  ScopeBuilder builder(Scope(Scope::Of::step, trace, nullptr, &attribution));
  for (size_t i = 0; i < enclosing.size(); ++i) builder.add(enclosing.of(i));
  builder.set_numbers(counted(enclosing.size()));
  return builder.finish();
}

Scope by_innermost_step(const trace::Trace& trace, const classify::Attribution& attribution) {
  return one_by_one(Scope(Scope::Of::step, trace, nullptr, &attribution), attribution.steps.size());
}

Scope by_step_text(const trace::Trace& trace, const classify::Attribution& attribution) {
  ScopeBuilder builder(Scope(Scope::Of::step, trace, nullptr, &attribution));
  for (const classify::TraceStep& step : attribution.steps) builder.add_part(step.text);
  return builder.finish();
}

Scope by_phase(const trace::Trace& trace, const classify::Attribution& attribution) {
  ScopeBuilder builder(Scope(Scope::Of::step, trace, nullptr, &attribution));
  if (attribution.steps.empty()) return builder.finish();
  const classify::EnclosingSteps enclosing(attribution.steps);
  std::vector<std::vector<uint32_t>> phases;  // by step, the innermost first
  phases.reserve(enclosing.size());
  for (size_t i = 0; i < enclosing.size(); ++i) {
    std::vector<uint32_t>& own = phases.emplace_back();
    own.push_back(builder.key_of(attribution.steps[i].phase.label));
    if (const uint32_t outer = enclosing.outer(i); outer != classify::EnclosingSteps::none) {
      for (const uint32_t phase : phases[outer]) {
        if (phase != own[0]) own.push_back(phase);
      }
    }
    builder.add(own);
  }
  return with_outside(builder.finish(), outside_steps_name);
}

Scope by_layer(const trace::Trace& trace, const classify::Attribution& attribution) {
  return one_by_one(Scope(Scope::Of::layer, trace, nullptr, &attribution), layers_of(attribution));
}

Scope by_layer_number(const trace::Trace& trace, const classify::Attribution& attribution) {
  ScopeBuilder builder(Scope(Scope::Of::layer, trace, nullptr, &attribution));
  std::vector<uint32_t> numbers(layers_of(attribution));
  for (const classify::RepeatedBlock& block : attribution.repeated_blocks) {
    if (!block.is_layers()) continue;
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(block.first_layer);
    std::iota(first, first + static_cast<std::ptrdiff_t>(block.repeats),
              static_cast<uint32_t>(block.layers_before));
  }
  for (const uint32_t number : numbers) builder.add(number);
  const uint32_t last = numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end());
  builder.set_numbers(counted(numbers.empty() ? 0 : size_t{last} + 1));
  return builder.finish();
}

Scope by_module(const trace::Trace& trace, const classify::Attribution& attribution) {
  ScopeBuilder builder(Scope(Scope::Of::node, trace, nullptr, &attribution));
  if (!trace.host) return builder.finish();
  const std::vector<std::string>& names = trace.host->range_names;
  constexpr uint32_t unknown = UINT32_MAX;
  std::vector<uint32_t> keys(names.size(), unknown);
  for (const trace::HostRange& range : trace.host->ranges) {
    uint32_t& key = keys[range.name];
    if (names[range.name].empty()) {
      builder.add_outside();
      continue;
    }
    if (key == unknown) key = builder.key_of(names[range.name]);
    builder.add(key);
  }
  return builder.finish();
}

}  // namespace kr::scopes
