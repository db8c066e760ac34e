#include <fmt/format.h>

#include <array>
#include <vector>

#include "analyze/run.hpp"
#include "base/hash.hpp"

namespace kr::analyze {
namespace {

std::string hex(const Hash128& hash) {
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

Hash128 hash_of_operations(const trace::Trace& trace) {
  // Numbers of names are those of reading, which says nothing.
  std::vector<uint64_t> names;
  names.reserve(trace.names.size());
  for (const trace::OperationName& name : trace.names) {
    names.push_back(hash_bytes(name.text) + static_cast<uint64_t>(name.kind));
  }
  struct Record {
    int64_t start_ns, duration_ns;
    uint64_t name;
    int64_t device, stream;
  };
  static_assert(sizeof(Record) == 5 * sizeof(int64_t));
  std::array<Record, 512> block;  // NOLINT: written before it is read
  size_t used = 0;
  Hash128 all;
  const auto take = [&] {
    all.add(hash128({reinterpret_cast<const char*>(block.data()), used * sizeof(Record)}));
    used = 0;
  };
  for (const trace::Operation& operation : trace.operations) {
    const trace::Track& track = trace.track(operation.track);
    block[used++] = {operation.start_ns, operation.duration_ns, names[operation.name.index],
                     track.device, track.stream};
    if (used == block.size()) take();
  }
  take();
  // Of ranks that did nothing, this is all there is.
  const trace::Distributed& info = trace.distributed;
  all.add(static_cast<uint64_t>(info.rank.value_or(-1)));
  all.add(hash128(info.member));
  if (trace.operations.empty()) all.add(hash128(trace.source));
  return all;
}

}  // namespace

facts::Computed<RunIdentity> RunIdentity::compute(const facts::Input& run) {
  Hash128 texts;
  const source::SourceMap& sources = run.rules.sources();
  for (uint32_t i = 0; i < sources.size(); ++i) {
    texts.add(hash128(sources.text(source::FileId{i})));
  }
  return RunIdentity{hex(hash_of_operations(run.trace.trace)), hex(texts)};
}

}  // namespace kr::analyze
