// Several processes that work on the files of one job: what they need of each other. How they
// talk (MPI, threads of a test) is not known here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::processes {

/// All processes call `exchange` equally often, and what is sent is received. A process that cannot
/// go on ends all of them, in a way of its transport.
class Processes {
 public:
  virtual ~Processes() = default;

  /// At least 1.
  virtual size_t count() const = 0;
  /// Of this process, below `count()`. Process 0 writes the results.
  virtual size_t number() const = 0;

  /// Hands out 0, 1, 2, …: each number once over all processes, to the first that calls.
  virtual size_t next() = 0;
  /// From now on `next` hands out only numbers of at least `stopped`, to all processes.
  virtual void stop() = 0;
  static constexpr size_t stopped = size_t{1} << 40;

  /// Gives the bytes of this process to all, and returns those of all, by process.
  virtual std::vector<std::string> exchange(std::string_view bytes) = 0;

  virtual void send(size_t to, std::string_view bytes) = 0;
  virtual std::string receive(size_t from) = 0;
};

/// A process alone.
class OneProcess final : public Processes {
 public:
  size_t count() const override { return 1; }
  size_t number() const override { return 0; }
  size_t next() override { return next_++; }
  void stop() override { next_ = stopped; }
  std::vector<std::string> exchange(std::string_view bytes) override {
    return {std::string(bytes)};
  }
  /// Throw InternalError: there is no other.
  void send(size_t to, std::string_view bytes) override;
  std::string receive(size_t from) override;

 private:
  size_t next_ = 0;
};

/// Why a process cannot begin, if one cannot: of the first that says so. `own`: why this one
/// cannot.
struct Refusal {
  size_t process = 0;
  std::string why;
};
std::optional<Refusal> agree(Processes& processes, const std::optional<std::string>& own);

}  // namespace kr::processes
