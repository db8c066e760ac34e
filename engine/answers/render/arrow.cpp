// Tables push rows, consumers of streams pull batches: the rows are made on a thread of their own,
// which runs only while the consumer waits for a batch.
#include "kr/arrow.hpp"

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "render/arrow_batch.hpp"

namespace kr::render {
namespace {

/// Ends the writing of a table whose stream is released. Not for handlers of std::exception.
struct StreamReleased {};

class ArrowStream final : public RowSink {
 public:
  ArrowStream(Table table, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), table_(std::move(table)), columns_(table_), batch_(columns_) {}
  ~ArrowStream() override {
    if (!thread_.joinable()) return;
    give_turn(Turn::end);
    thread_.join();
  }
  ArrowStream(const ArrowStream&) = delete;
  ArrowStream& operator=(const ArrowStream&) = delete;

  void schema(ArrowSchema* out) const { columns_.schema(table_.info(), out); }

  /// An array without `release` at the end. Throws what the table threw.
  void next(ArrowArray* out) {
    *out = ArrowArray{};
    if (!finished_) {
      if (!thread_.joinable()) thread_ = std::thread([this] { write(); });
      give_turn(Turn::writer);
      wait_for(Turn::consumer);
    }
    if (failure_) std::rethrow_exception(failure_);
    if (batch_.rows() > 0) batch_.take(out);
  }

  std::string last_error;

 private:
  enum class Turn : uint8_t { consumer, writer, end };

  using RowSink::row;
  void row(std::span<const Cell> cells) override {
    // The consumer has taken the batch before, or none is full.
    batch_.add(cells);
    if (batch_.rows() < arrow_batch_rows) return;
    give_turn(Turn::consumer);
    if (wait_for(Turn::writer) == Turn::end) throw StreamReleased();
  }

  void write() {
    if (wait_for(Turn::writer) == Turn::end) return;
    try {
      table_.write(*this);
    } catch (const StreamReleased&) {
      return;
    } catch (...) {
      failure_ = std::current_exception();
    }
    finished_ = true;
    give_turn(Turn::consumer);
  }

  void give_turn(Turn to) {
    {
      const std::lock_guard lock(mutex_);
      turn_ = to;
    }
    changed_.notify_all();
  }
  /// Its own turn, or the end.
  Turn wait_for(Turn own) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == own || turn_ == Turn::end; });
    return turn_;
  }

  std::shared_ptr<const void> owner_;
  Table table_;
  ArrowColumns columns_;
  // Whose turn it is has these:
  ArrowBatch batch_;
  bool finished_ = false;
  std::exception_ptr failure_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Turn turn_ = Turn::consumer;
  std::thread thread_;
};

ArrowStream& stream_of(ArrowArrayStream* stream) {
  return *static_cast<ArrowStream*>(stream->private_data);
}

/// An errno code for what `work` throws.
template <class Work>
int arrow_result(ArrowArrayStream* stream, const Work& work) noexcept {
  ArrowStream& own = stream_of(stream);
  try {
    own.last_error.clear();
    work(own);
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (const std::exception& error) {
    try {
      own.last_error = error.what();
    } catch (const std::bad_alloc&) {
      return ENOMEM;
    }
    return EIO;
  }
}

int stream_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return arrow_result(stream, [&](const ArrowStream& own) { own.schema(out); });
}

int stream_next(ArrowArrayStream* stream, ArrowArray* out) {
  return arrow_result(stream, [&](ArrowStream& own) { own.next(out); });
}

const char* stream_last_error(ArrowArrayStream* stream) {
  const std::string& text = stream_of(stream).last_error;
  return text.empty() ? nullptr : text.c_str();
}

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<ArrowStream*>(stream->private_data);
  stream->private_data = nullptr;
  stream->release = nullptr;
}

}  // namespace

void arrow(Table table, std::shared_ptr<const void> owner, ArrowArrayStream* out) {
  *out = ArrowArrayStream{.get_schema = stream_schema,
                          .get_next = stream_next,
                          .get_last_error = stream_last_error,
                          .release = release_stream,
                          .private_data = new ArrowStream(std::move(table), std::move(owner))};
}

}  // namespace kr::render
