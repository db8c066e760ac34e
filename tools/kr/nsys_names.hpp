// `--nsys-names`: CSV as `nsys stats` prints it, and the names that nsys 2022 has for its reports.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "render/render.hpp"
#include "tables/registry.hpp"

namespace kr::cli {

/// Whether `nsys stats` has a report of that name.
bool is_nsys_report(const table::Info& table);

class NsysNames {
 public:
  NsysNames() = default;
  /// `version`: whose CSV, `2022` or `2023` (and later, as `true`); empty: that of kr. Throws Error
  /// if it is none of these.
  explicit NsysNames(const std::string& version);

  bool wanted() const noexcept { return style_ != render::Alias::none; }
  /// The same list of tables, separated by commas, with ids for former names (`gputrace`), whose
  /// tables are remembered.
  std::string with_ids(const std::string& list);
  /// Throws Error if the tables cannot be printed as nsys does.
  void check(const std::vector<const tables::Definition*>& tables, size_t runs) const;
  render::Alias style_of(const table::Info& table) const;

 private:
  render::Alias style_ = render::Alias::none;
  std::set<std::string> by_former_name_;  // ids
};

}  // namespace kr::cli
