// The one way a source is read on several threads: one thread cuts it into blocks, others parse
// them, and the first merges what they found in the order of the source. So the result is the same
// whatever the number of threads, and memory is bounded by the blocks on their way.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace kr::trace {

/// How many threads parse beside the one that reads: as many as are wanted, or, of 0, one per
/// processor, less one where `busy`: decompressing or merging needs a processor of its own. At most
/// 16. 0: the thread that reads parses, too.
inline unsigned worker_threads(unsigned wanted, bool busy = false) {
  constexpr unsigned most = 16;
  const unsigned processors = std::thread::hardware_concurrency();
  if (wanted == 0 && processors > 1) return std::min(processors - (busy ? 1 : 0), most);
  return wanted <= 1 ? 0 : std::min(wanted, most);
}

/// `Block` is default constructible and reused: a piece of the source and what was found in it.
template <class Block>
class BlockReader {
 public:
  using Parse = std::function<void(Block&)>;

  /// `threads` as of `worker_threads`. `make_parser` is called once for each thread, by the thread
  /// that calls `read`.
  BlockReader(unsigned threads, std::function<Parse()> make_parser)
      : wanted_(threads), make_parser_(std::move(make_parser)), parse_here_(make_parser_()) {}
  ~BlockReader() { join(); }
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  /// `cut(block)` fills the next block, or returns false: there is none. `merge(block)` gets the
  /// blocks in the order they were cut; where it returns false, reading stops, and the blocks from
  /// that one on are returned, in order. Throws what `cut`, `merge` and, in its turn, parsing a
  /// block throw.
  template <class Cut, class Merge>
  std::vector<const Block*> read(const Cut& cut, const Merge& merge) {
    bool more = true;
    while (true) {
      if (Held* held = more ? idle() : nullptr) {
        more = cut(held->block);
        if (more) submit(held);
        continue;
      }
      if (order_.empty()) return {};
      Held* held = take();
      if (held->error) std::rethrow_exception(held->error);
      if (!merge(held->block)) return from(held);
      idle_.push_back(held);
    }
  }

 private:
  struct Held {
    Block block;
    std::exception_ptr error;
    bool done = false;
  };

  /// A block to fill; none while all are on their way.
  Held* idle() {
    if (!idle_.empty()) return idle_.back();
    // One in work for each thread, and two on the way.
    if (held_.size() == (threads_.empty() ? 1 : threads_.size() + 2)) return nullptr;
    held_.push_back(std::make_unique<Held>());
    idle_.push_back(held_.back().get());
    return idle_.back();
  }

  /// What is one block is parsed faster than threads are started, so they start with the second.
  void submit(Held* held) {
    idle_.pop_back();
    order_.push_back(held);
    held->done = false;
    held->error = nullptr;
    if (begun_) start();
    begun_ = true;
    if (threads_.empty()) return work(parse_here_, *held);
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(held);
    }
    begin_.notify_one();
  }

  Held* take() {
    Held* held = order_.front();
    order_.pop_front();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [held] { return held->done; });
    return held;
  }

  std::vector<const Block*> from(const Held* first) {
    std::vector<const Block*> out{&first->block};
    while (!order_.empty()) out.push_back(&take()->block);
    return out;
  }

  void start() {
    try {
      for (; wanted_ > 0; --wanted_) {
        threads_.emplace_back([this, parse = make_parser_()] { run(parse); });
      }
    } catch (const std::system_error&) {
      wanted_ = 0;  // the system has no more: those that could be started do
    }
  }

  void run(const Parse& parse) {
    while (true) {
      Held* held = nullptr;
      {
        std::unique_lock lock(mutex_);
        begin_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) return;
        held = queue_.front();
        queue_.pop_front();
      }
      work(parse, *held);
    }
  }

  void work(const Parse& parse, Held& held) {
    try {
      parse(held.block);
    } catch (...) {
      held.error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      held.done = true;
    }
    done_.notify_one();
  }

  void join() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      queue_.clear();
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  unsigned wanted_;  // threads that are still to be started
  std::function<Parse()> make_parser_;
  Parse parse_here_;
  bool begun_ = false;
  std::vector<std::unique_ptr<Held>> held_;
  std::vector<Held*> idle_;
  std::deque<Held*> order_;  // submitted, not taken
  std::deque<Held*> queue_;  // submitted, not begun
  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable done_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kr::trace
