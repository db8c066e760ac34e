#include "trace/readers/msgpack_pull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.hpp"
#include "trace/readers/value_path.hpp"

namespace kr::trace {
MsgpackPull::MsgpackPull(Input& input, size_t block_size)
    : input_(&input),
      bytes_(std::make_unique_for_overwrite<char[]>(block_size)),
      room_(block_size) {
  KR_CHECK(block_size != 0);
  at_ = end_ = bytes_.get();
}

// All before the cursor goes.
bool MsgpackPull::more() {
  if (ended_) return false;
  for (size_t i = 0; i < levels_.size(); ++i) keep_key(i);
  const auto kept = static_cast<size_t>(end_ - at_);
  base_ = place(at_);
  if (kept == room_) {
    auto grown = std::make_unique_for_overwrite<char[]>(room_ * 2);
    std::memcpy(grown.get(), at_, kept);
    bytes_ = std::move(grown);
    room_ *= 2;
  } else {
    std::memmove(bytes_.get(), at_, kept);
  }
  const size_t got = input_->read(bytes_.get() + kept, room_ - kept);
  ended_ = got < room_ - kept;
  at_ = bytes_.get();
  end_ = at_ + kept + got;
  return got != 0;
}

void MsgpackPull::need(size_t size) {
  while (static_cast<size_t>(end_ - at_) < size) {
    if (!more()) cut();
  }
}

// Numbers are written with the highest byte first.
uint64_t MsgpackPull::big_endian(size_t bytes) {
  need(bytes);
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<uint8_t>(at_[i]);
  at_ += bytes;
  return value;
}

constexpr MsgpackPull::Type MsgpackPull::make_type(uint8_t byte) noexcept {
  if (byte <= 0x7f || byte >= 0xe0) return {.kind = JsonKind::number};
  if (byte <= 0x8f) return {.kind = JsonKind::object, .size = byte & 0x0fU};
  if (byte <= 0x9f) return {.kind = JsonKind::array, .size = byte & 0x0fU};
  if (byte <= 0xbf) return {.kind = JsonKind::string, .size = byte & 0x1fU};
  const auto bytes = [](int power) { return static_cast<uint8_t>(1 << power); };
  if (byte == 0xc0) return {.kind = JsonKind::null};
  if (byte == 0xc1) return {.kind = JsonKind::null, .valid = false};
  if (byte <= 0xc3) return {.kind = JsonKind::boolean};
  if (byte <= 0xc6) return {.kind = JsonKind::string, .size_bytes = bytes(byte - 0xc4)};
  if (byte <= 0xc9) {
    return {.kind = JsonKind::null, .size_bytes = bytes(byte - 0xc7), .extra_bytes = 1};
  }
  if (byte <= 0xd3) return {.kind = JsonKind::number};
  if (byte <= 0xd8) return {.kind = JsonKind::null, .extra_bytes = 1, .size = bytes(byte - 0xd4)};
  if (byte <= 0xdb) return {.kind = JsonKind::string, .size_bytes = bytes(byte - 0xd9)};
  const JsonKind kind = byte <= 0xdd ? JsonKind::array : JsonKind::object;
  return {.kind = kind, .size_bytes = static_cast<uint8_t>(byte % 2 == 0 ? 2 : 4)};
}

inline const MsgpackPull::Type& MsgpackPull::type() const noexcept {
  static constexpr auto types = [] {
    std::array<Type, 256> all{};
    for (size_t byte = 0; byte < all.size(); ++byte)
      all[byte] = make_type(static_cast<uint8_t>(byte));
    return all;
  }();
  return types[static_cast<uint8_t>(*at_)];
}

// Over what begins a value, and the size that follows.
uint64_t MsgpackPull::size_of(const Type& type) {
  ++at_;
  return type.size_bytes == 0 ? type.size : big_endian(type.size_bytes);
}

JsonKind MsgpackPull::value() {
  need(1);
  offset_ = place(at_);
  const Type type = this->type();
  if (!type.valid) wrong("the byte c1 begins no value");
  return type.kind;
}

void MsgpackPull::expect(JsonKind kind) {
  const JsonKind is = value();
  if (is != kind) throw error(fmt::format("is {}, not {}", to_string(is), to_string(kind)));
}

std::string_view MsgpackPull::string() {
  const uint64_t size = size_of(type());
  if (size > max_token) wrong(fmt::format("a text of {} bytes: at most 64 MiB are read", size));
  need(static_cast<size_t>(size));
  const std::string_view text(at_, static_cast<size_t>(size));
  at_ += size;
  return text;
}

std::string_view MsgpackPull::number() {
  const auto byte = static_cast<uint8_t>(*at_++);
  char* const begin = number_.data();
  const auto written = [&](auto value) {
    const auto [stop, fault] = std::to_chars(begin, begin + number_.size(), value);
    KR_CHECK(fault == std::errc{});
    return std::string_view(begin, static_cast<size_t>(stop - begin));
  };
  const auto real = [&](double value) -> std::string_view {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return written(value);
  };
  if (byte <= 0x7f || byte >= 0xe0) return written(int{static_cast<int8_t>(byte)});
  if (byte == 0xca) return real(std::bit_cast<float>(static_cast<uint32_t>(big_endian(4))));
  if (byte == 0xcb) return real(std::bit_cast<double>(big_endian(8)));
  const auto bytes = size_t{1} << (byte & 3);
  const uint64_t value = big_endian(bytes);
  if (byte <= 0xcf) return written(value);
  const auto unused = static_cast<int>(64 - 8 * bytes);  // bits that only repeat the sign
  return written(static_cast<int64_t>(value << unused) >> unused);
}

std::optional<int64_t> MsgpackPull::whole() {
  const auto byte = static_cast<uint8_t>(*at_);
  if (byte <= 0x7f) {
    ++at_;
    return byte;
  }
  if (byte < 0xcc || byte > 0xcf) return std::nullopt;
  const auto bytes = size_t{1} << (byte & 3);
  need(1 + bytes);
  ++at_;
  const uint64_t value = big_endian(bytes);
  if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return static_cast<int64_t>(value);
  }
  at_ -= 1 + bytes;
  return std::nullopt;
}

