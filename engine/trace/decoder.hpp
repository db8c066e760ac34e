// Undoes compression, block by block. What it is packed with is told by its first bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "trace/raw_source.hpp"

namespace kr::trace {

enum class Compression : uint8_t { none, gzip, zstd };

/// By magic number.
Compression compression_of(std::string_view head) noexcept;

class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Up to `room` bytes; 0 at the end, and only there. Throws Error on damage, with the offset in
  /// the decompressed text.
  virtual size_t read(char* to, size_t room) = 0;
  /// After the end: the stream was cut off there.
  virtual bool truncated() const noexcept = 0;
};

/// The source has to live as long. Null where it is not packed.
std::unique_ptr<Decoder> make_decoder(Compression compression, RawSource& source);

}  // namespace kr::trace
