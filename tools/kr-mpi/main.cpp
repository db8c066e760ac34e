// kr-mpi: kr report with several processes.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "base/file.hpp"
#include "mpi_report.hpp"
#include "verb.hpp"

namespace kr::mpi {
namespace {

std::atomic<size_t> process_number = 0;
std::atomic<size_t> process_count = 1;

/// mpirun and srun end all processes where one is gone.
void say_ended(int signal) {
  if (process_count == 1) return;
  const char* const name = ::sigabbrev_np(signal);
  write_all(STDERR_FILENO,
            fmt::format("kr-mpi: process {} of {} was ended by SIG{}; outputs that were not "
                        "complete do not appear\n",
                        process_number.load(), process_count.load(), name == nullptr ? "?" : name));
}

const cli::Verb man_verb{"man", "print the manual page", "kr-mpi man > kr-mpi.1",
                         [](CLI::App& app) { return cli::man_verb.setup(app); }, "Setup"};

}  // namespace

void note_process(size_t number, size_t count) {
  process_number = number;
  process_count = count;
}

}  // namespace kr::mpi

namespace kr::cli {

const Program& program() {
  static const auto verbs = std::to_array<const Verb*>({&mpi::report_verb, &mpi::man_verb});
  static const Program kr_mpi{
      .name = "kr-mpi",
      .description =
          "Reads the traces of a job with several processes (MPI), and reports them as "
          "kr does. One process needs no mpirun.",
      .example = "mpirun -n 4 kr-mpi report rank*.json.gz --save job.krun",
      .verbs = verbs,
      .at_signal = mpi::say_ended};
  return kr_mpi;
}

}  // namespace kr::cli

int main(int argc, char** argv) {
  return kr::cli::run_command(argc, argv);
}
