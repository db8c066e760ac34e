// `--baseline`, `--scaling`, `--nccl`: what efficiencies are compared with, and how they are read.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "session/session.hpp"

namespace kr::cli {

struct EfficiencyOptions {
  std::vector<std::string> baselines;
  std::string scaling = "strong";
  std::string nccl = "both";
  void add_to(CLI::App& app);

  /// Throws Error.
  std::vector<JobSource> jobs() const;
  /// Reads the jobs, for the same tables as the runs. Throws Error.
  void join(session::Session& session, const std::vector<JobSource>& jobs,
            const session::Demand& demand) const;
};

}  // namespace kr::cli
