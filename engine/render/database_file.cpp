#include <fstream>
#include <string_view>

#include "render/render.hpp"

namespace kr::render {

bool may_replace_database(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) ||
      std::filesystem::file_size(path, error) == 0) {
    return true;
  }
  // https://www.sqlite.org/fileformat2.html: the application id is big-endian.
  constexpr size_t head_size = 100;
  constexpr size_t id_at = 68;
  char head[head_size] = {};
  std::ifstream(path, std::ios::binary).read(head, head_size);
  int32_t id = 0;
  for (size_t i = 0; i < 4; ++i) id = id << 8 | static_cast<unsigned char>(head[id_at + i]);
  return std::string_view(head, head_size).starts_with("SQLite format 3") &&
         id == sqlite_application_id;
}

}  // namespace kr::render
