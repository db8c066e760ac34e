// The words of `--format` and `--tables`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "outputs.hpp"

namespace kr::cli {

/// One file per run, with every operation.
constexpr std::string_view trace_format = "perfetto";
/// All runs in one trace of three files.
constexpr std::string_view paraver_format = "paraver";
constexpr std::string_view database_format = "sqlite";
constexpr std::string_view csv_format = "csv";
constexpr std::string_view markdown_format = "markdown";
constexpr std::string_view page_format = "html";

/// Of files in a folder.
std::string ending_of(std::string_view format);
bool is_for_people(std::string_view format);
std::vector<std::string> formats_of(const OutputRules& rules);
/// The format that the extension of a file means; empty: it means none.
std::string format_of_file(const std::string& path, const OutputRules& rules);
/// Of `--tables`: ids. Throws Error.
std::vector<std::string> parse_tables(const std::string& list, const OutputRules& rules);

}  // namespace kr::cli
