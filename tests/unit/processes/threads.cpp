#include "threads.hpp"

#include <algorithm>
#include <thread>

namespace kr::test {

class TeamMember final : public processes::Processes {
 public:
  TeamMember(Team& team, size_t number) : team_(team), number_(number) {}

  size_t count() const override { return team_.count_; }
  size_t number() const override { return number_; }

  size_t next() override {
    const std::lock_guard lock(team_.mutex_);
    team_.count_call(number_);
    return team_.next_++;
  }

  void stop() override {
    const std::lock_guard lock(team_.mutex_);
    team_.count_call(number_);
    team_.next_ += stopped;
    team_.changed_.notify_all();
  }

  std::vector<std::string> exchange(std::string_view bytes) override {
    std::vector<std::string> all;
    size_t round = 0;
    {
      std::unique_lock lock(team_.mutex_);
      team_.count_call(number_);
      round = team_.rounds_[number_]++;
      auto& given = team_.exchanged_[round];
      given.emplace(number_, bytes);
      team_.changed_.notify_all();
      team_.wait(lock, [&] { return given.size() == team_.count_; });
      for (const auto& [process, text] : given) all.push_back(text);
    }
    if (team_.after_exchange) team_.after_exchange(number_, round + 1);
    return all;
  }

  void send(size_t to, std::string_view bytes) override {
    const std::lock_guard lock(team_.mutex_);
    team_.count_call(number_);
    team_.messages_[{number_, to}].emplace_back(bytes);
    team_.changed_.notify_all();
  }

  std::string receive(size_t from) override {
    std::unique_lock lock(team_.mutex_);
    team_.count_call(number_);
    std::deque<std::string>& messages = team_.messages_[{from, number_}];
    team_.wait(lock, [&] { return !messages.empty(); });
    std::string bytes = std::move(messages.front());
    messages.pop_front();
    return bytes;
  }

 private:
  Team& team_;
  const size_t number_;
};

template <typename Condition>
void Team::wait(std::unique_lock<std::mutex>& lock, Condition condition) {
  changed_.wait(lock, [&] { return over_ || condition(); });
  if (over_) throw Ended();
}

void Team::count_call(size_t process) {
  if (over_) throw Ended();
  if (death_ && death_->process == process && death_->call == calls_[process]) throw Killed();
  ++calls_[process];
}

void Team::end() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

void Team::wait_until_stopped() {
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return next_ >= processes::Processes::stopped; });
}

void Team::run(const std::function<void(processes::Processes&)>& body) {
  std::vector<std::thread> threads;
  for (size_t number = 0; number < count_; ++number) {
    threads.emplace_back([this, number, &body] {
      TeamMember member(*this, number);
      try {
        body(member);
        // As MPI does at its end.
        std::unique_lock lock(mutex_);
        ++done_;
        changed_.notify_all();
        wait(lock, [&] { return done_ == count_; });
      } catch (const Killed&) {
        end();
        const std::lock_guard lock(mutex_);
        ++killed_;
      } catch (const Ended&) {
        const std::lock_guard lock(mutex_);
        ++ended_;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

bool Team::agrees() const {
  return std::all_of(rounds_.begin(), rounds_.end(),
                     [&](size_t rounds) { return rounds == rounds_[0]; }) &&
         std::all_of(messages_.begin(), messages_.end(),
                     [](const auto& one) { return one.second.empty(); });
}

}  // namespace kr::test
