#include "trace/readers/paraver_header.hpp"

#include <charconv>
#include <system_error>

namespace kr::trace {
namespace {

/// Paraver has 65,535 at most.
constexpr int64_t max_threads = int64_t{1} << 20;

bool take(std::string_view& text, char wanted) noexcept {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

/// `0:`, or the processors of each node: `2(4,4):`.
bool take_resources(std::string_view& text) noexcept {
  const auto nodes = take_number(text);
  if (!nodes) return false;
  if (take(text, '(')) {
    const size_t close = text.find(')');
    if (close == text.npos) return false;
    text.remove_prefix(close + 1);
  }
  return take(text, ':');
}

/// `2(6:1,6:1)`: threads and node of each task. nsys2prv has a colon before the parenthesis.
const char* take_tasks(std::string_view& text, int64_t count, ParaverObjects& out) {
  take(text, ':');
  if (!take(text, '(')) return "has no list of tasks";
  const auto application = static_cast<uint32_t>(out.first_task.size());
  for (int64_t number = 1; number <= count; ++number) {
    if (number > 1 && !take(text, ',')) return "has fewer tasks than it says";
    const auto threads = take_number(text);
    if (!threads || !take(text, ':') || !take_number(text)) return "has a task without threads";
    if (*threads < 0 || *threads > max_threads - static_cast<int64_t>(out.rows())) {
      return "has more threads than Paraver can number";
    }
    out.tasks.push_back({application, static_cast<uint32_t>(number),
                         static_cast<uint32_t>(out.rows()), static_cast<uint32_t>(*threads)});
    out.task_of.insert(out.task_of.end(), static_cast<size_t>(*threads),
                       static_cast<uint32_t>(out.tasks.size() - 1));
  }
  return take(text, ')') ? nullptr : "has more tasks than it says";
}

}  // namespace

std::optional<int64_t> take_number(std::string_view& text) noexcept {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

std::optional<uint32_t> ParaverObjects::row(int64_t application, int64_t task,
                                            int64_t thread) const noexcept {
  if (application < 1 || application >= static_cast<int64_t>(first_task.size())) {
    return std::nullopt;
  }
  const size_t first = first_task[static_cast<size_t>(application) - 1];
  const size_t end = first_task[static_cast<size_t>(application)];
  if (task < 1 || task > static_cast<int64_t>(end - first)) return std::nullopt;
  const Task& of = tasks[first + static_cast<size_t>(task) - 1];
  if (thread < 1 || thread > of.threads) return std::nullopt;
  return of.first_row + static_cast<uint32_t>(thread - 1);
}

const char* read_paraver_header(std::string_view line, ParaverObjects& out) {
  const size_t date = line.find("):");
  if (date == line.npos) return "has no date in parentheses";
  line.remove_prefix(date + 2);
  if (!take_number(line)) return "has no duration";
  out.unit_ns = 1000;
  if (line.starts_with("_ns")) {
    line.remove_prefix(3);
    out.unit_ns = 1;
  }
  if (!take(line, ':') || !take_resources(line)) return "does not contain the processors";
  const auto applications = take_number(line);
  if (!applications || *applications < 1 || *applications > max_threads || !take(line, ':')) {
    return "does not contain the number of applications";
  }
  auto count = take_number(line);
  out.first_task = {0};
  while (true) {
    if (!count || *count < 1) return "has an application without tasks";
    if (const char* why = take_tasks(line, *count, out)) return why;
    out.first_task.push_back(out.tasks.size());
    if (static_cast<int64_t>(out.first_task.size()) > *applications) return nullptr;
    // The number of communicators may come before the next application.
    count = take(line, ',') ? take_number(line) : std::nullopt;
    if (count && take(line, ',')) count = take_number(line);
  }
}

}  // namespace kr::trace
