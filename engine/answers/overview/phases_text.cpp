#include "overview/phases_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analyze/found_phases.hpp"
#include "base/join.hpp"
#include "base/plural.hpp"
#include "render/shown_table.hpp"
#include "text/numbers.hpp"

namespace kr::overview {
namespace {

using analyze::FoundPart;
using analyze::FoundPhase;

/// Of one device.
struct Device {
  const tables::Run* run = nullptr;
  std::vector<const FoundPart*> parts;

  int32_t number() const { return parts.front()->device; }
};

/// Steps that do not repeat have a low confidence, and no name.
bool tells_something(const FoundPart& part) {
  switch (part.phase) {
    case FoundPhase::idle:
      return false;
    case FoundPhase::other:
      return part.confidence && *part.confidence != analyze::Confidence::low;
    default:
      return true;
  }
}

std::vector<Device> devices_with_phases(const tables::Source& source) {
  std::vector<Device> all;
  for (const tables::Run& run : source.runs) {
    const analyze::FoundPhases* found = run.find<analyze::FoundPhases>();
    if (found == nullptr) found = run.find<analyze::ShownPhases>();
    if (found == nullptr || !found->agreement.empty()) continue;
    const size_t first = all.size();
    for (const FoundPart& part : found->parts) {
      if (all.size() == first || all.back().number() != part.device) all.push_back({&run, {}});
      all.back().parts.push_back(&part);
    }
  }
  std::erase_if(all, [](const Device& device) {
    return std::none_of(device.parts.begin(), device.parts.end(),
                        [](const FoundPart* part) { return tells_something(*part); });
  });
  return all;
}

/// `decode 7.52 ms (20 tokens)`.
std::string share_of(const FoundPart& part) {
  std::string name(analyze::to_string(part.phase));
  std::replace(name.begin(), name.end(), '_', ' ');
  std::string text = fmt::format("{} {}", name, text::human_time(part.span_ns));
  if (part.tokens) return text + fmt::format(" ({})", text::counted(*part.tokens, "token"));
  if (part.steps > 0) text += fmt::format(" ({})", text::counted(part.steps, "step"));
  return text;
}

/// The part whose evidence says most: that of the most steps, or else the first.
const FoundPart& explained_part(const Device& device) {
  return **std::max_element(
      device.parts.begin(), device.parts.end(),
      [](const FoundPart* a, const FoundPart* b) { return a->steps < b->steps; });
}

}  // namespace

std::vector<std::string> found_phases_text(const tables::Source& source) {
  const std::vector<Device> all = devices_with_phases(source);
  if (all.empty()) return {};
  const Device& first = all.front();
  std::string of;
  if (source.runs.size() > 1) of = " of " + source.run_name(first.run->summary.id);
  if (all.size() > 1) of += fmt::format("{} device {}", of.empty() ? " of" : ",", first.number());
  std::vector<std::string> shares;
  for (const FoundPart* part : first.parts) shares.push_back(share_of(*part));
  std::string line = fmt::format("found phases{}, by span: {}", of, join(shares, ", "));
  if (all.size() > 1) {
    line += fmt::format(" (and {}: --tables found_phases)", plural(all.size() - 1, "more device"));
  }
  const FoundPart& part = explained_part(first);
  std::string why = fmt::format("{}: {}", analyze::to_string(part.phase), part.evidence);
  if (part.confidence) {
    why += fmt::format(" (confidence {})", analyze::to_string(*part.confidence));
  }
  return {std::move(line), std::move(why)};
}

std::string markdown_found_phases(const tables::Source& source) {
  std::string text;
  for (const std::string& line : found_phases_text(source)) {
    text += fmt::format("> {}\n", render::markdown_text(line));
  }
  return text.empty() ? text : text + '\n';
}

}  // namespace kr::overview
