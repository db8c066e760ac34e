#include "trace/readers/wire_stream.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace kr::trace {
namespace {

/// What a tag and a length, or a tag and a number, take at most.
constexpr size_t max_head = 20;
/// No message of protobuf is longer.
constexpr uint64_t max_message = uint64_t{1} << 31;

/// The size of a field with its head, by its first bytes; 0: they are no field, or not all of its
/// head.
uint64_t field_size(std::string_view bytes) {
  size_t at = 0;
  const auto varint = [&](uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; at < bytes.size() && shift < 70; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  };
  uint64_t tag = 0;
  uint64_t value = 0;
  if (!varint(tag) || tag >> 3 == 0 || tag >> 3 > WireReader::max_number) return 0;
  switch (tag & 7) {
    case 0:
      return varint(value) ? at : 0;
    case 1:
      return at + 8;
    case 2:
      return varint(value) && value < max_message ? at + value : 0;
    case 5:
      return at + 4;
    default:
      return 0;
  }
}

}  // namespace

/// The size of the next field, which begins at `begin_`; 0: there is none.
size_t WireStream::whole_field() {
  while (true) {
    const std::string_view bytes(bytes_.begin() + begin_, end_ - begin_);
    const uint64_t size = field_size(bytes);
    if (size != 0 && size <= bytes.size()) return static_cast<size_t>(size);
    const bool head_whole = bytes.size() >= max_head;
    if (size == 0 && head_whole) break;
    if (more()) continue;
    if (bytes.empty()) return 0;
    cut_off_ = true;
    if (input_->options().allow_truncated) return 0;
    throw Error(input_->shown(), Error::Place{.line = {}, .offset = offset_},
                "a field of the protobuf message is cut off, or is no field",
                "copy the file again, or use --allow-truncated for what is before it");
  }
  throw Error(input_->shown(), Error::Place{.line = {}, .offset = offset_},
              "this is no field of a protobuf message", "the file may be damaged: copy it again");
}

bool WireStream::next(WireField& field) {
  offset_ += begin_ - std::exchange(last_, begin_);
  const size_t size = whole_field();
  if (size == 0) return false;
  WireReader reader(std::string_view(bytes_.begin() + begin_, size));
  begin_ += size;
  return reader.next(field);
}

bool WireStream::next(WireBlock& block) {
  offset_ += begin_ - std::exchange(last_, begin_);
  size_t size = whole_field();
  if (size == 0) return false;
  block.begin_ = block.end_ = begin_;
  while (size != 0 && size <= end_ - block.end_) {
    block.end_ += size;
    size = static_cast<size_t>(
        field_size(std::string_view(bytes_.begin() + block.end_, end_ - block.end_)));
  }
  block.offset_ = offset_;
  offset_ += block.end_ - begin_;
  // The block takes the buffer; what follows it moves to the block's former one.
  bytes_.swap(block.bytes_);
  const size_t kept = end_ - block.end_;
  if (bytes_.size() < kept) bytes_.extend(kept - bytes_.size());
  std::copy_n(block.bytes_.begin() + block.end_, kept, bytes_.begin());
  begin_ = last_ = 0;
  end_ = kept;
  return true;
}

/// False: the input has ended.
bool WireStream::more() {
  if (input_ended_) return false;
  const size_t kept = end_ - begin_;
  std::copy(bytes_.begin() + begin_, bytes_.begin() + end_, bytes_.begin());
  begin_ = last_ = 0;
  end_ = kept;
  // Twice what is there: a length that promises more than the file has costs no memory.
  const size_t room = std::max(input_->options().block_size, 2 * kept);
  if (bytes_.size() < room) bytes_.extend(room - bytes_.size());
  const size_t got = input_->read(bytes_.begin() + kept, bytes_.size() - kept);
  end_ += got;
  input_ended_ = end_ < bytes_.size();
  return got != 0;
}

}  // namespace kr::trace
