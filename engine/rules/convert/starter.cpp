#include "convert/starter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "convert/rules_text.hpp"
#include "layout/layout.hpp"
#include "syntax/words.hpp"

namespace kr::convert {
namespace {

// ENGINE is the name of the engine, PREFIX the begin of its kernels' names.
constexpr std::string_view starter = R"kr(## ENGINE: how its kernels are labelled.
##
## The standard library has rules for kernels that engines share; this file has what only ENGINE
## means by a name. Find unexplained names, add a rule and a test for each, and check the result:
##   kr classify TRACE --rules ENGINE.kr
##   kr why NAME --rules ENGINE.kr
##   kr test ENGINE.kr
##   kr lint ENGINE.kr
use std.llm

# A named expression that rules share. `|` is or, `&` is and, `!` is not; "text"i ignores case;
# ^"text" begins a name and "text"$ ends it; /a.*b/ is a regular expression.
pattern cache_write = "PREFIX_store_kv" | /PREFIX_.*_cache_kernel/

engine ENGINE "ENGINE" {
  # A trace is of this engine if this matches names of its kernels, modules or ranges.
  detect: "PREFIX_"

  # Assigns steps and ranges to phases by their texts. `step` is then a column of the outputs.
  phases {
    prefill: /^prefill(_(?<step>[0-9]+))?/
    decode:  /^decode(_(?<step>[0-9]+))?/
  }

  # A dimension gives every name one label: that of the first rule that matches.
  substage {
    # @memcpy and @memset match copies and sets; `within` matches modules that enclose a kernel.
    kv_cache: cache_write
    include llm.substage
  }

  # The part of the model follows from it: the cache belongs to attention.
  stage { include llm.stage }

  # Rules of a model are tried before those of the engine; rename it, or add more models.
  model base "Base model" {
    detect: "PREFIX_base"i
    substage {
      moe_routing: "PREFIX_base_router"
    }
  }
}

# Every rule should have an example: a name and the labels that it must get.
test ENGINE {
  "void PREFIX_store_kv<__half, 128>(__half*, int)" => substage kv_cache, stage attention
  "PREFIX_fp8_cache_kernel" => substage kv_cache, stage attention
  "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    => substage communication, stage communication
  @memcpy "Memcpy HtoD (Pageable -> Device)" => substage memcpy, stage copies
}

test ENGINE/base {
  "PREFIX_base_router_kernel" => substage moe_routing
}
)kr";

}  // namespace

std::string starter_rules(std::string_view engine) {
  if (!syntax::is_word(engine)) {
    throw Error("", fmt::format("`{}` cannot be the name of an engine", excerpt(engine, 60)),
                fmt::format("a name is letters, digits, `_` and `-`, beginning with a letter, "
                            "digit or `_`: try `{}`",
                            word_like(engine)));
  }
  std::string prefix(engine);
  std::replace(prefix.begin(), prefix.end(), '-', '_');
  std::string text;
  std::string_view rest = starter;
  while (!rest.empty()) {
    const size_t at = std::min(rest.find("ENGINE"), rest.find("PREFIX"));
    text += rest.substr(0, at);
    if (at >= rest.size()) break;
    text += rest[at] == 'E' ? engine : std::string_view(prefix);
    rest.remove_prefix(at + 6);
  }
  return layout::laid_out(std::move(text));
}

}  // namespace kr::convert
