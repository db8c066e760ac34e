#include "base/printable.hpp"
#include "prove/prover.hpp"

namespace kr::prove {

std::string to_string(const Witness& witness) {
  std::string text;
  const auto quote = [](std::string_view name) {
    std::string quoted = "\"";
    for (size_t at = 0; at < name.size();) {
      const Glyph glyph = first_glyph(name.substr(at));
      const std::string_view bytes = name.substr(at, glyph.bytes);
      if (bytes == "\"" || bytes == "\\") {
        quoted.append("\\").append(bytes);
      } else if (bytes == "\t") {
        quoted += "\\x09";
      } else {
        quoted += glyph.shown;
      }
      at += glyph.bytes;
    }
    return quoted + '"';
  };
  if (witness.kind_matters && witness.kind != operation_kind_of(witness.name)) {
    text.append("@").append(to_string(witness.kind)).append(" ");
  }
  text += quote(witness.name);
  const char* between = " within ";
  for (const std::string& name : witness.within) {
    text += between + quote(name);
    between = ", ";
  }
  return text;
}

}  // namespace kr::prove
