#include "base/demangle.hpp"

// Else libiberty declares a `basename` that is not the one of <cstring>.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <algorithm>
#include <csetjmp>

#include "base/utf8.hpp"

namespace kr {
namespace {

struct DemangledText {
  std::jmp_buf too_long;
  std::string text;  // with room for the longest
};

/// libiberty cannot be stopped, and the text of some names of a hundred bytes is longer than
/// memory. So a longjmp leaves it at the limit. Its functions keep all they use on
/// the stack, except one buffer for Rust names that are not ASCII: such a name, over the limit,
/// leaks some bytes.
void append_piece(const char* piece, size_t size, void* opaque) {
  auto& out = *static_cast<DemangledText*>(opaque);
  if (size > longest_demangled - out.text.size()) std::longjmp(out.too_long, 1);
  out.text.append(piece, size);
}

using Demangler = int (*)(const char*, int, demangle_callbackref, void*);

bool is_decoded(Demangler demangler, const char* name, DemangledText& out) {
  // The recursion limit would refuse all names over 1,024 bytes; the limit of the length replaces
  // it.
  constexpr int options = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT;
  if (setjmp(out.too_long) != 0) return false;
  return demangler(name, options, append_piece, &out) != 0;
}

bool is_text(std::string_view name) {
  return is_utf8(name) && std::none_of(name.begin(), name.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
         });
}

}  // namespace

std::optional<std::string> demangled(std::string_view name) {
  if (!name.starts_with("_Z") && !name.starts_with("_R")) return std::nullopt;
  if (name.size() > longest_mangled || !is_text(name)) return std::nullopt;
  const std::string mangled(name);
  DemangledText out;
  out.text.reserve(longest_demangled);
  for (const Demangler demangler : {rust_demangle_callback, cplus_demangle_v3_callback}) {
    out.text.clear();
    if (!is_decoded(demangler, mangled.c_str(), out)) continue;
    if (out.text.empty() || !is_utf8(out.text)) return std::nullopt;
    out.text.shrink_to_fit();
    return std::move(out.text);
  }
  return std::nullopt;
}

}  // namespace kr
