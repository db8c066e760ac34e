#include "trace/readers/cupti_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "trace/readers/csv_cursor.hpp"
#include "trace/readers/csv_layout.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

using Words = std::span<const std::string_view>;

// The preferred ones first.
constexpr std::array start_words{"start"sv,     "starttime"sv, "starttimestamp"sv, "begin"sv,
                                 "begintime"sv, "ts"sv,        "timestamp"sv};
constexpr std::array end_words{"end"sv,  "endtime"sv,  "endtimestamp"sv, "endts"sv,
                               "stop"sv, "stoptime"sv, "finish"sv};
constexpr std::array duration_words{"dur"sv, "duration"sv, "elapsed"sv, "elapsedtime"sv};
constexpr std::array operation_words{"name"sv,   "kernelname"sv, "demangledname"sv, "mangledname"sv,
                                     "kernel"sv, "shortname"sv,  "symbol"sv,        "symbolname"sv};
constexpr std::array call_words{"name"sv,     "apiname"sv,      "functionname"sv, "function"sv,
                                "callname"sv, "callbackname"sv, "api"sv,          "nameid"sv};
constexpr std::array copy_kind_words{"copykind"sv, "memcpykind"sv, "copykindname"sv};
constexpr std::array call_id_words{"cbid"sv, "callbackid"sv};
constexpr std::array id_words{"demangledname"sv, "mangledname"sv, "shortname"sv, "nameid"sv};
constexpr std::array correlation_words{"correlation"sv, "correlationid"sv, "corrid"sv, "corr"sv};
constexpr std::array device_words{"deviceid"sv, "devid"sv, "gpuid"sv, "device"sv, "dev"sv, "gpu"sv};
constexpr std::array stream_words{"streamid"sv, "stream"sv, "strm"sv};
constexpr std::array process_words{"processid"sv, "pid"sv, "process"sv, "globalpid"sv};
constexpr std::array thread_words{"threadid"sv, "tid"sv, "thread"sv, "globaltid"sv};
constexpr std::array args_words{"args"sv};
// Of no GPU operation but a kernel.
constexpr std::array launch_words{"grid"sv, "gridx"sv, "block"sv, "blockx"sv,
                                  "registersperthread"sv};

struct Unit {
  std::string_view name;
  int exponent;
};
constexpr std::array units{Unit{"ns", 0},          Unit{"nsec", 0},         Unit{"nsecs", 0},
                           Unit{"nanosecond", 0},  Unit{"nanoseconds", 0},  Unit{"us", 3},
                           Unit{"usec", 3},        Unit{"usecs", 3},        Unit{"\xc2\xb5s", 3},
                           Unit{"\xce\xbcs", 3},   Unit{"microsecond", 3},  Unit{"microseconds", 3},
                           Unit{"ms", 6},          Unit{"msec", 6},         Unit{"msecs", 6},
                           Unit{"millisecond", 6}, Unit{"milliseconds", 6}, Unit{"sec", 9},
                           Unit{"secs", 9},        Unit{"second", 9},       Unit{"seconds", 9}};

