#include "session/numbered_rows.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_set>

#include "tables/operations.hpp"

namespace kr::session {
namespace {

class KeptRows : public NumberedRows, private RowSink {
 public:
  explicit KeptRows(Table table) : table_(std::move(table)) {}

  void prepare() override {
    if (ready_) return;
    table_.write(*this);
    ready_ = true;
  }
  size_t size() const override { return cells_.size() / table_.columns().size(); }
  Cell cell(size_t row, size_t column) override {
    return cells_[row * table_.columns().size() + column];
  }

 private:
  void row(std::span<const Cell> cells) override {
    for (const Cell& cell : cells) {
      const auto* text = std::get_if<std::string_view>(&cell);
      cells_.push_back(text != nullptr ? Cell(*texts_.emplace(*text).first) : cell);
    }
  }

  Table table_;
  bool ready_ = false;
  std::vector<Cell> cells_;
  std::unordered_set<std::string> texts_;
};

/// Runs one after the other.
class AllOperations : public NumberedRows {
 public:
  explicit AllOperations(const tables::Source& source) : source_(source) {}

  void prepare() override {
    if (!runs_.empty()) return;
    for (const tables::Run& run : source_.runs) {
      first_.push_back(size_);
      size_ += runs_.emplace_back(source_, run).size();
    }
  }
  size_t size() const override { return size_; }
  Cell cell(size_t row, size_t column) override {
    if (runs_.size() == 1) return runs_[0].cell(row, column);
    const auto after = std::upper_bound(first_.begin(), first_.end(), row);
    const auto run = static_cast<size_t>(after - first_.begin()) - 1;
    return runs_[run].cell(row - first_[run], column);
  }
  // Those of several runs would have to be merged.
  bool can_order(size_t column) const override {
    return source_.runs.size() == 1 && column < orders_known_;
  }
  const std::vector<uint32_t>* ordered(size_t column, bool descending) override {
    if (!can_order(column)) return nullptr;
    auto& order = orders_[{column, descending}];
    if (order.empty()) order = runs_[0].ordered(column, descending);
    return &order;
  }

 private:
  const tables::Source& source_;
  size_t orders_known_ = 3 + tables::dimensions_of(source_).size();
  std::deque<tables::OperationRows> runs_;
  std::vector<size_t> first_;  // row of each run
  size_t size_ = 0;
  std::map<std::pair<size_t, bool>, std::vector<uint32_t>> orders_;  // by column and direction
};

}  // namespace

std::unique_ptr<NumberedRows> numbered_rows(Table table, const tables::Source& source) {
  if (table.id() == "operations") return std::make_unique<AllOperations>(source);
  return std::make_unique<KeptRows>(std::move(table));
}

}  // namespace kr::session
