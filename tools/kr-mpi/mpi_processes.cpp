#include "mpi_processes.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace kr::mpi {
namespace {

/// How often a process that waits looks whether it may go on: less and less often. MPI's own calls
/// that wait take a processor for themselves, which another process may need to read.
constexpr auto first_look = std::chrono::milliseconds(1);
constexpr auto longest_look = std::chrono::milliseconds(16);
/// How often process 0 lets others of other nodes change the counter. A call costs some 60 us: each
/// millisecond, that took 6 % of a processor.
constexpr auto progress_interval = std::chrono::milliseconds(10);
/// Counts of MPI are ints, so what is longer is sent in pieces.
constexpr size_t longest_piece = size_t{1} << 30;
constexpr int tag = 1;

constexpr const char* launcher_remedy =
    "use srun --mpi=pmix (`srun --mpi=list` shows what there is), or mpirun";

/// What srun says it started, in a step of its own.
size_t processes_of_step() {
  const char* const text = std::getenv("SLURM_STEP_NUM_TASKS");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

/// OpenMPI that cannot begin ends the program itself, with a message about how it was built: so
/// what to do is said before. Some builds of MPI need no launcher but srun itself.
void warn_of_launcher() {
  const char* const task = std::getenv("SLURM_PROCID");
  // One of many says it.
  if (std::getenv("SLURM_STEP_NUM_TASKS") == nullptr || task == nullptr ||
      std::string_view(task) != "0") {
    return;
  }
  for (const char* const set : {"PMIX_RANK", "PMI_RANK", "PMI_FD", "OMPI_COMM_WORLD_SIZE"}) {
    if (std::getenv(set) != nullptr) return;
  }
  write_all(STDERR_FILENO,
            fmt::format("kr-mpi: srun was started without --mpi: if MPI cannot begin, {}\n",
                        launcher_remedy));
}

}  // namespace

struct MpiProcesses::State {
  int count = 1;
  int number = 0;
  int64_t* counter = nullptr;  // of process 0: the next file
  MPI_Win window = MPI_WIN_NULL;
  int64_t alone = 0;  // the counter of one process, which makes no window
  std::mutex mutex;   // one thread calls MPI at a time
  std::jthread progress;

  void wait(MPI_Request request) {
    for (auto look = first_look;; look = std::min(2 * look, longest_look)) {
      int done = 0;
      {
        const std::lock_guard lock(mutex);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      }
      if (done != 0) return;
      std::this_thread::sleep_for(look);
    }
  }

