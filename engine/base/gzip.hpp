// Bytes to gzip (RFC 1952), as they come.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace kr {

/// Where an output of any size goes, a piece at a time.
using ByteSink = std::function<void(std::string_view)>;

/// Packs what it is given into one member; the same bytes always become the same file. Memory: some
/// 300 KiB.
class GzipWriter {
 public:
  explicit GzipWriter(ByteSink to);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(std::string_view bytes);
  /// The rest, and the end. Nothing can be written after it.
  void finish();

 private:
  struct Stream;
  void pack(int flush);
  ByteSink to_;
  std::unique_ptr<Stream> stream_;
};

/// Appends the bytes as a stream of zlib (RFC 1950).
void append_zlib(std::string& to, std::string_view bytes);

}  // namespace kr
