#include "trace/readers/gpu_trace_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "trace/format.hpp"
#include "trace/ordered_workers.hpp"
#include "trace/readers/csv_merge.hpp"
#include "trace/readers/csv_rows.hpp"
#include "trace/readers/csv_scan.hpp"
#include "trace/readers/csv_sections.hpp"
#include "trace/readers/text_blocks.hpp"

namespace kr {
namespace {

/// A block, and what was found in it by which parser.
struct CsvJob {
  TextBlock block;
  TextPlace place;
  CsvRows rows;
  size_t parser = 0;
  bool restarted = false;  // the parser's numbers begin anew with this block
};

class Reader {
 public:
  Reader(Input& input, TraceBuilder& out, const CsvReading& reading)
      : input_(&input),
        out_(&out),
        blocks_(input, reading.block_size),
        sections_(input, out),
        merge_(out),
        threads_(worker_threads(reading.threads, input.options().threads)) {}

  void run() {
    TextBlock block;
    while (blocks_.next(block)) {
      read_here(block);
      // What is one block is read faster than threads are started.
      if (sections_.layout() && !block.last && threads_ > 1) read_on_threads();
    }
    sections_.finish();
    merge_.finish();
  }

 private:
  using Workers = OrderedWorkers<CsvJob>;

  TextPlace place(const TextBlock& block, size_t used) const {
    return {.shown = &input_->shown(),
            .offset = block.offset + used,
            .line = block.line + tally(block.text().substr(0, used)).newlines,
            .last = block.last,
            .cut_off = block.last && input_->truncated(),
            .allow_truncated = input_->options().allow_truncated};
  }

  // A block in this thread, whatever stands in it. What is left of it comes again.
  void read_here(TextBlock& block) {
    size_t used = 0;
    while (used < block.text().size()) {
      const size_t step = sections_.layout() ? rows_here(block, used) : line_here(block, used);
      if (step == 0) break;
      used += step;
    }
    blocks_.give_back(block, used);
    if (used == 0) blocks_.enlarge();
  }

  size_t rows_here(TextBlock& block, size_t used) {
    const std::string_view text = block.text().substr(used);
    const TextPlace where = place(block, used);
    rows_.clear();
    merge_.restart(0);
    parser_.restart();
    parser_.parse(text, where, *sections_.layout(), rows_);
    merge_.add(rows_, 0);
    sections_.rows(rows_.operations.size());
    if (rows_.stop == CsvRows::Stop::line) {
      return rows_.consumed + line_here(block, used + rows_.consumed);
    }
    if (rows_.stop == CsvRows::Stop::truncated) {
      truncated(where, rows_.consumed);
      return text.size();
    }
    return rows_.consumed;
  }

  // 0 where the block ends within the line.
  size_t line_here(const TextBlock& block, size_t used) {
    const std::string_view text = block.text().substr(used);
    const size_t newline = text.find('\n');
    if (newline == text.npos && !block.last) return 0;
    const size_t size = newline == text.npos ? text.size() : newline + 1;
    sections_.line(text.substr(0, size), place(block, used));
    return size;
  }

  // Rows, until something is met that is none, or the end.
  void read_on_threads() {
    const CsvLayout layout = *sections_.layout();
    Workers workers(threads_, [&layout](size_t number) {
      auto parser = std::make_shared<CsvRowParser>();
      return [&layout, number, parser](CsvJob& job) { parse(*parser, number, layout, job); };
    });
    if (workers.threads() == 0) threads_ = 1;
    for (size_t i = 0; i <= workers.threads(); ++i) merge_.restart(i);
    const TextBlock* uncut = nullptr;  // a row longer than a block
    bool more = workers.threads() != 0;
    while (true) {
      if (CsvJob* job = more ? workers.idle() : nullptr) {
        bool cut = false;
        more = blocks_.next_rows(job->block, cut);
        if (more && cut) {
          job->place = place(job->block, 0);
          workers.submit();
        } else if (more) {
          uncut = &job->block;
          more = false;
        }
        continue;
      }
      CsvJob* job = workers.take();
      if (job == nullptr) break;
      if (!merge_job(*job)) {
        hand_back(workers, *job, uncut);
        return;
      }
      workers.release();
    }
    if (uncut != nullptr) blocks_.give_back(*uncut, 0);
  }

  static void parse(CsvRowParser& parser, size_t number, const CsvLayout& layout, CsvJob& job) {
    job.parser = number + 1;  // 0 is the one of this thread
    job.rows.clear();
    job.restarted = parser.wants_restart();
    if (job.restarted) parser.restart();
    parser.parse(job.block.text(), job.place, layout, job.rows);
  }

  bool merge_job(const CsvJob& job) {
    if (job.restarted) merge_.restart(job.parser);
    merge_.add(job.rows, job.parser);
    sections_.rows(job.rows.operations.size());
    if (job.rows.stop == CsvRows::Stop::truncated) {
      truncated(job.place, job.rows.consumed);
      return true;
    }
    return job.rows.stop == CsvRows::Stop::end;
  }

  // From where `job` stopped, all that was given to threads comes again, to be read here.
  void hand_back(Workers& workers, const CsvJob& job, const TextBlock* uncut) {
    std::vector<const CsvJob*> later;
    while (const CsvJob* next = workers.take_any()) later.push_back(next);
    if (uncut != nullptr) blocks_.give_back(*uncut, 0);
    for (size_t i = later.size(); i-- > 0;) blocks_.give_back(later[i]->block, 0);
    blocks_.give_back(job.block, job.rows.consumed);
  }

  void truncated(const TextPlace& where, size_t at) {
    if (input_->truncated()) return;  // said once, for the compressed file
    out_->warn(fmt::format("{} is cut off: its last row, at byte {}, is not whole and is left out",
                           input_->shown(), where.offset + at));
  }

  Input* input_;
  TraceBuilder* out_;
  TextBlocks blocks_;
  CsvSections sections_;
  CsvMerge merge_;
  CsvRowParser parser_;
  CsvRows rows_;
  unsigned threads_;
};

// Text: nothing that only binary files hold. Names may be any bytes, but a header stands first.
bool sniff(std::string_view head) noexcept {
  size_t line = 0;
  while (line < head.size()) {
    const size_t end = std::min(head.find('\n', line), head.size());
    const std::string_view text = head.substr(line, end - line);
    if (text.find("Start") != text.npos && text.find("Duration") != text.npos) return true;
    line = end + 1;
  }
  return std::none_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' &&
           byte != 0x1b && byte != '\b';
  });
}

constexpr std::array<std::string_view, 1> extensions{".csv"};

void read(Input& input, TraceBuilder& out) {
  read_gpu_trace_csv(input, out);
}

}  // namespace

void read_gpu_trace_csv(Input& input, TraceBuilder& out, const CsvReading& reading) {
  Reader(input, out, reading).run();
  if (input.truncated()) {
    out.warn(fmt::format("{} is cut off: its text ends at byte {}", input.shown(), input.offset()));
  }
}

const Format gpu_trace_csv_format{
    .name = "nsys-gpu-trace-csv",
    .summary = "CSV of `nsys stats --report cuda_gpu_trace` (`gputrace` before 2023)",
    .extensions = extensions,
    .sniff = sniff,
    .any_text = true,
    .read = read};

}  // namespace kr
