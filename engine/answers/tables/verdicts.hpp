// What limits a run, or how far it can be said: the first lines of a report.
//
// All times are sums over devices, all shares are of the spans of all devices (`span_ns` of
// `devices`), whose parts are compute, exposed communication, exposed memory and idle time. A part
// below a tenth of the spans limits nothing. The rules are the functions of verdicts.cpp; what they
// use of a run that does not have it is left out, and a verdict on it with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tables/run.hpp"
#include "tables/source.hpp"

namespace kr::tables {

struct Verdict {
  std::string_view code;     // `host-bound`; verdict_codes
  const Run* run = nullptr;  // null: all runs, which are ranks of one job
  std::string text;          // a sentence without a full stop
  std::string more = {};     // of collectives: collective_headline; may be empty
  /// What it is about, and the spans of all devices; nullopt: it is about the trace, not its time.
  std::optional<int64_t> time_ns = {};
  int64_t span_ns = 0;
  std::string_view table;    // shows the numbers
  std::string finding = {};  // the code of the finding that it tells, if it tells one
};

/// Whether a part of the spans is large enough to limit a run: a tenth.
bool limits(int64_t part_ns, int64_t spans_ns) noexcept;

/// All codes, in the order of the documentation, with what each means.
struct VerdictCode {
  std::string_view code;
  std::string_view doc;
};
const std::vector<VerdictCode>& verdict_codes();

/// By run, or of all runs if they are a job. Of each: first what makes numbers incomplete, then
/// what limits it, by falling time; at least one if there are operations. Uses Idle, Members and
/// Joined where the runs have them.
std::vector<Verdict> verdicts_of(const Source& source);

}  // namespace kr::tables
