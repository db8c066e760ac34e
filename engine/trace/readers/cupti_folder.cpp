#include "trace/readers/cupti_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "base/utf8.hpp"
#include "trace/readers/cupti_table.hpp"
#include "trace/refuse.hpp"

namespace kr::trace {
namespace {

constexpr const char* names_wanted =
    "name a file in it, or a folder with kernel.csv or conc_kernel.csv and, if available, "
    "cuda_runtime.csv, cuda_driver.csv, gpu_memcpy.csv, gpu_memset.csv";
constexpr size_t most_listed = 3;

struct Member {
  std::string path;
  std::string name;
  CuptiFileName told;
  std::unique_ptr<Input> input;
};

struct Listing {
  std::vector<Member> members;       // by kind, then name
  std::vector<std::string> unknown;  // CSVs that are something else
  std::vector<std::string> folders;
};

std::string some_of(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size() && i < most_listed; ++i) {
    out += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > most_listed ? out + ", …" : out;
}

Listing list(const Input& folder) {
  using std::filesystem::file_type;
  Listing out;
  for (Input::Entry& entry : folder.entries()) {
    if (entry.type == file_type::directory) {
      out.folders.push_back(std::move(entry.name));
      continue;
    }
    if (!names_csv(entry.name)) continue;
    const auto told = cupti_file_name(entry.name);
    // A pipe would be waited for; a link that leads nowhere is reported when it is opened.
    const bool file = entry.type == file_type::regular || entry.type == file_type::not_found;
    if (!told || !file) {
      out.unknown.push_back(std::move(entry.name));
    } else {
      out.members.push_back({std::move(entry.path), std::move(entry.name), *told, nullptr});
    }
  }
  std::stable_sort(out.members.begin(), out.members.end(),
                   [](const Member& a, const Member& b) { return a.told.kind < b.told.kind; });
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

class FolderReader {
 public:
  FolderReader(const Input& folder, TraceBuilder& out)
      : folder_(&folder), out_(&out), listing_(list(folder)) {}

  void run(const CsvReading& reading) {
    open_members();
    check_members();
    CuptiMerge merge(*out_, folder_->options().host);
    for (const Member& member : listing_.members) {
      CuptiTable table(*member.input, *out_, merge, member.told.kind, member.name + ": ");
      stream_cupti(*member.input, *out_, table, reading);
    }
    merge.finish();
    tell_unknown();
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
      const Head head = head_of(*member.input, member.told.kind);
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
      if (head_of(*member.input, member.told.kind) == Head::nothing) continue;
      for (size_t j = 0; j < i; ++j) {
        const Member& other = listing_.members[j];
        if (other.told.kind == member.told.kind && other.told.word == member.told.word) {
          throw Error(folder_->path(),
                      fmt::format("contains two files of {}: {} and {}",
                                  plural_of(member.told.kind), other.name, member.name),
                      "one folder is one run: use a separate folder for each rank or process");
        }
      }
      if (member.told.kind == CuptiKind::kernel) kernels.push_back(member.name);
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

  void tell_unknown() {
    if (listing_.unknown.empty()) return;
    std::sort(listing_.unknown.begin(), listing_.unknown.end());
    const size_t count = listing_.unknown.size();
    out_->loss("CSV without CUPTI activity", 0, count);
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

}  // namespace

void read_cupti_folder(Input& folder, TraceBuilder& out, const CsvReading& reading) {
  FolderReader(folder, out).run(reading);
}

}  // namespace kr::trace
