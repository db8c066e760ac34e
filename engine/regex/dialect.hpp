// Reports constructs outside the portable dialect whose help depends on what was written
// (regex/parse.cpp has the others). Functions for the start of a group also open it, so that its
// `)` has a partner.
#pragma once

#include "regex/builder.hpp"

namespace kr::regex {

void reject_look_around(std::string_view item, Builder& builder);
void reject_group_spelling(std::string_view item, Builder& builder);
void reject_open_flagged(std::string_view item, Builder& builder);
void reject_flags(std::string_view item, Builder& builder);
void reject_octal(std::string_view item, Builder& builder);
void reject_hex(std::string_view item, Builder& builder);
void reject_anchor(std::string_view item, Builder& builder);
void reject_escape(std::string_view item, Builder& builder);
void reject_open_repeat(std::string_view item, Builder& builder);
void reject_posix_class(std::string_view item, Builder& builder);
void reject_edge_in_class(std::string_view item, Builder& builder);
void reject_character_in_class(std::string_view item, Builder& builder);

}  // namespace kr::regex
