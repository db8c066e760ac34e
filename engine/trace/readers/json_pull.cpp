#include "trace/readers/json_pull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/check.hpp"
#include "trace/readers/decimal.hpp"
#include "trace/readers/json_scan.hpp"

namespace kr {
namespace {

// Of a key for `path`.
constexpr size_t kept_of_key = 200;
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

const char* past_digits(const char* at) noexcept {
  while (is_digit(*at)) ++at;
  return at;
}

// As far as a number goes; `whole` says whether it is one up to there.
const char* past_number(const char* at, bool& whole) noexcept {
  whole = false;
  if (*at == '-') ++at;
  if (!is_digit(*at)) return at;
  at = *at == '0' ? at + 1 : past_digits(at);
  if (*at == '.') {
    ++at;
    if (!is_digit(*at)) return at;
    at = past_digits(at);
  }
  if (*at == 'e' || *at == 'E') {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    if (!is_digit(*at)) return at;
    at = past_digits(at);
  }
  whole = true;
  return at;
}

}  // namespace

JsonPull::JsonPull(Input& input, size_t block_size)
    : input_(&input),
      bytes_(std::make_unique_for_overwrite<char[]>(block_size + json_padding)),
      room_(block_size) {
  KR_CHECK(block_size != 0);
  at_ = end_ = bytes_.get();
  hold(3);
  if (std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with("\xef\xbb\xbf")) at_ += 3;
}

// Blocks. `keep` is the first byte that is still needed.

bool JsonPull::more(const char* keep) {
  if (ended_) return false;
  const auto kept = static_cast<size_t>(end_ - keep);
  const auto cursor = at_ - keep;
  base_ = place(keep);
  if (kept == room_) {
    if (room_ >= max_token) {
      throw Error(input_->shown(), Error::Place{.line = {}, .offset = base_},
                  "a string or number begins here that does not end within 64 MiB", usual_remedy());
    }
    auto grown = std::make_unique_for_overwrite<char[]>(room_ * 2 + json_padding);
    std::memcpy(grown.get(), keep, kept);
    bytes_ = std::move(grown);
    room_ *= 2;
  } else {
    std::memmove(bytes_.get(), keep, kept);
  }
  const size_t got = input_->read(bytes_.get() + kept, room_ - kept);
  ended_ = got < room_ - kept;
  at_ = bytes_.get() + cursor;
  end_ = bytes_.get() + kept + got;
  std::memset(bytes_.get() + kept + got, 0, json_padding);
  return got != 0;
}

// So many bytes from the cursor on, where the text has them.
bool JsonPull::hold(size_t size) {
  while (static_cast<size_t>(end_ - at_) < size) {
    if (!more(at_)) return false;
  }
  return true;
}

void JsonPull::spaces() {
  const char* at = at_;
  while (true) {
    if (static_cast<unsigned char>(*at) > ' ') break;
    if (*at == '\n' || *at == ' ') {
      at = past_spaces(at + 1);
    } else if (*at == '\r' || *at == '\t') {
      ++at;
    } else if (at == end_) {
      at_ = at;
      if (!more(at_)) return;
      at = at_;
    } else {
      break;
    }
  }
  at_ = at;
}

// Values.

JsonKind JsonPull::value() {
  if (colon_) {
    if (*at_ != ':') {
      spaces();
      if (*at_ != ':') missing("a `:`");
    }
    ++at_;
    colon_ = false;
  }
  spaces();
  offset_ = place(at_);
  switch (*at_) {
    case '"':
      return kind_ = JsonKind::string;
    case '{':
      return kind_ = JsonKind::object;
    case '[':
      return kind_ = JsonKind::array;
    case 't':
    case 'f':
      return kind_ = JsonKind::boolean;
    case 'n':
      return kind_ = JsonKind::null;
    case '-':
    case 'N':
    case 'I':
      return kind_ = JsonKind::number;
    default:
      if (is_digit(*at_)) return kind_ = JsonKind::number;
      missing("a value");
  }
}

std::string_view JsonPull::number() {
  const auto word = [&](std::string_view word) {
    literal(word);
    return word;
  };
  if (*at_ == 'N') return word("NaN");
  if (*at_ == 'I') return word("Infinity");
  if (*at_ == '-' && hold(2) && at_[1] == 'I') return word("-Infinity");
  while (true) {
    bool whole = false;
    const char* stop = past_number(at_, whole);
    if (stop == end_) {
      if (more(at_)) continue;
      // It may go on where more was written.
      if (!whole || !levels_.empty()) cut();
    }
    if (!whole) wrong(stop, "a number is not written as JSON has it");
    const std::string_view number(at_, static_cast<size_t>(stop - at_));
    at_ = stop;
    return number;
  }
}

bool JsonPull::boolean() {
  const bool yes = *at_ == 't';
  literal(yes ? "true" : "false");
  return yes;
}

void JsonPull::literal(std::string_view word) {
  hold(word.size());
  const std::string_view there(at_, std::min(static_cast<size_t>(end_ - at_), word.size()));
  if (!word.starts_with(there)) wrong(at_, "a word that is neither `true`, `false` nor `null`");
  if (there.size() < word.size()) cut();
  at_ += word.size();
}

void JsonPull::scalar() {
  switch (kind_) {
    case JsonKind::string:
      text();
      break;
    case JsonKind::number:
      number();
      break;
    case JsonKind::boolean:
      boolean();
      break;
    default:
      literal("null");
      break;
  }
}

void JsonPull::skip() {
  if (kind_ != JsonKind::object && kind_ != JsonKind::array) {
    scalar();
    return;
  }
  const size_t floor = levels_.size();
  enter();
  while (levels_.size() > floor) {
    if (!next()) continue;
    value();
    if (kind_ == JsonKind::object || kind_ == JsonKind::array) {
      enter();
    } else {
      scalar();
    }
  }
}

// Objects and lists.

void JsonPull::enter() {
  if (levels_.size() == max_depth) {
    wrong(at_, fmt::format("objects and lists are nested more than {} deep", max_depth));
  }
  const uint32_t key_at =
      levels_.empty() ? 0 : levels_.back().key_at + uint32_t{levels_.back().key_size};
  levels_.push_back({place(at_), 0, key_at, 0, *at_ == '{', false});
  if (keys_.size() < key_at + kept_of_key) keys_.resize((key_at + kept_of_key) * 2);
  ++at_;
}

bool JsonPull::next() {
  Level& level = levels_.back();
  level.within = false;
  spaces();
  if (*at_ == (level.object ? '}' : ']')) {
    ++at_;
    offset_ = level.begin;
    levels_.pop_back();
    return false;
  }
  if (level.count != 0) {
    if (*at_ != ',') missing(level.object ? "a `,` or `}`" : "a `,` or `]`");
    ++at_;
    spaces();
  }
  if (!level.object) {
    ++level.count;
    level.within = true;
    return true;
  }
  if (*at_ != '"') missing(level.count == 0 ? "a key or `}`" : "a key");
  ++level.count;
  offset_ = place(at_);
  key_ = text();
  remember(key_);
  colon_ = true;
  return true;
}

void JsonPull::remember(std::string_view key) {
  Level& level = levels_.back();
  const size_t kept = std::min(key.size(), kept_of_key);
  std::memcpy(keys_.data() + level.key_at, key.data(), kept);
  level.key_size = static_cast<uint16_t>(kept);
  level.within = true;
}

void JsonPull::end() {
  spaces();
  if (at_ != end_) wrong(at_, "something stands behind the end of the value");
}

}  // namespace kr
