#include "lsp/check.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.hpp"

namespace kr::lsp {

void Check::run() noexcept {
  try {
    findings = analysis->lint(remembered->matches, remembered->proofs, used_elsewhere, stop.get());
  } catch (const InternalError&) {
    failure = std::current_exception();
  } catch (const std::exception& error) {
    trouble = error.what();
  }
}

Worker::Worker() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0) throw Error("kr lsp", std::strerror(errno));
}

Worker::~Worker() {
  if (check_) *check_->stop = true;
  if (thread_.joinable()) thread_.join();
  ::close(event_);
}

void Worker::start(Check check) {
  KR_CHECK(!check_);
  check_ = std::move(check);
  done_ = false;
  const auto run = [this] {
    check_->run();
    done_ = true;
    const uint64_t one = 1;
    // This cannot fail: the counter is far from its limit.
    [[maybe_unused]] const ssize_t written = ::write(event_, &one, sizeof one);
  };
  try {
    thread_ = std::thread(run);
  } catch (const std::system_error&) {
    run();  // the system has no thread left: run it here
  }
}

std::optional<Check> Worker::finished() {
  if (!check_ || !done_) return std::nullopt;
  if (thread_.joinable()) thread_.join();
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(event_, &count, sizeof count);
  return std::exchange(check_, std::nullopt);
}

}  // namespace kr::lsp
