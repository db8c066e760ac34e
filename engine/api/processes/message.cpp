#include "processes/message.hpp"

#include "base/check.hpp"

namespace kr::processes {
namespace {

constexpr size_t bytes_of_number = 8;

}  // namespace

// The processes may run on machines of different byte order.
void MessageWriter::number(uint64_t value) {
  for (size_t i = 0; i < bytes_of_number; ++i) {
    bytes_ += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  }
}

void MessageWriter::text(std::string_view text) {
  number(text.size());
  bytes_ += text;
}

std::string_view MessageReader::take(size_t bytes) {
  KR_CHECK(bytes <= left_.size());
  const std::string_view taken = left_.substr(0, bytes);
  left_.remove_prefix(bytes);
  return taken;
}

uint64_t MessageReader::number() {
  uint64_t value = 0;
  size_t shift = 0;
  for (const char byte : take(bytes_of_number)) {
    value |= uint64_t{static_cast<unsigned char>(byte)} << shift;
    shift += 8;
  }
  return value;
}

std::string_view MessageReader::text() {
  return take(number());
}

}  // namespace kr::processes
