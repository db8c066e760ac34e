// libFuzzer: bytes as a file of Proton: of `{` a Chrome trace, of `[` a profile in JSON, of an
// array of MessagePack a profile in that. Whatever they are, small blocks and one block come to the
// same trace or the same Error.
#include "fuzz/trace_pieces.hpp"
#include "trace/module_trace.hpp"

namespace {

// A profile as a text that differs where profiles do; an Error as its text.
std::string profile_text(std::string_view text, const kr::trace::TraceFormat& format,
                         const kr::trace::OpenOptions& options) {
  try {
    kr::trace::Input input(text, "t", options);
    kr::trace::ModuleTraceBuilder builder("t", "t");
    format.read_modules(input, builder);
    const kr::trace::ModuleTrace trace = std::move(builder).finish();
    std::string out;
    int64_t total_ns = 0;
    std::vector<kr::trace::ModuleNode> nodes;
    for (size_t i = 0; i < trace.steps.size(); ++i) {
      out += trace.steps[i].key + '\n';
      trace.expand(i, nodes);
      for (const kr::trace::ModuleNode& node : nodes) {
        if (!trace.paths.parent(node.path).valid()) total_ns += node.total_ns;
        out += std::to_string(node.path.index) + ' ' + std::to_string(node.end) + ' ' +
               std::to_string(node.total_ns) + ' ' + std::to_string(node.invocations) + ' ';
        out += trace.name(node.path);
        out += '\n';
      }
    }
    if (total_ns != trace.total_ns) std::abort();
    for (const kr::Warning& warning : trace.warnings) out += warning.text + '\n';
    return out;
  } catch (const kr::Error& error) {
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (kr::trace::compression_of(text) != kr::trace::Compression::none) return 0;
  if (text.starts_with('{')) {
    return kr::test::same_in_pieces(data, size, kr::trace::proton_trace_format, {{16, 1}, {1, 1}});
  }
  const bool json = kr::trace::first_bytes(text).first == '[';
  const kr::trace::TraceFormat& format =
      json ? kr::trace::proton_json_format : kr::trace::proton_msgpack_format;
  // The reader looks at the bytes itself, to tell the two.
  format.sniff(text);
  for (const bool truncated : {false, true}) {
    kr::trace::OpenOptions options;
    options.allow_truncated = truncated;
    const std::string whole = profile_text(text, format, options);
    options.block_size = 7;
    if (profile_text(text, format, options) != whole) std::abort();
  }
  return 0;
}
