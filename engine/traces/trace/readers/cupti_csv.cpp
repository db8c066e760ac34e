// Activity records of CUPTI as CSV: one file per kind of activity (`conc_kernel.csv` or
// `kernel.csv`, `cuda_runtime.csv`, `cuda_driver.csv`, `gpu_memcpy.csv`, `gpu_memset.csv`), all of
// one run in a folder, or one such file by itself.
//
// Nobody's format: scripts write them from buffers of CUPTI, from tables of an nsys export
// (`CUPTI_ACTIVITY_KIND_KERNEL`), or from the events of a Chrome trace by category, with `ts`,
// `dur` and `args`. Fields are those of CUPTI's documentation (`CUpti_ActivityKernel`,
// `CUpti_ActivityMemcpy`, `CUpti_ActivityAPI`).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "base/utf8.hpp"
#include "trace/format.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/readers/cupti_merge.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

/// A file of CUPTI activity, for a CsvStream: its first row is its header, all others are records.
class CuptiTable {
 public:
  using Layout = CuptiLayout;
  using Rows = CuptiRows;
  using Parser = CuptiRowParser;

  /// `kind`: if the file's name shows it. `dropped_prefix`: see CuptiMerge::file.
  CuptiTable(Input& input, TraceBuilder& out, CuptiMerge& merge, std::optional<CuptiKind> kind,
             std::string dropped_prefix)
      : input_(&input),
        out_(&out),
        merge_(&merge),
        kind_(kind),
        dropped_prefix_(std::move(dropped_prefix)) {}

  /// To its end.
  void read() {
    CsvStream(*input_, *out_, *this).run();
    warn_where_cut_off(*input_, *out_);
  }

  const CuptiLayout* layout() const { return layout_ ? &*layout_ : nullptr; }
  CuptiRowParser parser() const { return {input_->options().host, input_->options().strict}; }
  /// The header, or what comes before it: blank lines and comments (`#`). Throws Error
  /// where it cannot be used.
  bool line(std::string_view text, const TextPlace& place) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(3);
    const std::string_view bare = trimmed(text);
    if (bare.empty() || bare.starts_with('#')) return true;
    CsvRow row;
    row.read(bare);
    if (row.end != CsvRow::End::text_ended) {
      throw Error(input_->shown(), place.where(),
                  fmt::format("is not the header of a CSV: {}", shown_text(bare)),
                  "the first row has to name the columns");
    }
    CuptiHeader titles = read_cupti_header(row.cells, kind_);
    if (!titles.fault.empty()) {
      throw Error(input_->shown(), place.where(), std::move(titles.fault),
                  std::move(titles.remedy));
    }
    layout_ = std::move(titles.layout);
    const bool placeless = !layout_->device && !layout_->args;
    if (placeless && !is_call(layout_->kind)) {
      out_->warn(
          "no-device-column",
          fmt::format(
              "{} has no column for the device: all of it is read as the work of one device.",
              input_->shown()));
    }
    constexpr int milliseconds = 6;
    if (layout_->coarsest() >= milliseconds) {
      out_->inexact(fmt::format("times of {} are printed in {}", input_->shown(),
                                layout_->coarsest() == milliseconds ? "milliseconds" : "seconds"));
    }
    merge_->file(input_->shown(), dropped_prefix_, *layout_);
    return true;
  }
  void merge(CuptiRows& rows, const TextPlace& place) { merge_->add(rows, place); }

 private:
  Input* input_;
  TraceBuilder* out_;
  CuptiMerge* merge_;
  std::optional<CuptiKind> kind_;
  std::string dropped_prefix_;
  std::optional<CuptiLayout> layout_;
};

constexpr const char* names_wanted =
    "name a file in it, or a folder with kernel.csv or conc_kernel.csv and, if available, "
    "cuda_runtime.csv, cuda_driver.csv, gpu_memcpy.csv, gpu_memset.csv";

struct Member {
  std::string path;
  std::string name;
  CuptiFileName file_name;
  std::unique_ptr<Input> input;
};

struct Listing {
  std::vector<Member> members;       // by kind, then name
  std::vector<std::string> unknown;  // CSVs that are something else
  std::vector<std::string> folders;
};

Listing list(const Input& folder) {
  using std::filesystem::file_type;
  Listing out;
  for (Input::Entry& entry : folder.entries()) {
    if (entry.type == file_type::directory) {
      out.folders.push_back(std::move(entry.name));
      continue;
    }
    if (!names_csv(entry.name)) continue;
    const auto file_name = cupti_file_name(entry.name);
    // A pipe would be waited for; a link that leads nowhere is reported when it is opened.
    const bool file = entry.type == file_type::regular || entry.type == file_type::not_found;
    if (!file_name || !file) {
      out.unknown.push_back(std::move(entry.name));
    } else {
      out.members.push_back({std::move(entry.path), std::move(entry.name), *file_name, nullptr});
    }
  }
  std::stable_sort(out.members.begin(), out.members.end(), [](const Member& a, const Member& b) {
    return a.file_name.kind < b.file_name.kind;
  });
  return out;
}

/// What a text begins with: columns of activity, those of something else, or nothing.
enum class Head { activity, other, nothing };

