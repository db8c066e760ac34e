// Rows as JSON objects, for `json` and `json_lines`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/output_buffer.hpp"

namespace kr::render {

class JsonRows final : public RowSink {
 public:
  /// What stands around the objects and in them.
  struct Frame {
    std::string_view before;   // the first row
    std::string_view between;  // rows
    std::string_view members;  // before the cells of each: `"table":"labels"`
    std::string_view after;    // each row
  };
  JsonRows(OutputBuffer& out, std::span<const Column> columns, const Frame& frame);

  using RowSink::row;
  void row(std::span<const Cell> cells) override;

 private:
  struct Member {
    size_t column;
    bool boolean;
    std::string key;  // with what separates it from what is before it: `,"total_ns":`
  };
  void append(const Cell& cell, bool boolean);
  void append(std::string_view text);

  OutputBuffer& out_;
  std::vector<Member> members_;
  std::string first_;
  std::string next_;
  std::string end_;
  bool any_ = false;
  std::string scratch_;
};

}  // namespace kr::render
