#include "base/own_output.hpp"

#include <zlib.h>

#include <fstream>

namespace kr {
namespace {

constexpr size_t head_bytes = 8192;

/// Of one gzip member; ends where it cannot be decompressed.
std::string decompressed(std::string_view packed) {
  constexpr int only_gzip = 15 + 16;
  std::string head(head_bytes, '\0');
  z_stream zlib{};
  if (inflateInit2(&zlib, only_gzip) != Z_OK) return {};
  // zlib does not write to its input.
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  zlib.avail_in = static_cast<uInt>(packed.size());
  zlib.next_out = reinterpret_cast<Bytef*>(head.data());
  zlib.avail_out = static_cast<uInt>(head.size());
  inflate(&zlib, Z_SYNC_FLUSH);
  head.resize(head.size() - zlib.avail_out);
  inflateEnd(&zlib);
  return head;
}

}  // namespace

std::string read_head(const std::filesystem::path& path) {
  std::string head(head_bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  return head.starts_with("\x1f\x8b") ? decompressed(head) : head;
}

}  // namespace kr
