// Records of a Paraver trace as lines of a `.prv`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/gzip.hpp"
#include "export/paraver_labels.hpp"
#include "export/paraver_records.hpp"
#include "export/paraver_rows.hpp"

namespace kr::exports {

/// In the order of ParaverOrder. What it refers to has its numbers.
class ParaverText {
 public:
  ParaverText(const ParaverLabels& labels, const ParaverRows& rows, int64_t base_ns,
              const ByteSink& write);

  /// The first lines. `utc_ns` is the time of `base_ns`, from 1970, if it is known.
  void header(int64_t duration_ns, std::optional<int64_t> utc_ns);
  void add(const ParaverRecord& record);
  /// Writes the rest.
  void finish();

 private:
  void event(const ParaverRecord& record, bool ends);
  void sample(const ParaverRecord& record);
  void launch(const ParaverRecord& record);
  void pair(int64_t type, int64_t value);
  void number(int64_t value);
  void text(std::string_view text) { buffer_.append(text); }
  void end_line();

  const ParaverLabels& labels_;
  const ParaverRows& rows_;
  int64_t base_ns_;
  const ByteSink& write_;
  std::string buffer_;
  // The line of metrics or counts that is being written.
  bool in_samples_ = false;
  int64_t samples_time_ns_ = 0;
  uint32_t samples_row_ = 0;
};

}  // namespace kr::exports
