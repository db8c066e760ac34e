// The bytes of a trace as they are stored, in a file, on standard input, or in memory, and how
// compression is undone, block by block. Its first bytes identify the compression.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "trace/open.hpp"

namespace kr::trace {

class RawSource {
 public:
  /// `path` `-` is standard input, which may not be a folder. Throws Error where it is missing or
  /// unreadable.
  RawSource(const std::string& path, std::string shown, Progress* progress);
  /// Bytes in memory, which have to live as long; `shown` is the name in errors.
  RawSource(std::string_view bytes, std::string shown);
  ~RawSource();
  RawSource(const RawSource&) = delete;
  RawSource& operator=(const RawSource&) = delete;

  /// The first bytes, at most so many, before any was read: they come again. Throws Error.
  std::string_view head(size_t size);
  /// Up to `room` bytes; 0 at the end, and only there. Throws Error.
  size_t read(char* to, size_t room);
  /// Of a regular file: passes over bytes behind `head`.
  void skip(uint64_t bytes);
  const std::string& shown() const noexcept { return shown_; }
  /// A file in the file system, not a pipe.
  bool regular() const noexcept { return regular_; }
  /// There is nothing to read by `read`.
  bool folder() const noexcept { return folder_; }

 private:
  void wait() const;
  std::string shown_;
  std::string head_;
  std::string_view memory_;  // comes before what the descriptor gives
  int descriptor_ = -1;
  bool owned_ = false;
  bool regular_ = false;
  bool folder_ = false;
  Progress* progress_ = nullptr;
};

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
