// Rows of the CSVs of rocprofv3 to operations, calls and ranges: what one thread does with one
// block of text.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/open.hpp"
#include "trace/readers/block_rows.hpp"
#include "trace/readers/csv_cursor.hpp"
#include "trace/readers/rocprof_layout.hpp"

namespace kr::trace {

/// A GPU as agent_info.csv has it.
struct RocprofAgent {
  int32_t gpu = 0;
  std::string name;
};

/// What is known of a file before its rows.
struct RocprofFile {
  std::string member;                      // of all rows, unless they have a guid; may be empty
  std::map<int64_t, RocprofAgent> agents;  // by the number of a node; empty: not known
};

struct RocprofRows : BlockRows, CsvProgress {
  std::vector<std::string> members;  // those met, as `member_of` numbers them
  std::vector<uint32_t> member_of;   // by operation, then by launch
  std::vector<int64_t> dispatches;   // of counters, by operation
  std::set<std::string> counters;
  uint64_t of_tracer = 0;  // its own calls, which are left out
};

class RocprofRowParser {
 public:
  /// The file has to outlive it.
  RocprofRowParser(const OpenOptions& options, const RocprofFile& file)
      : host_(options.host),
        details_(options.operation_details),
        strict_(options.strict),
        file_(&file) {}

  /// Times of operations that cannot be right are marked (trace/time_fault.hpp). Throws CsvFault at
  /// the first row that breaks the format, and if `strict`, at such times.
  void parse(const TextPlace& place, const RocprofLayout& layout, RocprofRows& out);

 private:
  struct Times {
    int64_t start_ns = 0;
    int64_t duration_ns = 0;
    bool right = true;
  };
  struct RangeName {
    uint32_t number = 0;
    bool module = false;
  };

  size_t row(size_t at);
  void take();
  void add_operation();
  void add_call();
  Times times(bool of_host);
  TrackId track();
  const RocprofAgent* gpu(const std::optional<size_t>& column, int64_t& number);
  uint32_t member();
  int64_t correlation();
  uint32_t thread();
  uint32_t detail();
  RangeName range(std::string_view text);
  std::string_view cell(const std::optional<size_t>& column) const {
    return column ? cursor_.row().cells[*column] : std::string_view();
  }
  std::optional<int64_t> number_in(const std::optional<size_t>& column) const;
  void add_dropped(std::string_view what) { out_->add_dropped(what, cursor_.place().offset + at_); }

  HostDetail host_;
  bool details_;
  bool strict_;
  const RocprofFile* file_;
  CsvCursor cursor_;
  const RocprofLayout* layout_ = nullptr;
  RocprofRows* out_ = nullptr;
  size_t at_ = 0;  // of the row

  // What is known by the numbers of `ids_`.
  LocalIds ids_;
  std::map<std::string, uint32_t, std::less<>> members_;
  std::vector<std::string> member_names_;
};

}  // namespace kr::trace
