#include "trace/readers/proton_parts.hpp"

#include "base/integer.hpp"

namespace kr::trace {

std::optional<ProtonPart> proton_part(std::string_view file_name) noexcept {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (file_name.ends_with(packed)) file_name.remove_suffix(packed.size());
  }
  const size_t dot = file_name.rfind('.');
  if (dot == file_name.npos || dot == 0) return std::nullopt;
  ProtonPart part{file_name.substr(0, dot), file_name.substr(dot + 1)};
  if (part.format != "hatchet" && part.format != "hatchet_msgpack") return std::nullopt;
  constexpr std::string_view mark = ".part_";
  const size_t at = part.name.rfind(mark);
  if (at == part.name.npos || at == 0) return part;
  const auto number = integer_from<int64_t>(part.name.substr(at + mark.size()));
  if (!number || *number < 0) return part;
  part.number = *number;
  part.numbered = true;
  part.name = part.name.substr(0, at);
  return part;
}

}  // namespace kr::trace
