// Profiles of JAX, TensorFlow and PyTorch/XLA (`*.xplane.pb`): an XSpace of
// tsl/profiler/protobuf/xplane.proto.
//
//     XSpace  {1 planes, 4 hostnames}
//     XPlane  {2 name, 3 lines, 4 event_metadata, 5 stat_metadata, 6 stats}
//     XLine   {1 id, 2 name, 3 timestamp_ns, 4 events, 11 display_name}
//     XEvent  {1 metadata_id, 2 offset_ps or 5 num_occurrences, 3 duration_ps, 4 stats}
//
// GPUs: planes `/device:GPU:N`, whose lines `Stream #K(...)` are the work; other lines there repeat
// it, grouped. Correlations join it to the calls on `/host:CPU`. TPUs: planes `/device:TPU:N`,
// whose line `XLA Ops` is the work of a core; its ops enclose each other (see xla_core.hpp), and
// `Async XLA Ops` is what is in flight beside it. Times count from the start of the profile, which
// the plane `Task Environment` has. Starts and ends are rounded to the nearest ns; on a TPU,
// durations by what is left over of the op's name, so that the sum of a name is exact.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.hpp"
#include "trace/format.hpp"
#include "trace/readers/wire_stream.hpp"
#include "trace/readers/xplane_planes.hpp"
#include "trace/readers/xplane_tables.hpp"

namespace kr::trace {
namespace {

bool is_replaced(std::string_view bytes) {
  return bytes.find("\xef\xbf\xbd") != bytes.npos;
}

/// Bytes that are not UTF-8 occur in every profile: where they were replaced, it is lost.
[[noreturn]] void refuse_text(const Input& input) {
  throw Error(input.shown(),
              "is a profile of XLA (xplane.pb) that was converted as text: bytes that are not "
              "UTF-8 were replaced, and cannot be recovered",
              "copy the original as binary");
}

/// Of the bytes behind the tag and the length of a field.
uint64_t inner_offset(const WireStream& stream, std::string_view bytes) {
  uint64_t head = 2;
  for (size_t size = bytes.size(); size >= 0x80; size >>= 7) ++head;
  return stream.offset() + head;
}

void read_planes(Input& input, WireStream& stream, XPlanes& planes) {
  std::string_view bytes;
  uint64_t offset = 0;
  try {
    for (WireField field; stream.next(field);) {
      if (field.number != 1) continue;  // errors, warnings, names of hosts
      bytes = field.bytes;
      offset = stream.offset();
      if (field.type != WireField::Type::bytes) throw WireFault{nullptr, "XSpace"};
      offset = inner_offset(stream, bytes);
      planes.read(bytes, offset);
    }
  } catch (const WireFault& fault) {
    const bool text = fault.at != nullptr && is_replaced(bytes);
    if (text || is_replaced(input.head())) refuse_text(input);
    if (fault.at != nullptr) offset += static_cast<uint64_t>(fault.at - bytes.data());
    throw Error(input.shown(), Error::Place{.line = {}, .offset = offset},
                fmt::format("this is not a message `{}` of an XSpace", fault.what),
                "the file may be damaged: copy it again");
  } catch (const Error&) {
    if (is_replaced(input.head())) refuse_text(input);
    throw;
  }
}

void read_xplane(Input& input, TraceBuilder& out) {
  WireStream stream(input);
  XPlanes planes(input.options(), out);
  read_planes(input, stream, planes);
  if (stream.cut_off() || input.truncated()) {
    out.warn("truncated",
             fmt::format("The file is cut off: its last plane, at byte {}, is incomplete and is "
                         "dropped.",
                         stream.offset()));
  }
  planes.finish();
}

/// The first message begins with its number, or with its name, as no packet of Perfetto does.
bool is_xplane(std::string_view head) noexcept {
  if (head.empty() || head[0] != '\x0a') return false;
  constexpr std::array<std::string_view, 3> names{"/device:", "/host:", "Task Environment"};
  head.remove_prefix(1);
  const auto skip_varint = [&head] {
    for (size_t at = 0; at < 10 && at < head.size(); ++at) {
      if (static_cast<unsigned char>(head[at]) >= 0x80) continue;
      head.remove_prefix(at + 1);
      return;
    }
  };
  // Replaced bytes may be in the length.
  skip_varint();
  if (head.starts_with('\x08')) {
    head.remove_prefix(1);
    skip_varint();
  }
  if (head.size() < 2 || head[0] != '\x12') return false;
  head.remove_prefix(2);
  return std::ranges::any_of(names, [&](std::string_view name) { return head.starts_with(name); });
}

constexpr std::array<std::string_view, 2> xplane_extensions{".xplane.pb", ".pb"};

}  // namespace

const TraceFormat xplane_format{
    .name = "xplane",
    .kind = "profiles of JAX (.xplane.pb)",
    .summary = "XSpace of XLA's profiler (JAX, TensorFlow): GPUs and TPUs",
    .extensions = xplane_extensions,
    .carries = "launches, streams, modules, steps, shapes, memory",
    .sniff = is_xplane,
    .read = read_xplane};

}  // namespace kr::trace
