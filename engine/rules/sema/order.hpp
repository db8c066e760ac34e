// Sorts declarations so that each comes after all that it refers to, and finds cycles. Not
// recursive: chains of declarations may be as long as a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "diag/diagnostic.hpp"

namespace kr::sema {

/// The maximum number of cycles reported.
inline constexpr size_t max_cycles = 32;

/// `edges[n]` are the nodes that n refers to. Calls `on_cycle(path)` for a reference from
/// `path.back()` to `path.front()` that closes a cycle; the order ignores such a reference.
template <class OnCycle>
std::vector<uint32_t> dependencies_first(const std::vector<std::vector<uint32_t>>& edges,
                                         OnCycle&& on_cycle) {
  enum class State : uint8_t { unseen, open, done };
  struct Frame {
    uint32_t node;
    size_t next;
  };
  std::vector<State> states(edges.size(), State::unseen);
  std::vector<uint32_t> order;
  std::vector<Frame> open;
  size_t cycles = 0;
  order.reserve(edges.size());
  for (uint32_t start = 0; start < edges.size(); ++start) {
    if (states[start] != State::unseen) continue;
    states[start] = State::open;
    open.push_back({start, 0});
    while (!open.empty()) {
      Frame& top = open.back();
      if (top.next == edges[top.node].size()) {
        states[top.node] = State::done;
        order.push_back(top.node);
        open.pop_back();
        continue;
      }
      const uint32_t target = edges[top.node][top.next++];
      if (states[target] == State::unseen) {
        states[target] = State::open;
        open.push_back({target, 0});
      } else if (states[target] == State::open && cycles++ < max_cycles) {
        const auto first = std::ranges::find(open, target, &Frame::node);
        std::vector<uint32_t> path;
        for (auto at = first; at != open.end(); ++at) path.push_back(at->node);
        on_cycle(path);
      }
    }
  }
  return order;
}

/// `a → b → a`; the middle of a long cycle is omitted.
template <class Name>
std::string cycle_text(const std::vector<uint32_t>& path, Name&& name) {
  constexpr size_t shown = 10;
  std::string text;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.size() > shown && i == shown - 2) {
      text += "… → ";
      i = path.size() - 2;
    }
    text += name(path[i]);
    text += " → ";
  }
  return text + name(path.front());
}

/// Reports a cycle of declarations. `word_of` gives the name and place of a node, which is a
/// `noun`.
template <class WordOf>
void report_cycle(diag::Sink& sink, const diag::Code<1>& code, std::string_view noun,
                  const std::vector<uint32_t>& path, WordOf word_of) {
  diag::Diagnostic& added =
      sink.add(code, word_of(path.front()).span,
               cycle_text(path, [&](uint32_t node) { return word_of(node).text; }));
  for (size_t i = 1; i < std::min<size_t>(path.size(), 5); ++i) {
    added.related(word_of(path[i]).span, "through this {}", noun);
  }
}

}  // namespace kr::sema
