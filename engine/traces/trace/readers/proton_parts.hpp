// The files that Proton writes of a session with several phases.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kr::trace {

/// `run.part_2.hatchet`: phase 2 of `run`. A phase 0 that is alone has no number in its name.
struct ProtonPart {
  std::string_view name;    // `run`
  std::string_view format;  // `hatchet`, `hatchet_msgpack`
  int64_t number = 0;
  bool numbered = false;  // the name has the number

  bool same_profile(const ProtonPart& other) const noexcept {
    return name == other.name && format == other.format;
  }
};

/// Of the name of a file, which may be packed. Nullopt: Proton's trees have other names.
std::optional<ProtonPart> proton_part(std::string_view file_name) noexcept;

}  // namespace kr::trace
