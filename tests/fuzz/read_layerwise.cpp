// libFuzzer: bytes as a profile of module trees: of Proton where they look like one, else a
// layer-wise one. Whatever they are, small blocks and one block come to
// the same trace or the same Error, a file that is cut off gives no more than the whole one, and
// what is read as JSON by simdjson is read here too.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json_read.hpp"
#include "trace/format.hpp"
#include "trace/readers/json_pull.hpp"

namespace {

// A trace as a text that differs where the traces do; an Error as its text.
std::string read(std::string_view text, const kr::trace::OpenOptions& options) {
  try {
    kr::trace::Input input(text, "t", options);
    kr::trace::ModuleTraceBuilder builder("t", "t");
    const bool proton = kr::trace::proton_json_format.sniff(text);
    (proton ? kr::trace::proton_json_format : kr::trace::layerwise_json_format)
        .read_modules(input, builder);
    const kr::trace::ModuleTrace trace = std::move(builder).finish();
    std::string out;
    std::vector<kr::trace::ModuleNode> nodes;
    for (size_t i = 0; i < trace.steps.size(); ++i) {
      out += trace.steps[i].key + ' ' + std::to_string(trace.steps[i].running_seqs.value_or(-1));
      trace.expand(i, nodes);
      for (const kr::trace::ModuleNode& node : nodes) {
        out += std::to_string(node.path.index) + ' ' + std::to_string(node.end) + ' ' +
               std::to_string(node.total_ns) + ' ' + std::to_string(node.invocations) + ' ';
        out += trace.name(node.path);
        out += '\n';
      }
    }
    for (const kr::trace::ContextEntry& entry : trace.context)
      out += entry.key + '=' + entry.value + '\n';
    for (const kr::Warning& warning : trace.warnings) out += warning.text + '\n';
    return out;
  } catch (const kr::Error& error) {
    return error.what();
  }
}

// Whether the text is JSON to the pull parser.
bool pulled(std::string_view text) {
  const kr::trace::OpenOptions options;
  try {
    kr::trace::Input input(text, "t", options);
    kr::trace::JsonPull json(input, 16);
    json.pass();
    json.end();
    return true;
  } catch (const kr::Error&) {
    return false;
  }
}

bool parsed(std::string_view text) {
  try {
    kr::parse_json(text, "t");
    return true;
  } catch (const kr::Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Damaged packing may be met before or after a damaged value, as blocks will have it.
  if (kr::trace::compression_of(text) != kr::trace::Compression::none) return 0;
  for (const bool each_call : {false, true}) {
    for (const bool truncated : {false, true}) {
      kr::trace::OpenOptions options;
      options.allow_truncated = truncated;
      options.each_call = each_call;
      const std::string whole = read(text, options);
      options.block_size = 7;
      if (read(text, options) != whole) std::abort();
    }
  }
  if (parsed(text) && !pulled(text)) std::abort();
  return 0;
}
