#include "export/chrome_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.hpp"

namespace kr::exports {
namespace {

constexpr size_t events_piece_bytes = 64 << 10;

uint64_t difference(int64_t to, int64_t from) {
  return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
}

template <class Integer>
void append_number(std::string& out, Integer number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

char digit(uint64_t number) {
  return static_cast<char>('0' + number);
}

}  // namespace

int64_t ChromeNumbers::take(std::optional<int64_t> wanted) {
  constexpr int64_t largest = INT32_MAX;  // that viewers accept
  if (wanted && *wanted >= 0 && *wanted <= largest && taken_.insert(*wanted).second) return *wanted;
  while (!taken_.insert(next_).second) ++next_;
  return next_;
}

void ChromeEvents::begin(std::string_view head) {
  if (out_.size() >= events_piece_bytes) {
    write_(out_);
    out_.clear();
  }
  out_ += first_ ? "\n" : ",\n";
  first_ = false;
  out_ += head;
}

void ChromeEvents::place(ChromePlace place) {
  out_ += R"(,"pid":)";
  append_number(out_, place.process);
  out_ += R"(,"tid":)";
  append_number(out_, place.thread);
}

void ChromeEvents::member(std::string_view key, uint64_t ns) {
  out_ += ",\"";
  out_ += key;
  out_ += "\":";
  append_number(out_, ns / 1000);
  const uint64_t rest = ns % 1000;
  const std::array<char, 4> decimals{'.', digit(rest / 100), digit(rest / 10 % 10),
                                     digit(rest % 10)};
  out_.append(decimals.data(), decimals.size());
}

void ChromeEvents::time(ChromePlace at, int64_t ns) {
  place(at);
  member("ts", difference(ns, base_ns_));
}

void ChromeEvents::interval(ChromePlace at, int64_t start_ns, int64_t end_ns) {
  time(at, start_ns);
  member("dur", difference(end_ns, start_ns));
}

void ChromeEvents::name(std::string_view what, ChromePlace place, std::string_view name,
                        size_t rank) {
  begin(fmt::format(R"({{"ph":"M","name":"{}_name")", what));
  this->place(place);
  add(fmt::format(R"(,"args":{{"name":{}}}}})", chrome_text(name)));
  begin(fmt::format(R"({{"ph":"M","name":"{}_sort_index")", what));
  this->place(place);
  add(fmt::format(R"(,"args":{{"sort_index":{}}}}})", rank));
}

void ChromeEvents::name_process(int64_t process, std::string_view text, size_t rank) {
  name("process", {process, 0}, text, rank);
}

void ChromeEvents::name_thread(ChromePlace place, std::string_view text, size_t rank) {
  name("thread", place, text, rank);
}

void ChromeEvents::finish(std::string_view tail) {
  out_ += tail;
  write_(out_);
  out_.clear();
}

std::string chrome_text(std::string_view text) {
  return json_string(utf8_text(text));
}

ChromeTracks::ChromeTracks(ChromeEvents& events, int64_t process, ChromeNumbers& numbers,
                           std::string title, std::optional<int64_t> wanted, size_t rank)
    : events_(&events),
      process_(process),
      numbers_(&numbers),
      title_(std::move(title)),
      first_(numbers.take(wanted)),
      rank_(rank) {}

ChromePlace ChromeTracks::lane(int64_t start_ns, int64_t end_ns) {
  const size_t lane = lanes_.take(start_ns, end_ns);
  if (lane == threads_.size()) {
    constexpr size_t room = 1000;  // lanes of one title stay together
    threads_.push_back(lane == 0 ? first_ : numbers_->take(std::nullopt));
    events_->name_thread({process_, threads_.back()},
                         lane == 0 ? title_ : fmt::format("{} ({})", title_, lane + 1),
                         rank_ * room + std::min(lane, room - 1));
  }
  return {process_, threads_[lane]};
}

}  // namespace kr::exports
