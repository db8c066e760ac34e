#include "trace/refuse.hpp"

#include <cstring>

#include "base/utf8.hpp"
#include "trace/format.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

std::string accepted() {
  std::string kinds;
  for (const TraceFormat* format : formats()) {
    kinds += (kinds.empty() ? "" : ", ") + std::string(format->kind);
  }
  return "kr reads: " + kinds;
}

// `[1/8] Executing …` begins what nsys prints; a bracket before a number begins no profile.
bool json(std::string_view head) {
  if (head.starts_with(byte_order_mark)) head.remove_prefix(3);
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == head.npos) return false;
  const size_t next = head.find_first_not_of(" \t\r\n", first + 1);
  const char after = next == head.npos ? '\0' : head[next];
  if (head[first] == '{') return after == '"' || after == '}' || after == '\0';
  if (head[first] == '[') return after != '\0' && std::strchr("[]{\"", after) != nullptr;
  return false;
}

struct Magic {
  std::string_view bytes;
  const char* why;
  const char* remedy;  // null: what kr reads
};

constexpr Magic magics[] = {
    {"version https://git-lfs", "is a Git LFS pointer, not the file itself",
     "fetch it with `git lfs pull`"},
    {"\xff\xfe"sv, "is UTF-16 text, as PowerShell redirects it",
     "write it with `nsys stats --output FILE`, or convert it to UTF-8"},
    {"\xfe\xff"sv, "is UTF-16 text", "convert it to UTF-8"},
    {"#Paraver"sv, "is a Paraver trace", nullptr},
    {"QDSTRM"sv, "is an unfinished nsys recording",
     "turn it into a report with nsys's QdstrmImporter"},
    {"\xfd\x37zXZ"sv, "is compressed with xz",
     "unpack it first; .gz and .zst are read as they are"},
    {"BZh"sv, "is compressed with bzip2", "unpack it first; .gz and .zst are read as they are"},
    {"PK\x03\x04"sv, "is a zip archive", "unpack it first; .gz and .zst are read as they are"},
    {"\x04\x22\x4d\x18"sv, "is compressed with lz4",
     "unpack it first; .gz and .zst are read as they are"},
    {"\x1f\x8b"sv, "is compressed twice", "unpack it once"},
    {"\x28\xb5\x2f\xfd"sv, "is compressed twice", "unpack it once"},
};

}  // namespace

std::optional<Refusal> refusal_of(std::string_view head) {
  if (head.empty()) {
    return Refusal{"is empty", "nsys writes a file of 0 bytes when nothing was captured"};
  }
  for (const Magic& magic : magics) {
    if (!head.starts_with(magic.bytes)) continue;
    return Refusal{magic.why, magic.remedy != nullptr ? magic.remedy : accepted()};
  }
  if (json(head)) return Refusal{"is JSON, but not a trace", accepted()};
  return std::nullopt;
}

Refusal unknown_content() {
  return {"is in an unknown format (binary data)", accepted()};
}

}  // namespace kr::trace
