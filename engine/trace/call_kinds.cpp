#include "trace/call_kinds.hpp"

#include <array>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

std::string_view drop_end(std::string_view text, std::string_view end) {
  return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

/// `_v3020`, `_v2`.
std::string_view drop_version(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  return digits < name.size() ? drop_end(name.substr(0, digits), "_v") : name;
}

struct WaitingCall {
  std::string_view name;  // behind `cuda`, `cu` or `hip`
  CallKind kind;
};
constexpr std::array waiting_calls{WaitingCall{"StreamSynchronize", CallKind::stream_synchronize},
                                   WaitingCall{"DeviceSynchronize", CallKind::device_synchronize},
                                   WaitingCall{"ThreadSynchronize", CallKind::device_synchronize},
                                   WaitingCall{"CtxSynchronize", CallKind::device_synchronize},
                                   WaitingCall{"EventSynchronize", CallKind::event_synchronize}};

}  // namespace

CallKind call_kind_of(std::string_view name) noexcept {
  for (const std::string_view head : {"cuda", "cu", "hip"}) {
    if (!name.starts_with(head)) continue;
    std::string_view rest = name.substr(head.size());
    if (rest.starts_with("Memcpy")) return CallKind::copy;
    rest = drop_version(rest);
    rest = drop_version(drop_end(drop_end(rest, "_ptsz"), "_ptds"));
    for (const WaitingCall& one : waiting_calls) {
      if (rest == one.name) return one.kind;
    }
  }
  return CallKind::other;
}

}  // namespace kr::trace
