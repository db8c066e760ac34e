#include "base/own_output.hpp"

#include <zlib.h>

#include <fstream>

#include "kr/render.hpp"

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

/// https://www.sqlite.org/fileformat2.html: the application id is big-endian.
bool is_own_database(std::string_view head) {
  constexpr size_t id_at = 68;
  if (!head.starts_with("SQLite format 3") || head.size() < id_at + 4) return false;
  uint32_t id = 0;
  for (size_t i = 0; i < 4; ++i) id = id << 8U | static_cast<unsigned char>(head[id_at + i]);
  return id == static_cast<uint32_t>(render::sqlite_application_id);
}

/// The three files of a Paraver trace: a comment, a type of events, the label of all of it.
bool is_own_paraver(std::string_view head) {
  if (head.starts_with("#Paraver ")) return head.find("\n# kr ") == head.find('\n');
  if (head.starts_with("DEFAULT_OPTIONS\n"))
    return head.find("\n0    96000000    kr ") != head.npos;
  return head.starts_with("LEVEL WORKLOAD SIZE 1\nkr ");
}

}  // namespace

bool has_own_mark(std::string_view head) {
  if (is_own_paraver(head)) return true;
  const auto contains = [head](std::string_view mark) { return head.find(mark) != head.npos; };
  if (head.starts_with("<!doctype html>")) {
    return contains("<meta name=\"generator\" content=\"kr ");
  }
  if (head.starts_with("\x89PNG")) return contains(own_png_text);
  if (head.starts_with("<?xml")) return contains(own_comment);
  return head.starts_with(own_comment) || head.starts_with("{\"kr\":") ||
         head.starts_with("{\"table\":") ||
         head.starts_with("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"kr\":") ||
         head.starts_with("\x8bkrdb\r\n\n") || is_own_database(head);
}

std::string read_head(const std::filesystem::path& path) {
  std::string head(head_bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  return head.starts_with("\x1f\x8b") ? decompressed(head) : head;
}

}  // namespace kr
