// The three files of a Paraver trace, which contains all runs of a command.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "export/paraver.hpp"
#include "tables/source.hpp"

namespace kr::exports {

class ParaverFiles {
 public:
  /// `path` is the `.prv` or `.prv.gz`, whose ending may be left out; the others have its name with
  /// their own endings. Throws Error if they cannot be written, or if kr did not write what is
  /// there, unless `force`.
  ParaverFiles(const std::filesystem::path& path, bool force);
  ~ParaverFiles();

  void add(const match::CompiledRules& rules, const analyze::LabelledTrace& run);
  /// What is to be said of the clocks of the runs; empty: nothing.
  std::string warning() const;
  /// After all runs. `source`: the runs, whose clocks are those of the job.
  void write(const tables::Source& source);
  std::vector<PendingFile*> files();

 private:
  PendingFile prv_, pcf_, row_;
  std::unique_ptr<ParaverTrace> trace_;  // null: there was no run yet
};

}  // namespace kr::exports
