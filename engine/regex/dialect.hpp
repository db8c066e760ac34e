// What the portable dialect does not have, by name, each with what to write instead.
//
// Every function is given the construct as written; those that open a group leave it open in the
// Builder, so that its parenthesis still finds a partner.
#pragma once

#include "regex/builder.hpp"

namespace kr::regex {

void reject_look_around(std::string_view item, Builder& builder);
void reject_atomic_group(std::string_view item, Builder& builder);
void reject_group_spelling(std::string_view item, Builder& builder);
void reject_group_name(std::string_view item, Builder& builder);
void reject_conditional(std::string_view item, Builder& builder);
void reject_unknown_group(std::string_view item, Builder& builder);
void reject_open_flagged(std::string_view item, Builder& builder);

void reject_flags(std::string_view item, Builder& builder);
void reject_recursion(std::string_view item, Builder& builder);
void reject_comment(std::string_view item, Builder& builder);
void reject_verb(std::string_view item, Builder& builder);

void reject_back_reference(std::string_view item, Builder& builder);
void reject_octal(std::string_view item, Builder& builder);
void reject_hex(std::string_view item, Builder& builder);
void reject_anchor(std::string_view item, Builder& builder);
void reject_escape(std::string_view item, Builder& builder);
void reject_lone_backslash(std::string_view item, Builder& builder);
void reject_open_repeat(std::string_view item, Builder& builder);

void reject_posix_class(std::string_view item, Builder& builder);
void reject_edge_in_class(std::string_view item, Builder& builder);
void reject_character_in_class(std::string_view item, Builder& builder);

}  // namespace kr::regex
