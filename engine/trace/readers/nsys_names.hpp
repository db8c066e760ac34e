// Names and tracks of the rows of an nsys export, names as `nsys stats` of 2023 and later spells
// them. A string is looked up once, when its id is first met.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/sqlite.hpp"
#include "base/hash.hpp"
#include "trace/readers/nsys_rows.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Names by what the rows of one table hold for them: small numbers by place, others by search.
class NameMemory {
 public:
  NameId find(int64_t id) const {
    if (id >= 0 && id < static_cast<int64_t>(small_.size())) return small_[static_cast<size_t>(id)];
    const auto known = large_.find(id);
    return known == large_.end() ? NameId{} : known->second;
  }
  void add(int64_t id, NameId name);

 private:
  std::vector<NameId> small_;
  std::unordered_map<int64_t, NameId, NumberHash> large_;
};

class NsysNames {
 public:
  NsysNames(const sqlite::Database& database, const NsysSchema& schema, TraceBuilder& out);

  NameId name(const NsysRows& rows, const NsysRow& row);
  TrackId track(const NsysRow& row);
  /// A string of the export; false where there is none of that id. Prepared once: a table may have
  /// any number of columns and indices.
  bool find_string(int64_t id, std::string& text);
  /// Tells the losses it met. The schema has to be there still.
  void finish();

 private:
  struct Unnamed {
    uint64_t count = 0;
    int64_t first_id = 0;
  };
  NameId by_id(NsysTable table, int64_t id);
  std::string kernel(int64_t id, bool& named);
  std::string copy(int64_t kind, bool& named) const;
  void read_copy_labels(const NsysSchema& schema);
  void read_devices(const NsysSchema& schema);
  void read_all_strings();
  uint64_t first_row(NsysTable table, int64_t id) const;

  const sqlite::Database* database_;
  const NsysSchema* schema_;
  TraceBuilder* out_;
  bool strings_ = false;
  bool strings_have_key_ = false;
  std::optional<sqlite::Statement> find_string_;
  std::unordered_map<int64_t, std::string, NumberHash> all_strings_;  // where they have no key
  std::map<int64_t, std::string> copy_labels_;
  std::unordered_map<int64_t, std::string, NumberHash> devices_;

  std::array<NameMemory, nsys_table_count> met_;
  std::unordered_map<uint32_t, NsysTable> made_up_;  // NameIds that stand for no string
  std::array<Unnamed, nsys_table_count> unnamed_;
  uint64_t nameless_ = 0;

  struct SeenTrack {
    int32_t device = 0;
    int64_t stream = 0;
    TrackId id;
  };
  std::array<SeenTrack, 64> seen_tracks_;
};

}  // namespace kr::trace
