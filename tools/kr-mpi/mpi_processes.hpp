// The processes that mpirun or srun started, by MPI. The only source that includes mpi.h is that
// of this header.
#pragma once

#include <memory>

#include "processes/processes.hpp"

namespace kr::mpi {

/// Made once in a program. One process needs no mpirun. Errors of MPI itself end all processes,
/// with its message.
class MpiProcesses final : public processes::Processes {
 public:
  /// Throws Error where srun started several processes that do not know each other.
  MpiProcesses();
  /// Waits for the other processes.
  ~MpiProcesses() override;
  MpiProcesses(const MpiProcesses&) = delete;
  MpiProcesses& operator=(const MpiProcesses&) = delete;

  size_t count() const override;
  size_t number() const override;
  size_t next() override;
  void stop() override;
  std::vector<std::string> exchange(std::string_view bytes) override;
  void send(size_t to, std::string_view bytes) override;
  std::string receive(size_t from) override;

  /// Ends all processes at once.
  [[noreturn]] void abort(int status);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kr::mpi