std::optional<double> MsgpackPull::real() {
  constexpr size_t bytes = sizeof(double);
  if (static_cast<uint8_t>(*at_) != 0xcb) return std::nullopt;
  need(1 + bytes);
  ++at_;
  const double value = std::bit_cast<double>(big_endian(bytes));
  if (std::isfinite(value) && !std::signbit(value)) return value;
  at_ -= 1 + bytes;
  return std::nullopt;
}

void MsgpackPull::pass_bytes(uint64_t count) {
  while (true) {
    const uint64_t here = std::min(count, static_cast<uint64_t>(end_ - at_));
    at_ += here;
    count -= here;
    if (count == 0) return;
    if (!more()) cut();
  }
}

void MsgpackPull::skip() {
  const size_t floor = levels_.size();
  while (true) {
    const Type type = this->type();
    if (type.kind == JsonKind::object || type.kind == JsonKind::array) {
      enter();
    } else if (type.kind == JsonKind::number) {
      number();
    } else {
      const uint64_t size = size_of(type);
      pass_bytes(size + type.extra_bytes);
    }
    while (levels_.size() > floor && !next()) {
    }
    if (levels_.size() == floor) return;
    value();
  }
}

void MsgpackPull::enter() {
  if (levels_.size() == max_depth) {
    wrong(fmt::format("maps and arrays are nested more than {} deep", max_depth));
  }
  const uint64_t begin = place(at_);
  const Type type = this->type();
  const uint64_t size = size_of(type);
  levels_.push_back({.begin = begin, .left = size, .object = type.kind == JsonKind::object});
}

bool MsgpackPull::next() {
  Level& level = levels_.back();
  level.within = false;
  if (level.left == 0) {
    offset_ = level.begin;
    levels_.pop_back();
    return false;
  }
  --level.left;
  ++level.count;
  if (level.object) {
    if (value() != JsonKind::string) wrong("a key of a map is not a text");
    key_ = string();
    level.key = key_.data();
    level.key_size = static_cast<uint32_t>(std::min(key_.size(), kept_of_key));
  }
  level.within = true;
  return true;
}

void MsgpackPull::end() {
  if (at_ != end_ || more()) wrong("there are bytes after the end of the value");
}

// The block that contains a key is about to go.
void MsgpackPull::keep_key(size_t i) {
  Level& level = levels_[i];
  if (!level.within || level.key == nullptr) return;
  if (kept_keys_.size() <= i) kept_keys_.resize(i + 1);
  kept_keys_[i].assign(level.key, level.key_size);
  level.key = nullptr;
}

std::string MsgpackPull::path() const {
  size_t parts = 0;
  while (parts < levels_.size() && levels_[parts].within) ++parts;
  return value_path(parts, [&](size_t i) {
    const Level& level = levels_[i];
    std::string_view key;
    if (level.object && level.key != nullptr) key = {level.key, level.key_size};
    if (level.object && level.key == nullptr) key = kept_keys_[i];
    return ValuePathPart{level.object, key, level.count - 1};
  });
}

Error MsgpackPull::error(std::string_view why) const {
  const std::string where = path();
  return {input_->shown(), Error::Place{.line = {}, .offset = offset_},
          fmt::format("{} {}", where.empty() ? "the whole" : where, why), "create the file again"};
}

void MsgpackPull::wrong(std::string_view why) const {
  const std::string where = path();
  throw Error(input_->shown(), Error::Place{.line = {}, .offset = place(at_)},
              fmt::format("this is not MessagePack that kr reads: {}{}{}", why,
                          where.empty() ? "" : ", in ", where),
              "create the file again");
}

void MsgpackPull::cut() const {
  const std::string where = path();
  throw JsonCut(input_->shown(), Error::Place{.line = {}, .offset = place(end_)},
                fmt::format("the file is cut off here{}{}", where.empty() ? "" : ", in ", where),
                "copy it again, or read the complete part with --allow-truncated");
}

}  // namespace kr::trace
