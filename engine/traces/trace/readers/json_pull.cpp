#include "trace/readers/json_pull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "base/utf8.hpp"
#include "trace/readers/json_scan.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/value_path.hpp"

namespace kr::trace {
namespace {

// As programs write them: a newline, then blanks; or one blank.
inline const char* past_usual_spaces(const char* at) noexcept {
  if (*at == '\n') return past_spaces(at + 1);
  return *at == ' ' ? at + 1 : at;
}

// To the end of a number; `whole` says whether it is one up to there.
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
  if (std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(byte_order_mark)) at_ += 3;
}

// Blocks. `keep` is the first byte that is still needed.

bool JsonPull::more(const char* keep) {
  if (ended_) return false;
  for (size_t i = 0; i < levels_.size(); ++i) keep_key(i);
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

inline void JsonPull::spaces() {
  at_ = past_usual_spaces(at_);
  if (static_cast<unsigned char>(*at_) <= ' ') unusual_spaces();
}

void JsonPull::unusual_spaces() {
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

void JsonPull::resume(uint64_t items, std::string_view bytes, uint64_t offset, bool last) {
  KR_CHECK(!levels_.empty() && !levels_.back().object && !levels_.back().within);
  for (size_t i = 0; i < levels_.size(); ++i) keep_key(i);
  if (bytes.size() > room_) {
    bytes_ = std::make_unique_for_overwrite<char[]>(bytes.size() + json_padding);
    room_ = bytes.size();
  }
  std::copy(bytes.begin(), bytes.end(), bytes_.get());
  std::memset(bytes_.get() + bytes.size(), 0, json_padding);
  levels_.back().count += items;
  base_ = offset;
  at_ = bytes_.get();
  end_ = at_ + bytes.size();
  ended_ = last;
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
    if (!whole) wrong(stop, "a number is not valid JSON");
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
    run_ahead(floor);
    if (levels_.size() == floor || !next()) continue;
    value();
    if (kind_ == JsonKind::object || kind_ == JsonKind::array) {
      enter();
    } else {
      scalar();
    }
  }
}

// Over all that is usual, up to the end of the level behind `floor`, or to the first member, item
// or bracket that is not, or that may go on in the next block: `next` sees to that one. Nothing is
// noted but what is open.
void JsonPull::run_ahead(size_t floor) {
  const char* at = at_;  // all before it is done with
  Level* level = &levels_.back();
  level->within = false;
  while (true) {
    const char* to = at;
    if (level->count != 0 && *to == ',') {
      to = past_usual_spaces(to + 1);
    } else {
      to = past_usual_spaces(to);
      if (*to == (level->object ? '}' : ']')) {
        at_ = at = to + 1;
        offset_ = level->begin;
        levels_.pop_back();
        if (levels_.size() == floor) return;
        level = &levels_.back();
        level->within = false;
        continue;
      }
      if (level->count != 0) break;
    }
    const char* key = to + 1;
    const char* key_end = key;
    if (level->object) {
      if (*to != '"') break;
      key_end = string_stop(key);
      if (*key_end != '"' || key_end[1] != ':') break;
      to = key_end + 2;
      if (*to == ' ') ++to;
    }
    const char first = *to;
    if (first == '"') {
      to = string_stop(to + 1);
      if (*to != '"') break;
      ++to;
    } else if (is_digit(first) || first == '-') {
      bool whole = false;
      to = past_number(to, whole);
      if (!whole || to == end_) break;
    } else if (first == '{' || first == '[') {
      if (levels_.size() == max_depth) break;
      ++level->count;
      level->within = true;
      level->key = key;
      level->key_size =
          static_cast<uint32_t>(std::min(static_cast<size_t>(key_end - key), kept_of_key));
      levels_.push_back({.begin = place(to), .object = first == '{'});
      level = &levels_.back();
      at_ = at = to + 1;
      continue;
    } else if (std::memcmp(to, "null", 4) == 0 || std::memcmp(to, "true", 4) == 0) {
      to += 4;
    } else if (std::memcmp(to, "false", 5) == 0) {
      to += 5;
    } else {
      break;
    }
    ++level->count;
    at_ = at = to;
  }
}

// Objects and lists.

void JsonPull::enter() {
  if (levels_.size() == max_depth) {
    wrong(at_, fmt::format("objects and lists are nested more than {} deep", max_depth));
  }
  levels_.push_back({.begin = place(at_), .object = *at_ == '{'});
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
  level.key = key_.data();
  level.key_size = static_cast<uint32_t>(std::min(key_.size(), kept_of_key));
  level.within = true;
  if (key_.data() == unescaped_.data()) keep_key(levels_.size() - 1);
  colon_ = true;
  return true;
}

// The block or text that contains a key is about to go.
void JsonPull::keep_key(size_t i) {
  Level& level = levels_[i];
  if (!level.within || level.key == nullptr) return;
  if (kept_keys_.size() <= i) kept_keys_.resize(i + 1);
  kept_keys_[i].assign(level.key, level.key_size);
  level.key = nullptr;
}

bool JsonPull::at_end() {
  spaces();
  return at_ == end_;
}

void JsonPull::end() {
  if (!at_end()) wrong(at_, "there is text after the end of the value");
}

}  // namespace kr::trace