Head head_of(const Input& input, CuptiKind kind) {
  std::string_view head = input.head();
  if (head.starts_with(byte_order_mark)) head.remove_prefix(3);
  while (!head.empty()) {
    const size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = trimmed(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
    if (line.empty() || line.starts_with('#')) continue;
    CsvRow row;
    row.read(line);
    const CuptiLayout layout = read_cupti_header(row.cells, kind).layout;
    const bool any_time = !layout.start.title.empty() || layout.end || layout.duration;
    return any_time || layout.correlation ? Head::activity : Head::other;
  }
  return Head::nothing;
}

/// Kinds of GPU work are read before the calls that launched them, each file by itself and all into
/// one trace.
class FolderReader {
 public:
  FolderReader(const Input& folder, TraceBuilder& out)
      : folder_(&folder), out_(&out), listing_(list(folder)) {}

  void run() {
    open_members();
    check_members();
    CuptiMerge merge(*out_, folder_->options().host);
    for (const Member& member : listing_.members) {
      CuptiTable(*member.input, *out_, merge, member.file_name.kind, member.name + ": ").read();
    }
    merge.finish();
    report_unknown();
    if (out_->operations() == 0) {
      out_->warn("no-gpu-work",
                 "The folder contains no GPU work: it has no rows of kernels, copies or sets.");
    }
  }

 private:
  // All at once, so that how much there is to read is known.
  void open_members() {
    std::vector<Member> opened;
    opened.reserve(listing_.members.size());
    for (Member& member : listing_.members) {
      member.input = std::make_unique<Input>(member.path, folder_->options());
      const std::string_view text = member.input->head();
      if (auto refusal = text.empty() ? std::nullopt : refusal_of(text)) {
        throw Error(member.path, std::move(refusal->why), std::move(refusal->remedy));
      }
      const Head head = head_of(*member.input, member.file_name.kind);
      if (head == Head::other) {
        listing_.unknown.push_back(std::move(member.name));
        continue;
      }
      if (text.empty()) empty_.push_back(member.name);
      opened.push_back(std::move(member));
    }
    listing_.members = std::move(opened);
  }

  void check_members() {
    if (listing_.members.empty()) none();
    std::vector<std::string> kernels;
    for (size_t i = 0; i < listing_.members.size(); ++i) {
      const Member& member = listing_.members[i];
      if (head_of(*member.input, member.file_name.kind) == Head::nothing) continue;
      for (size_t j = 0; j < i; ++j) {
        const Member& other = listing_.members[j];
        if (other.file_name.kind == member.file_name.kind &&
            other.file_name.word == member.file_name.word) {
          throw Error(folder_->path(),
                      fmt::format("contains two files of {}: {} and {}",
                                  plural_of(member.file_name.kind), other.name, member.name),
                      "one folder is one run: use a separate folder for each rank or process");
        }
      }
      if (member.file_name.kind == CuptiKind::kernel) kernels.push_back(member.name);
    }
    if (kernels.size() > 1) {
      out_->warn("repeated-files", fmt::format("{} all contain kernels; a kernel that is in "
                                               "several of them is counted several times.",
                                               some_of(kernels)));
    }
    if (!empty_.empty()) {
      out_->warn("empty-files", fmt::format("{} {} empty (0 bytes).", some_of(empty_),
                                            empty_.size() == 1 ? "is" : "are"));
    }
  }

  [[noreturn]] void none() const {
    std::string why = "is a folder, not a trace, and contains no CSV of CUPTI activity";
    if (!listing_.unknown.empty()) {
      why += fmt::format(" (its CSVs are {})", some_of(listing_.unknown));
    } else if (!listing_.folders.empty()) {
      why += fmt::format(" (there are folders in it: {})", some_of(listing_.folders));
    }
    throw Error(folder_->path(), why, names_wanted);
  }

  void report_unknown() {
    if (listing_.unknown.empty()) return;
    std::sort(listing_.unknown.begin(), listing_.unknown.end());
    const size_t count = listing_.unknown.size();
    out_->add_dropped("CSV without CUPTI activity", 0, count);
    out_->warn("skipped-files",
               fmt::format("{} in the folder {} no CUPTI activity and {} skipped: {}.",
                           plural(count, "CSV"), count == 1 ? "contains" : "contain",
                           count == 1 ? "was" : "were", some_of(listing_.unknown)));
  }

  const Input* folder_;
  TraceBuilder* out_;
  Listing listing_;
  std::vector<std::string> empty_;
};

void read_cupti_csv(Input& input, TraceBuilder& out) {
  if (input.folder()) return FolderReader(input, out).run();
  std::optional<CuptiKind> kind;
  if (const auto name = cupti_file_name(input.path())) kind = name->kind;
  CuptiMerge merge(out, input.options().host);
  CuptiTable table(input, out, merge, kind, "");
  table.read();
  merge.finish();
  if (table.layout() && is_call(table.layout()->kind)) {
    out.warn(
        "no-gpu-work",
        fmt::format("{} contains {} but no GPU work: name the folder that contains the kernels.",
                    input.shown(), plural_of(table.layout()->kind)));
  } else if (out.operations() == 0) {
    out.warn("no-gpu-work",
             "The file contains no GPU work: it has no rows of kernels, copies or sets.");
  }
}

constexpr std::array<std::string_view, 1> cupti_csv_extensions{".csv"};

}  // namespace

const TraceFormat cupti_csv_format{
    .name = "cupti-csv",
    .kind = "CUPTI activity CSV",
    .summary =
        "CSVs of CUPTI activity: a folder of them (conc_kernel or kernel, cuda_runtime, "
        "cuda_driver, gpu_memcpy, gpu_memset), or one",
    .extensions = cupti_csv_extensions,
    .carries = "launches, streams",
    .sniff = may_be_cupti_csv,
    .read = read_cupti_csv,
    .folders = true};

}  // namespace kr::trace
