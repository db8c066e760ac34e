// Independent work on all processors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace kr {

/// Calls `work(i)` for all i below `count`, on as many threads as there are processors, or as the
/// system gives. All are done when it returns; throws what the first of them threw.
template <class Work>
void in_parallel(size_t count, const Work& work) {
  std::atomic<size_t> next = 0;
  std::vector<std::exception_ptr> failures(count);
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  const size_t most = std::min<size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  threads.reserve(most);
  try {
    while (threads.size() + 1 < most) threads.emplace_back(run);
  } catch (const std::system_error&) {
    // This thread does what is left.
  }
  run();
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace kr
