#include "signals.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <system_error>
#include <thread>

#include "base/part_file.hpp"
#include "trace/subprocess.hpp"

namespace kr::cli {
namespace {

constexpr std::array ending{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};

/// Those that would end this process.
sigset_t effective_signals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  sigset_t chosen;
  sigemptyset(&chosen);
  for (const int signal : ending) {
    struct sigaction now {};
    const bool ends = ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
    if (ends && sigismember(&blocked, signal) == 0) sigaddset(&chosen, signal);
  }
  return chosen;
}

}  // namespace

void clean_up_at_signals() {
  std::signal(SIGXFSZ, SIG_IGN);  // a write reports it
  std::signal(SIGCHLD, SIG_DFL);  // programs are waited for
  const sigset_t chosen = effective_signals();
  // A handler may call next to nothing, so a thread waits for signals instead of one.
  ::pthread_sigmask(SIG_BLOCK, &chosen, nullptr);
  try {
    std::thread([chosen] {
      int signal = 0;
      while (::sigwait(&chosen, &signal) != 0) continue;
      trace::end_programs();
      remove_parts();
      // As if nobody had waited for it.
      sigset_t one;
      sigemptyset(&one);
      sigaddset(&one, signal);
      ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
      ::kill(::getpid(), signal);
      ::_exit(128 + signal);
    }).detach();
  } catch (const std::system_error&) {
    ::pthread_sigmask(SIG_UNBLOCK, &chosen, nullptr);
  }
}

}  // namespace kr::cli
