// The text of a CSV on its way through a few blocks: this thread reads (and decompresses) and cuts
// it between rows, others parse, and this one merges what they found in the order of the file.
// Only where something stands that is no row (a header, what a tool prints between tables) is a
// block read here, line by line. So memory is bounded, and the result the same whatever the size of
// blocks and the number of threads.
//
// What a kind of table has to have (`Table`):
//
//     using Layout; using Rows; using Parser;
//     const Layout* layout() const;             the table being read; null outside of one
//     Parser parser() const;                    one a thread
//     bool line(string_view, const TextPlace&); a line that is no row, or stands outside of a
//     table;
//                                               false: with it the rows of a table begin
//     void restart(size_t parser);              that parser has forgotten its numbers
//     void merge(Rows&, size_t parser);         in the order of the file; may throw
//     void row_cut_off(uint64_t offset);        the last row is not whole, and left out
//
// of which Parser has parse(text, place, layout, rows), restart() and wants_restart(), and Rows has
// clear(), consumed and stop.
#pragma once

#include <memory>
#include <vector>

#include "trace/input.hpp"
#include "trace/ordered_workers.hpp"
#include "trace/readers/csv_cursor.hpp"
#include "trace/readers/csv_scan.hpp"
#include "trace/readers/text_blocks.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

struct CsvReading {
  size_t block_size = size_t{256} << 10;
  unsigned threads = 0;  // that parse; 0: by the options of the input
};

/// The last row is not whole, and left out.
void warn_of_row_cut_off(const Input& input, uint64_t offset, TraceBuilder& out);
/// Where the compressed file is cut off.
void warn_where_cut_off(const Input& input, TraceBuilder& out);

template <class Table>
class CsvStream {
 public:
  CsvStream(Input& input, Table& table, const CsvReading& reading)
      : input_(&input),
        table_(&table),
        blocks_(input, reading.block_size),
        parser_(table.parser()),
        threads_(worker_threads(reading.threads, input.options().threads)) {}

  void run() {
    TextBlock block;
    while (blocks_.next(block)) {
      read_here(block);
      // What is one block is read faster than threads are started.
      if (table_->layout() && !block.last && threads_ > 1) read_on_threads();
    }
  }

 private:
  using Layout = typename Table::Layout;
  using Parser = typename Table::Parser;
  using Rows = typename Table::Rows;

  /// A block, and what was found in it by which parser.
  struct Job {
    TextBlock block;
    TextPlace place;
    Rows rows;
    size_t parser = 0;
    bool restarted = false;  // the parser's numbers begin anew with this block
  };
  using Workers = OrderedWorkers<Job>;

  /// `line` is that of the text behind `used` bytes.
  TextPlace place(const TextBlock& block, size_t used, uint64_t line) const {
    return {.shown = &input_->shown(),
            .offset = block.offset + used,
            .line = line,
            .last = block.last,
            .cut_off = block.last && input_->truncated(),
            .allow_truncated = input_->options().allow_truncated};
  }

  // A block in this thread, whatever stands in it. What is left of it comes again.
  void read_here(TextBlock& block) {
    size_t used = 0;
    uint64_t line = block.line;
    while (used < block.text().size()) {
      const bool in_table = table_->layout() != nullptr;
      const size_t step = in_table ? rows_here(block, used, line) : line_here(block, used, line);
      if (step == 0 && (in_table || table_->layout() == nullptr)) break;
      line += tally(block.text().substr(used, step)).newlines;
      used += step;
    }
    blocks_.give_back(block, used);
    if (used == 0) blocks_.enlarge();
  }

  size_t rows_here(TextBlock& block, size_t used, uint64_t line) {
    const std::string_view text = block.text().substr(used);
    const TextPlace where = place(block, used, line);
    rows_.clear();
    table_->restart(0);
    parser_.restart();
    parser_.parse(text, where, *table_->layout(), rows_);
    table_->merge(rows_, 0);
    if (rows_.stop == CsvStop::line) {
      return rows_.consumed + line_here(block, used + rows_.consumed,
                                        line + tally(text.substr(0, rows_.consumed)).newlines);
    }
    if (rows_.stop == CsvStop::truncated) {
      table_->row_cut_off(where.offset + rows_.consumed);
      return text.size();
    }
    return rows_.consumed;
  }

  // 0 where the block ends within the line, or rows begin with it.
  size_t line_here(const TextBlock& block, size_t used, uint64_t line) {
    const std::string_view text = block.text().substr(used);
    const size_t newline = text.find('\n');
    if (newline == text.npos && !block.last) return 0;
    const size_t size = newline == text.npos ? text.size() : newline + 1;
    return table_->line(text.substr(0, size), place(block, used, line)) ? size : 0;
  }

  // Rows, until something is met that is none, or the end.
  void read_on_threads() {
    const Layout layout = *table_->layout();
    Workers workers(threads_, [this, &layout](size_t number) {
      auto parser = std::make_shared<Parser>(table_->parser());
      return [&layout, number, parser](Job& job) { parse(*parser, number, layout, job); };
    });
    if (workers.threads() == 0) threads_ = 1;
    for (size_t i = 0; i <= workers.threads(); ++i) table_->restart(i);
    const TextBlock* uncut = nullptr;  // a row longer than a block
    bool more = workers.threads() != 0;
    while (true) {
      if (Job* job = more ? workers.idle() : nullptr) {
        bool cut = false;
        more = blocks_.next_rows(job->block, cut);
        if (more && cut) {
          job->place = place(job->block, 0, job->block.line);
          workers.submit();
        } else if (more) {
          uncut = &job->block;
          more = false;
        }
        continue;
      }
      Job* job = workers.take();
      if (job == nullptr) break;
      if (!merge(*job)) {
        hand_back(workers, *job, uncut);
        return;
      }
      workers.release();
    }
    if (uncut != nullptr) blocks_.give_back(*uncut, 0);
  }

  static void parse(Parser& parser, size_t number, const Layout& layout, Job& job) {
    job.parser = number + 1;  // 0 is the one of this thread
    job.rows.clear();
    job.restarted = parser.wants_restart();
    if (job.restarted) parser.restart();
    parser.parse(job.block.text(), job.place, layout, job.rows);
  }

  bool merge(Job& job) {
    if (job.restarted) table_->restart(job.parser);
    table_->merge(job.rows, job.parser);
    if (job.rows.stop == CsvStop::truncated) {
      table_->row_cut_off(job.place.offset + job.rows.consumed);
      return true;
    }
    return job.rows.stop == CsvStop::end;
  }

  // From where `job` stopped, all that was given to threads comes again, to be read here.
  void hand_back(Workers& workers, const Job& job, const TextBlock* uncut) {
    std::vector<const Job*> later;
    while (const Job* next = workers.take_any()) later.push_back(next);
    if (uncut != nullptr) blocks_.give_back(*uncut, 0);
    for (size_t i = later.size(); i-- > 0;) blocks_.give_back(later[i]->block, 0);
    blocks_.give_back(job.block, job.rows.consumed);
  }

  Input* input_;
  Table* table_;
  TextBlocks blocks_;
  Parser parser_;
  Rows rows_;
  unsigned threads_;
};

}  // namespace kr::trace
