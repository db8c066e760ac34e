#include "processes/processes.hpp"

#include "base/check.hpp"

namespace kr::processes {

void OneProcess::send(size_t, std::string_view) {
  KR_CHECK(false);
}

std::string OneProcess::receive(size_t) {
  KR_CHECK(false);
  return {};
}

std::optional<Refusal> agree(Processes& processes, const std::optional<std::string>& own) {
  // One byte before the text, which may be empty.
  const std::vector<std::string> all = processes.exchange(own ? "!" + *own : "");
  for (size_t process = 0; process < all.size(); ++process) {
    if (!all[process].empty()) return Refusal{process, all[process].substr(1)};
  }
  return std::nullopt;
}

}  // namespace kr::processes
