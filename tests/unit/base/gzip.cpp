#include "base/gzip.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <random>
#include <string>

namespace {

std::string unpacked(const std::string& packed, size_t size) {
  std::string out(size + 1, '\0');
  z_stream zlib{};
  REQUIRE(inflateInit2(&zlib, 15 + 16) == Z_OK);
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  zlib.avail_in = static_cast<uInt>(packed.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&zlib, Z_FINISH) == Z_STREAM_END);
  CHECK(zlib.avail_in == 0);
  out.resize(zlib.total_out);
  inflateEnd(&zlib);
  return out;
}

}  // namespace

TEST_CASE("what is packed in pieces is unpacked whole, and is always the same") {
  std::mt19937 random(3);
  for (const size_t size : {size_t{0}, size_t{1}, size_t{70'000}, size_t{3'000'000}}) {
    std::string text;
    while (text.size() < size) text += std::to_string(random());
    text.resize(size);
    std::string packed[2];
    for (std::string& one : packed) {
      kr::GzipWriter writer([&](std::string_view bytes) { one += bytes; });
      for (size_t at = 0; at < size; at += 9999)
        writer.write(std::string_view(text).substr(at, 9999));
      writer.finish();
    }
    CHECK(packed[0] == packed[1]);
    CHECK(unpacked(packed[0], size) == text);
  }
}