  int64_t add(int64_t amount) {
    int64_t before = 0;
    if (count == 1) {
      before = alone;
      alone += amount;
      return before;
    }
    const std::lock_guard lock(mutex);
    MPI_Fetch_and_op(&amount, &before, MPI_INT64_T, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    return before;
  }

  void send(int to, const char* bytes, size_t size) {
    for (size_t at = 0; at < size;) {
      const size_t piece = std::min(size - at, longest_piece);
      MPI_Request request = MPI_REQUEST_NULL;
      {
        const std::lock_guard lock(mutex);
        MPI_Isend(bytes + at, static_cast<int>(piece), MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
      }
      wait(request);
      at += piece;
    }
  }

  void receive(int from, char* bytes, size_t size) {
    for (size_t at = 0; at < size;) {
      const size_t piece = std::min(size - at, longest_piece);
      MPI_Request request = MPI_REQUEST_NULL;
      {
        const std::lock_guard lock(mutex);
        MPI_Irecv(bytes + at, static_cast<int>(piece), MPI_BYTE, from, tag, MPI_COMM_WORLD,
                  &request);
      }
      wait(request);
      at += piece;
    }
  }
};

MpiProcesses::MpiProcesses() : state_(std::make_unique<State>()) {
  int provided = MPI_THREAD_SINGLE;
  warn_of_launcher();
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &state_->count);
  MPI_Comm_rank(MPI_COMM_WORLD, &state_->number);
  if (state_->count == 1) {
    if (const size_t started = processes_of_step(); started > 1) {
      MPI_Finalize();
      throw Error("",
                  fmt::format("srun started {} processes, which do not know each other", started),
                  launcher_remedy);
    }
    return;
  }
  const MPI_Aint bytes = state_->number == 0 ? sizeof(int64_t) : 0;
  MPI_Win_allocate(bytes, sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &state_->counter,
                   &state_->window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, state_->window);
  if (state_->number == 0) *state_->counter = 0;
  MPI_Win_sync(state_->window);
  MPI_Barrier(MPI_COMM_WORLD);
  // Between nodes, the counter may be changed only while process 0 is in a call of MPI: it makes
  // one now and then, also while it reads a file.
  if (state_->number != 0 || provided < MPI_THREAD_SERIALIZED) return;
  state_->progress = std::jthread([state = state_.get()](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any wake;
    while (!wake.wait_for(lock, stop, progress_interval, [&] { return stop.stop_requested(); })) {
      const std::lock_guard call(state->mutex);
      int any = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE);
    }
  });
}

MpiProcesses::~MpiProcesses() {
  if (state_->count > 1) {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(state_->mutex);
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
    }
    state_->wait(request);
    state_->progress = {};
    MPI_Win_unlock_all(state_->window);
    MPI_Win_free(&state_->window);
  }
  MPI_Finalize();
}

size_t MpiProcesses::count() const {
  return static_cast<size_t>(state_->count);
}

size_t MpiProcesses::number() const {
  return static_cast<size_t>(state_->number);
}

size_t MpiProcesses::next() {
  return static_cast<size_t>(state_->add(1));
}

void MpiProcesses::stop() {
  state_->add(static_cast<int64_t>(stopped));
}

std::vector<std::string> MpiProcesses::exchange(std::string_view bytes) {
  const size_t processes = count();
  std::vector<std::string> all(processes);
  if (processes == 1) {
    all[0] = bytes;
    return all;
  }
  const auto own = static_cast<uint64_t>(bytes.size());
  std::vector<uint64_t> sizes(processes);
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(state_->mutex);
    MPI_Iallgather(&own, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
  }
  state_->wait(request);
  std::vector<int> lengths(processes), places(processes);
  size_t total = 0;
  for (size_t i = 0; i < processes; ++i) {
    lengths[i] = static_cast<int>(sizes[i]);
    places[i] = static_cast<int>(total);
    total += sizes[i];
    // What is exchanged is about files, a few hundred bytes each.
    KR_CHECK(total < longest_piece);
  }
  std::string joined(total, '\0');
  {
    const std::lock_guard lock(state_->mutex);
    MPI_Iallgatherv(bytes.data(), lengths[number()], MPI_BYTE, joined.data(), lengths.data(),
                    places.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
  }
  state_->wait(request);
  for (size_t i = 0; i < processes; ++i) {
    all[i] = joined.substr(static_cast<size_t>(places[i]), sizes[i]);
  }
  return all;
}

void MpiProcesses::send(size_t to, std::string_view bytes) {
  const auto size = static_cast<uint64_t>(bytes.size());
  state_->send(static_cast<int>(to), reinterpret_cast<const char*>(&size), sizeof size);
  state_->send(static_cast<int>(to), bytes.data(), bytes.size());
}

std::string MpiProcesses::receive(size_t from) {
  uint64_t size = 0;
  state_->receive(static_cast<int>(from), reinterpret_cast<char*>(&size), sizeof size);
  std::string bytes(size, '\0');
  state_->receive(static_cast<int>(from), bytes.data(), bytes.size());
  return bytes;
}

void MpiProcesses::abort(int status) {
  {
    const std::lock_guard lock(state_->mutex);
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  std::_Exit(status);
}

}  // namespace kr::mpi
