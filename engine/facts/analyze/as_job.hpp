// Whether runs are ranks of one job, as the user says it.
#pragma once

#include <cstdint>
#include <string>

namespace kr::analyze {

/// Whether several runs are compared as ranks of one job.
enum class AsJob : uint8_t {
  automatic,  // if nothing contradicts it, and something says that they are: see compare_ranks
  yes,        // whatever the traces contain
  no,
};
/// Throws Error if the name is none of `auto`, `yes`, `no`; `option` is the name of the option in
/// the message.
AsJob named_as_job(const std::string& name, const std::string& option);

}  // namespace kr::analyze
