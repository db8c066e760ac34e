#include "base/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include "base/check.hpp"

namespace kr {
namespace {

/// What is written is mostly repetition: more than this makes it hardly smaller and much slower.
constexpr int level = 3;
constexpr int window_bits = 15 + 16;  // the largest window, in the form of gzip
constexpr int memory_level = 8;
constexpr size_t out_bytes = 64 << 10;

}  // namespace

struct GzipWriter::Stream {
  z_stream zlib{};
  std::vector<char> out = std::vector<char>(out_bytes);
};

GzipWriter::GzipWriter(ByteSink to) : to_(std::move(to)), stream_(std::make_unique<Stream>()) {
  const int code = deflateInit2(&stream_->zlib, level, Z_DEFLATED, window_bits, memory_level,
                                Z_DEFAULT_STRATEGY);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  KR_CHECK(code == Z_OK);
}

GzipWriter::~GzipWriter() {
  deflateEnd(&stream_->zlib);
}

void GzipWriter::pack(int flush) {
  z_stream& zlib = stream_->zlib;
  do {
    zlib.next_out = reinterpret_cast<Bytef*>(stream_->out.data());
    zlib.avail_out = static_cast<uInt>(stream_->out.size());
    KR_CHECK(deflate(&zlib, flush) != Z_STREAM_ERROR);
    const size_t packed = stream_->out.size() - zlib.avail_out;
    if (packed != 0) to_({stream_->out.data(), packed});
  } while (zlib.avail_out == 0);
}

void GzipWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t size = std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    // zlib reads only what is there, but does not say so.
    stream_->zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_->zlib.avail_in = static_cast<uInt>(size);
    pack(Z_NO_FLUSH);
    bytes.remove_prefix(size);
  }
}

void GzipWriter::finish() {
  stream_->zlib.avail_in = 0;
  pack(Z_FINISH);
}

void append_zlib(std::string& to, std::string_view bytes) {
  const size_t before = to.size();
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  to.resize(before + size);
  const int code = compress2(reinterpret_cast<Bytef*>(to.data() + before), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()),
                             static_cast<uLong>(bytes.size()), level);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  KR_CHECK(code == Z_OK);
  to.resize(before + size);
}

}  // namespace kr
