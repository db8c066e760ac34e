// What the arguments of an operation say of its node of a CUDA graph (see kineto_annotations.hpp).
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/readers/kineto_events.hpp"

namespace kr::trace {

// The CUPTI monitor writes only the lower half of the number that others write.
std::optional<uint64_t> EventParser::find_node(const JsonWalk& json) {
  if (event_.node.kind == JsonRaw::Kind::absent) return std::nullopt;
  const auto node = integer(json, event_.node);
  if (!node || *node <= 0) return std::nullopt;
  const auto number = static_cast<uint64_t>(*node);
  whole_node_ = number >> 32 != 0;
  const auto graph = integer(json, event_.graph).value_or(0);
  return whole_node_ ? number : static_cast<uint64_t>(graph) << 32 | number;
}

/// Calls `visit(key, value)` for the arguments of a node that are no figures of the profiler. Texts
/// alone are annotations, but for the sizes of collectives.
template <class Visit>
void EventParser::each_annotation(const JsonWalk& json, const Visit& visit) {
  if (!node_) return;
  JsonWalk args = json;
  args.back_to(event_.args);
  do {
    std::string_view key;
    JsonRaw value;
    if (!args.string(key) || !args.step_over(':')) return;
    const size_t begin = args.place();
    if (!args.value(value)) return;
    key = args.plain(key, scratch_);
    const bool is_text = value.kind == JsonRaw::Kind::string;
    if (is_profilers_key(key) || (!is_text && !collective_key(key))) continue;
    visit(key, is_text ? args.plain(value.text, number_text_) : args.since(begin));
  } while (args.step_over(','));
}

void EventParser::take_annotation(const JsonWalk& json, std::string_view member,
                                  bool may_communicate) {
  place_key_.assign(member).append(1, '\0');
  const size_t nothing = place_key_.size();
  each_annotation(json, [this](std::string_view key, std::string_view value) {
    place_key_.append(key).append(1, '\0').append(value).append(1, '\0');
  });
  if (place_key_.size() != nothing && whole_node_) out_->annotated_nodes = true;
  if (host_ == HostDetail::none && !collectives_) return;
  const bool listed = event_.annotation.kind == JsonRaw::Kind::string;
  if (listed) place_key_.append(1, '\1').append(event_.annotation.text);
  if (event_.operation.kind == JsonRaw::Kind::string) {
    place_key_.append(1, '\3').append(event_.own_modules).append(1, '\0').append(event_.own_texts);
  }
  if (annotations_ != nullptr && node_ && annotations_->find(*node_) != nullptr) {
    place_key_.append(1, '\2').append(std::to_string(*node_));
  }
  if (place_key_.size() == nothing) return;
  const size_t known = places_.size();
  const uint32_t place = places_.add(place_key_);
  if (place == known) add_place(json, member);
  const auto operation = static_cast<uint32_t>(out_->operations.size() - 1);
  if (host_ == HostDetail::all) out_->places.push_back({operation, place});
  if (collectives_ && may_communicate && calls_of_places_[place]) {
    out_->collectives.push_back({CollectiveOperation::no_sequence, operation,
                                 ids_.collective_call(*calls_of_places_[place])});
  }
}

void EventParser::add_place(const JsonWalk& json, std::string_view member) {
  NodeAnnotation annotation;
  if (event_.operation.kind == JsonRaw::Kind::string &&
      !annotation.set_lists(event_.own_modules, event_.own_texts)) {
    add_dropped("place of an operation that is not a list of texts");
  }
  if (annotations_ != nullptr && node_) {
    if (const NodeAnnotation* beside = annotations_->find(*node_)) annotation = *beside;
  }
  if (event_.annotation.kind == JsonRaw::Kind::string) {
    const std::string text(json.plain(event_.annotation.text, scratch_));
    const auto listed = annotation_from(text);
    if (!listed) add_dropped("annotation of a node that is not a list in JSON");
    if (listed) annotation = *listed;
  }
  each_annotation(
      json, [&](std::string_view key, std::string_view value) { annotation.set(key, value); });
  calls_of_places_.push_back(annotation.collective());
  if (host_ == HostDetail::range_names) {
    std::vector<std::string> texts;
    for (const OperationPlaces::Level& level : annotation.levels(texts)) {
      ids_.range_name(level.name);
    }
  }
  out_->new_places.push_back({std::string(member), std::move(annotation)});
}

}  // namespace kr::trace
