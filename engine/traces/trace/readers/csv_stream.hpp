// The text of a CSV on its way through a few blocks: this thread reads (and decompresses) and cuts
// it between rows, others parse, and this one merges what they found in the order of the file.
// Where something is not a row (a header, what a tool prints between tables), a block
// is read here, line by line. So memory is bounded, and the result the same whatever the size of
// blocks and the number of threads.
//
// What a kind of table has to have (`Table`):
//
//     using Layout; using Rows; using Parser;
//     const Layout* layout() const;              the table being read; null outside of one
//     Parser parser() const;                     one per thread
//     bool line(string_view, const TextPlace&);  a line that is not a row, or outside of a table;
//                                                false: the rows of a table begin with it
//     void merge(Rows&, const TextPlace&);       in the order of the file; may throw
//
// of which Parser has parse(place, layout, rows), which may throw CsvFault, and Rows are a
// CsvProgress.
#pragma once

#include <fmt/format.h>

#include <memory>

#include "trace/input.hpp"
#include "trace/readers/block_reader.hpp"
#include "trace/readers/csv_cursor.hpp"
#include "trace/readers/csv_scan.hpp"
#include "trace/readers/text_blocks.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Where the compressed file is cut off.
inline void warn_where_cut_off(const Input& input, TraceBuilder& out) {
  if (!input.truncated()) return;
  out.warn("truncated",
           fmt::format("{} is cut off: its text ends at byte {}", input.shown(), input.offset()));
}

template <class Table>
class CsvStream {
 public:
  CsvStream(Input& input, TraceBuilder& out, Table& table)
      : input_(&input),
        out_(&out),
        table_(&table),
        blocks_(input),
        parser_(table.parser()),
        threads_(
            worker_threads(input.options().threads, input.compression() != Compression::none)) {}

  void run() {
    TextBlock block;
    while (blocks_.next(block)) {
      read_here(block);
      if (table_->layout() && !block.last) read_rows();
    }
  }

 private:
  using Layout = typename Table::Layout;
  using Parser = typename Table::Parser;
  using Rows = typename Table::Rows;

  /// A text, and what was found in it.
  struct Found {
    TextPlace place;
    Rows rows;
    std::optional<CsvFault> fault;  // behind the rows
  };
  struct Job : Found {
    TextBlock block;
    uint64_t lines = 0;
  };

  /// `line` is that of the text behind `used` bytes.
  TextPlace place(const TextBlock& block, size_t used, uint64_t line) const {
    return {.text = block.text().substr(used),
            .shown = &input_->shown(),
            .offset = block.offset + used,
            .line = line,
            .last = block.last,
            .cut_off = block.last && input_->truncated(),
            .allow_truncated = input_->options().allow_truncated};
  }

  // A block in this thread, whatever is in it. What is left of it comes again.
  void read_here(TextBlock& block) {
    size_t used = 0;
    while (used < block.text().size()) {
      const bool in_table = table_->layout() != nullptr;
      const size_t step = in_table ? rows_here(block, used) : line_here(block, used, line_);
      if (step == 0 && (in_table || table_->layout() == nullptr)) break;
      line_ += line_breaks(block.text().substr(used, step));
      used += step;
    }
    blocks_.give_back(block, used);
    if (used == 0) blocks_.enlarge(line_);
  }

  size_t rows_here(const TextBlock& block, size_t used) {
    here_.place = place(block, used, line_);
    parse(parser_, *table_->layout(), here_);
    merge(here_);
    const size_t consumed = here_.rows.consumed;
    switch (here_.rows.stop) {
      case CsvStop::line:
        return consumed + line_here(block, used + consumed, *here_.place.where(consumed).line);
      case CsvStop::truncated:
        return here_.place.text.size();
      default:
        return consumed;
    }
  }

  static void parse(Parser& parser, const Layout& layout, Found& found) {
    found.fault.reset();
    try {
      parser.parse(found.place, layout, found.rows);
    } catch (CsvFault& fault) {
      found.fault = std::move(fault);
    }
  }

  void merge(Found& found) {
    table_->merge(found.rows, found.place);
    if (found.fault) throw found.place.error(*found.fault);
    // Of a compressed file it is said once.
    if (found.rows.stop == CsvStop::truncated && !input_->truncated()) {
      out_->warn(
          "truncated",
          fmt::format("{} is cut off: its last row, at byte {}, is incomplete and is dropped",
                      input_->shown(), found.place.offset + found.rows.consumed));
    }
  }

  // 0 where the block ends within the line, or rows begin with it.
  size_t line_here(const TextBlock& block, size_t used, uint64_t line) {
    const std::string_view text = block.text().substr(used);
    const size_t newline = text.find('\n');
    if (newline == text.npos && !block.last) return 0;
    const size_t size = newline == text.npos ? text.size() : newline + 1;
    return table_->line(text.substr(0, size), place(block, used, line)) ? size : 0;
  }

  // Rows, until something else is met, or the end. From there on all that was cut comes
  // again.
  void read_rows() {
    const Layout layout = *table_->layout();
    BlockReader<Job> reader(threads_, [&] {
      // A std::function may be copied, which a parser may not.
      const auto parser = std::make_shared<decltype(table_->parser())>(table_->parser());
      return [&layout, parser](Job& job) {
        job.lines = line_breaks(job.place.text);
        parse(*parser, layout, job);
      };
    });
    const auto left = reader.read(
        [&](Job& job) {
          if (!blocks_.next_rows(job.block, quoted_)) return false;
          job.place = place(job.block, 0, 0);
          return true;
        },
        [&](Job& job) {
          job.place.line = line_;
          merge(job);
          if (job.rows.stop == CsvStop::line || job.rows.stop == CsvStop::more) return false;
          line_ += job.lines;
          return true;
        });
    if (left.empty()) return;
    const Job& first = *left[0];
    const size_t used = first.rows.consumed;
    // A line break in a cell was taken for the end of a row.
    quoted_ = quoted_ || first.rows.stop == CsvStop::more;
    line_ = *first.place.where(used).line;
    for (size_t i = left.size(); i-- > 0;) blocks_.give_back(left[i]->block, i == 0 ? used : 0);
  }

  Input* input_;
  TraceBuilder* out_;
  Table* table_;
  TextBlocks blocks_;
  Parser parser_;
  Found here_;
  unsigned threads_;
  uint64_t line_ = 1;    // of what comes next
  bool quoted_ = false;  // cells contain line breaks
};

}  // namespace kr::trace
