#include "base/checksum.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <vector>

#include "base/error.hpp"

namespace kr {
namespace {

constexpr size_t checksum_bytes = 4;
constexpr size_t bytes_at_a_time = 1 << 18;
using Checksum = std::array<char, checksum_bytes>;

/// Of the next `size` bytes, or of those that there are.
Checksum checksum_of(std::istream& file, uint64_t size) {
  std::vector<char> bytes(bytes_at_a_time);
  uLong sum = crc32(0, nullptr, 0);
  while (size > 0) {
    file.read(bytes.data(), static_cast<std::streamsize>(std::min<uint64_t>(size, bytes.size())));
    const auto count = static_cast<size_t>(file.gcount());
    if (count == 0) break;
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), count);
    size -= count;
  }
  Checksum checksum{};
  for (size_t i = checksum_bytes; i-- > 0; sum >>= 8U) {
    checksum[i] = static_cast<char>(sum & 0xffU);
  }
  return checksum;
}

uint64_t size_of(std::istream& file) {
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::streamoff>(file.tellg());
  file.seekg(0);
  return size < 0 ? 0 : static_cast<uint64_t>(size);
}

}  // namespace

void append_checksum(const std::string& location, const std::string& path) {
  std::fstream file(location, std::ios::binary | std::ios::in | std::ios::out);
  const uint64_t size = size_of(file);
  const Checksum sum = checksum_of(file, size);
  file.seekp(0, std::ios::end);
  file.write(sum.data(), sum.size());
  file.close();
  if (!file) throw Error(path, "its checksum cannot be written");
}

bool has_valid_checksum(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return true;
  const uint64_t size = size_of(file);
  if (size < checksum_bytes) return false;
  const Checksum sum = checksum_of(file, size - checksum_bytes);
  Checksum found{};
  file.read(found.data(), found.size());
  return file && found == sum;
}

}  // namespace kr
