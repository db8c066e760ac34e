// Traces written down in a test.
#pragma once

#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace kr::test {

struct Event {
  int64_t start_ns;
  int64_t duration_ns;
  std::string name;
  int32_t device = 0;
  OperationKind kind = OperationKind::kernel;
};

inline trace::Trace make_trace(const std::vector<Event>& events,
                               const std::string& model_text = {}) {
  trace::TraceBuilder builder("test.csv", "test");
  for (const Event& event : events) {
    builder.add({event.start_ns, event.duration_ns, builder.name(event.name, event.kind),
                 builder.track({event.device, 7, "GPU"})});
  }
  builder.model_text(model_text);
  return std::move(builder).finish();
}

}  // namespace kr::test
