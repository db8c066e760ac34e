// Texts in CSV, quoted as RFC 4180 says.
#pragma once

#include <string>
#include <string_view>

namespace kr::text {

/// Whether a cell with the text is the text itself. `escape`: a text that a spreadsheet would take
/// for a formula (it begins with `=`, `+`, `-`, `@`, tab or return) gets a `'` before it.
bool is_plain_csv(std::string_view text, bool escape) noexcept;
/// A cell with the text.
void append_csv_text(std::string& out, std::string_view text, bool escape);

}  // namespace kr::text