bool holds(Words words, std::string_view word) noexcept {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<int> cupti_exponent(std::string_view unit) {
  if (unit == "s") return 9;
  for (const Unit& known : units) {
    if (known.name == unit) return known.exponent;
  }
  return std::nullopt;
}

/// A column's title, taken apart.
struct CuptiTitle {
  std::string word;               // letters and digits, in lower case
  std::optional<std::string> in;  // what is in brackets at its end, in lower case
};

CuptiTitle cupti_title(std::string_view text) {
  CuptiTitle title;
  text = trimmed(text);
  const bool bracketed = text.ends_with(')') || text.ends_with(']');
  const size_t open = bracketed ? text.rfind(text.back() == ')' ? '(' : '[') : text.npos;
  if (open != text.npos) {
    title.in = lowered(trimmed(text.substr(open + 1, text.size() - open - 2)));
    text = text.substr(0, open);
  }
  for (const char c : text) {
    const char small = lower(c);
    const bool kept =
        is_lower(small) || is_digit(small) || static_cast<unsigned char>(small) >= 0x80;
    if (kept) title.word += small;
  }
  return title;
}

/// The word of a time without the unit at its end, and that unit.
struct TimeTitle {
  std::string_view word;
  std::optional<int> exponent;
  bool unknown_unit = false;
};

TimeTitle time_title(const CuptiTitle& title, Words words) {
  if (holds(words, title.word)) {
    if (!title.in) return {title.word, {}};
    const auto exponent = cupti_exponent(*title.in);
    return {title.word, exponent, !exponent};
  }
  for (const Unit& unit : units) {
    std::string_view word = title.word;
    if (!word.ends_with(unit.name)) continue;
    word.remove_suffix(unit.name.size());
    if (holds(words, word)) return {word, unit.exponent};
  }
  return {};
}

std::string listed_titles(const std::vector<std::string>& titles) {
  std::string out;
  for (const std::string& title : titles) {
    out += out.empty() ? "" : ", ";
    out += title.empty() ? "(a column without a name)" : shown_text(title);
  }
  return out;
}

class HeaderReader {
 public:
  HeaderReader(const std::vector<std::string_view>& titles, std::optional<CuptiKind> kind)
      : kind_(kind) {
    titles_.reserve(titles.size());
    header_.layout.titles.reserve(titles.size());
    for (const std::string_view title : titles) {
      titles_.push_back(cupti_title(title));
      header_.layout.titles.emplace_back(trimmed(title));
    }
  }

  CuptiHeader read() {
    CuptiLayout& layout = header_.layout;
    const auto start = time("start", start_words);
    layout.end = time("end", end_words);
    layout.duration = time("duration", duration_words);
    layout.correlation = column("correlation", correlation_words);
    layout.device = column("device", device_words);
    layout.stream = column("stream", stream_words);
    layout.process = column("process", process_words);
    layout.thread = column("thread", thread_words);
    layout.copy_kind = column("kind of copy", copy_kind_words);
    layout.call_id = column("callback", call_id_words);
    layout.args = column("`args`", args_words);
    layout.kind = kind_.value_or(kind_by_columns());
    const Words names = is_call(layout.kind) ? Words(call_words) : Words(operation_words);
    layout.name = column("name", names);
    layout.name_is_id = layout.name && holds(id_words, titles_[*layout.name].word);
    if (start) layout.start = *start;
    require(start.has_value(), "start", "`start`, `start_ns`, `start (us)` or `ts`");
    require(layout.end || layout.duration, "end and none for the duration",
            "`end`, `dur` or `duration`");
    const bool nameless = layout.kind == CuptiKind::memcpy || layout.kind == CuptiKind::memset;
    require(layout.name || nameless || (is_call(layout.kind) && layout.call_id), "name", "`name`");
    if (start) settle_units();
    return std::move(header_);
  }

 private:
  void fault(std::string why, std::string remedy) {
    if (!header_.fault.empty()) return;
    header_.fault = std::move(why);
    header_.remedy = std::move(remedy);
  }

  void require(bool there, std::string_view what, std::string_view spellings) {
    if (there) return;
    fault(fmt::format("the header has no column for the {}; it has {}", what,
                      listed_titles(header_.layout.titles)),
          fmt::format("name it {}", spellings));
  }

  void twice(std::string_view what, size_t first, size_t second) {
    fault(fmt::format("the header has two columns for the {}: `{}` and `{}`", what,
                      shown_text(header_.layout.titles[first]),
                      shown_text(header_.layout.titles[second])),
          "remove one of them");
  }

  std::optional<CuptiTime> time(std::string_view what, Words words) {
    std::optional<CuptiTime> best;
    size_t best_rank = words.size();
    for (size_t i = 0; i < titles_.size(); ++i) {
      const TimeTitle found = time_title(titles_[i], words);
      if (found.word.empty()) continue;
      const auto rank =
          static_cast<size_t>(std::find(words.begin(), words.end(), found.word) - words.begin());
      if (best && rank == best_rank) twice(what, best->column, i);
      if (best && rank >= best_rank) continue;
      best_rank = rank;
      best = CuptiTime{i, found.exponent, header_.layout.titles[i]};
      if (found.unknown_unit) {
        fault(fmt::format("`{}` is in an unknown unit", shown_text(best->title)),
              "known units are ns, us, ms and s");
      }
    }
    if (best && words[best_rank] == "ts") chrome_ = true;
    return best;
  }

  std::optional<size_t> column(std::string_view what, Words words) {
    for (const std::string_view word : words) {
      std::optional<size_t> found;
      for (size_t i = 0; i < titles_.size(); ++i) {
        if (titles_[i].word != word) continue;
        if (found) twice(what, *found, i);
        found = i;
      }
      if (found) return found;
    }
    return std::nullopt;
  }

  CuptiKind kind_by_columns() {
    const CuptiLayout& layout = header_.layout;
    if (layout.copy_kind) return CuptiKind::memcpy;
    const bool launched = std::any_of(titles_.begin(), titles_.end(), [](const CuptiTitle& title) {
      return holds(launch_words, title.word);
    });
    const bool kernels = launched || layout.device || layout.stream || layout.args;
    return kernels ? CuptiKind::kernel : CuptiKind::runtime;
  }

  // A column whose title has no unit is in that of the others; where none has, Chrome's names mean
  // microseconds.
  void settle_units() {
    CuptiLayout& layout = header_.layout;
    std::optional<int> exponent = layout.start.exponent;
    if (!exponent && layout.end) exponent = layout.end->exponent;
    if (!exponent && layout.duration) exponent = layout.duration->exponent;
    if (!exponent && chrome_) exponent = 3;
    if (!exponent) return;
    const auto settle = [&](CuptiTime& time) { time.exponent = time.exponent.value_or(*exponent); };
    settle(layout.start);
    if (layout.end) settle(*layout.end);
    if (layout.duration) settle(*layout.duration);
  }

  CuptiHeader header_;
  std::vector<CuptiTitle> titles_;
  std::optional<CuptiKind> kind_;
  bool chrome_ = false;
};

/// A word, or two of them, that a file's name may contain.
struct FileWord {
  std::string_view words;
  CuptiKind kind;
};
// Two words are tried before one.
constexpr std::array double_words{
    FileWord{"conc_kernel", CuptiKind::kernel}, FileWord{"concurrent_kernel", CuptiKind::kernel},
    FileWord{"gpu_kernel", CuptiKind::kernel},  FileWord{"cuda_runtime", CuptiKind::runtime},
    FileWord{"cuda_driver", CuptiKind::driver}, FileWord{"gpu_memcpy", CuptiKind::memcpy},
    FileWord{"gpu_memset", CuptiKind::memset}};
constexpr std::array single_words{
    FileWord{"kernel", CuptiKind::kernel},   FileWord{"kernels", CuptiKind::kernel},
    FileWord{"runtime", CuptiKind::runtime}, FileWord{"driver", CuptiKind::driver},
    FileWord{"memcpy", CuptiKind::memcpy},   FileWord{"memcpy2", CuptiKind::memcpy},
    FileWord{"memset", CuptiKind::memset}};

// The last of them that is between bytes other than letters and digits; `_` is neither.
template <class All>
const FileWord* last_word(const std::string& name, const All& all) {
  const FileWord* last = nullptr;
  size_t last_at = 0;
  for (const FileWord& word : all) {
    const size_t at = name.rfind("_" + std::string(word.words) + "_");
    if (at == name.npos || (last != nullptr && at < last_at)) continue;
    last = &word;
    last_at = at;
  }
  return last;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Without .csv and what it is packed with; nothing where it has no .csv.
std::optional<std::string> csv_stem(std::string_view path) {
  std::string name = lowered(base_name(path));
  for (const std::string_view packed : {".gz"sv, ".zst"sv, ".gzip"sv}) {
    if (name.ends_with(packed)) {
      name.resize(name.size() - packed.size());
      break;
    }
  }
  if (!name.ends_with(".csv")) return std::nullopt;
  name.resize(name.size() - 4);
  return name;
}

}  // namespace

OperationKind operation_kind(CuptiKind kind) noexcept {
  if (kind == CuptiKind::memcpy) return OperationKind::memcpy;
  return kind == CuptiKind::memset ? OperationKind::memset : OperationKind::kernel;
}

std::string_view plural_of(CuptiKind kind) noexcept {
  constexpr std::array plurals{"kernels"sv, "copies"sv, "sets"sv, "calls of the runtime"sv,
                               "calls of the driver"sv};
  return plurals[static_cast<size_t>(kind)];
}

bool names_csv(std::string_view path) noexcept {
  return csv_stem(path).has_value();
}

std::optional<CuptiFileName> cupti_file_name(std::string_view path) {
  std::optional<std::string> name = csv_stem(path);
  if (!name) return std::nullopt;
  for (char& c : *name) {
    const bool kept = is_lower(c) || is_digit(c);
    if (!kept) c = '_';
  }
  const std::string framed = "_" + *name + "_";
  const FileWord* word = last_word(framed, double_words);
  if (word == nullptr) word = last_word(framed, single_words);
  if (word == nullptr) return std::nullopt;
  return CuptiFileName{word->kind, std::string(word->words)};
}

int CuptiLayout::coarsest() const {
  int most = start.exponent.value_or(0);
  if (end) most = std::max(most, end->exponent.value_or(0));
  if (duration) most = std::max(most, duration->exponent.value_or(0));
  return most;
}

CuptiHeader read_cupti_header(const std::vector<std::string_view>& titles,
                              std::optional<CuptiKind> kind) {
  return HeaderReader(titles, kind).read();
}

bool may_be_cupti_csv(std::string_view head) noexcept {
  if (head.starts_with(byte_order_mark)) head.remove_prefix(3);
  const size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos) return false;
  const size_t end = std::min(head.find('\n', begin), head.size());
  const std::string_view line = head.substr(begin, end - begin);
  const Line known = classify_line(line);
  if (known.kind != LineKind::other && known.kind != LineKind::other_header) return false;
  if (known.kind == LineKind::other_header && known.report != "another report") return false;
  CsvRow row;
  row.read(line);
  if (row.end != CsvRow::End::text_ended) return false;
  const CuptiHeader header = read_cupti_header(row.cells, {});
  const CuptiLayout& layout = header.layout;
  if (layout.start.title.empty() || (!layout.end && !layout.duration)) return false;
  return layout.correlation || layout.copy_kind || layout.call_id ||
         (layout.device && layout.stream) || (layout.args && layout.name);
}

}  // namespace kr::trace
