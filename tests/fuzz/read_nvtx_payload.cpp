// Bytes as entries of a schema of NVTX, and a payload of it.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "trace/readers/nccl_payload.hpp"
#include "trace/readers/nvtx_payload.hpp"

namespace {

using kr::trace::NvtxField;
using kr::trace::NvtxPayloadFault;

constexpr const char* names[] = {
    "NCCL communicator ID", "Message size [bytes]", "Bytes", "Reduction operation", "Peer rank",
    "No. of ranks"};
constexpr size_t entry_bytes = 12;  // type, name and place; offset

/// Entries, each of `entry_bytes`, up to one whose first byte is 255.
std::string_view add_entries(std::string_view text, kr::trace::NvtxPayloadSchemas& to) {
  while (text.size() >= entry_bytes && text[0] != '\xff') {
    const auto type = static_cast<uint8_t>(text[0]) % 40;
    uint64_t offset = 0;
    std::memcpy(&offset, text.data() + 4, sizeof offset);
    kr::trace::NvtxEntry entry;
    entry.name = names[static_cast<uint8_t>(text[1]) % std::size(names)];
    // Among them enums, and schemas that contain themselves.
    entry.type = type < 32 ? type : (int64_t{1} << 24) + type - 32;
    entry.offset = text[3] == '\0' ? offset : offset % 64;
    entry.plain = text[2] != '\x7f';
    to.add_entry({1, 1U << 24}, text[2], entry);
    text.remove_prefix(entry_bytes);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kr::trace::NvtxPayloadSchemas schemas;
  schemas.add_label({1, (1U << 24) + 2}, 0, "Sum");
  schemas.add_enum({1, (1U << 24) + 3}, size % 2 == 0 ? 8 : 1);
  std::string_view rest = add_entries({reinterpret_cast<const char*>(data), size}, schemas);
  std::vector<NvtxField> fields;
  // As it is, and with a header that fits a schema.
  for (const bool with_header : {false, true}) {
    std::string payload(rest);
    if (with_header) {
      const uint64_t header[4] = {1, 1U << 24, rest.size() - rest.size() % 3, rest.size()};
      payload.insert(0, reinterpret_cast<const char*>(header), sizeof header);
    }
    const NvtxPayloadFault fault = schemas.decode(payload, fields);
    if (fault != NvtxPayloadFault::none && !fields.empty()) std::abort();
    const kr::trace::NcclArguments arguments = kr::trace::nccl_arguments(fields);
    if (arguments.bytes && *arguments.bytes < 0) std::abort();
  }
  return 0;
}
