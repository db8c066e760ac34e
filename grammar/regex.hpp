// The grammar of regular expressions: a pattern is a sequence of items.
//
// The grammar is flat: parentheses are items, and the parser keeps its own stack of open groups, so
// a deeply nested pattern cannot overflow the stack of the process. Constructs outside the portable
// dialect have rules too: they are reported by name, and parsing continues after them. Every byte
// sequence is a `pattern`.
#pragma once

#include <tao/pegtl.hpp>

namespace kr::grammar::regex {

using namespace tao::pegtl;  // NOLINT(google-build-using-namespace)

// clang-format off

struct digits : plus<digit> {};
struct high_byte : not_at<range<'\0', '\x7f'>> {};
/// One non-ASCII character: a byte from 0x80 and its continuation bytes.
struct beyond_ascii : seq<high_byte, any, star<range<'\x80', '\xbf'>>> {};

// Escapes with the same meaning in all dialects.
struct escaped_set : seq<one<'\\'>, one<'d', 'D', 'w', 'W', 's', 'S'>> {};
struct escaped_control : seq<one<'\\'>, one<'n', 't', 'r', 'f', 'v', 'a'>> {};
struct escaped_hex : seq<one<'\\'>, one<'x'>, xdigit, xdigit> {};
struct escaped_punctuation : seq<one<'\\'>, not_at<sor<alnum, one<'_'>, high_byte>>, any> {};
struct escaped_edge : seq<one<'\\'>, one<'b', 'B'>> {};
struct escaped_begin : seq<one<'\\'>, one<'A'>> {};

// Escapes whose meaning differs.
struct braced : seq<one<'{'>, star<not_one<'}'>>, one<'}'>> {};
struct angled : seq<one<'<'>, star<not_one<'>'>>, one<'>'>> {};
struct quoted : seq<one<'\''>, star<not_one<'\''>>, one<'\''>> {};
struct back_reference : seq<one<'\\'>, sor<
    seq<range<'1', '9'>, star<digit>>,
    seq<one<'k', 'g'>, opt<sor<braced, angled, quoted, seq<opt<one<'-'>>, digits>>>>>> {};
struct octal : seq<one<'\\'>, sor<seq<one<'0'>, star<range<'0', '7'>>>, seq<one<'o'>, opt<braced>>>> {};
struct short_hex : seq<one<'\\'>, one<'x'>, opt<sor<braced, xdigit>>> {};
struct other_anchor : seq<one<'\\'>, one<'Z', 'z', 'G'>> {};
struct quotation_end : seq<one<'\\'>, one<'E'>> {};
struct quotation : seq<one<'\\'>, one<'Q'>, until<sor<string<'\\', 'E'>, eof>>> {};
struct other_escape : seq<one<'\\'>, sor<
    seq<one<'p', 'P'>, opt<sor<braced, alpha>>>,
    seq<one<'N', 'L', 'U', 'l'>, opt<braced>>,
    seq<one<'c'>, opt<range<' ', '~'>>>,
    seq<one<'u'>, opt<sor<braced, rep<4, xdigit>>>>,
    beyond_ascii,
    any>> {};
struct lone_backslash : seq<one<'\\'>, eof> {};

// Groups.
struct group_name : identifier {};
struct fold_all : seq<bof, string<'(', '?', 'i', ')'>> {};
struct open_folded : string<'(', '?', 'i', ':'> {};
struct open_bare : string<'(', '?', ':'> {};
struct open_named : seq<string<'(', '?', '<'>, group_name, one<'>'>> {};
struct open_plain : one<'('> {};
struct close : one<')'> {};

// Groups outside the dialect. Those named `open_…` still end with a `)`.
struct open_look_around : seq<string<'(', '?'>, sor<one<'=', '!'>, seq<one<'<'>, one<'=', '!'>>>> {};
struct open_atomic : string<'(', '?', '>'> {};
struct open_other_name : seq<string<'(', '?'>, sor<seq<one<'P'>, angled>, quoted>> {};
struct open_bad_name : seq<string<'(', '?'>, opt<one<'P'>>, one<'<'>, star<not_one<'>', ')', '('>>, opt<one<'>'>>> {};
struct open_conditional : seq<string<'(', '?', '('>, star<not_one<')'>>, opt<one<')'>>> {};
struct open_branch_reset : string<'(', '?', '|'> {};
struct named_reference : seq<string<'(', '?', 'P', '='>, star<not_one<')'>>, opt<one<')'>>> {};
struct recursion : seq<string<'(', '?'>, sor<
    seq<one<'R'>, one<')'>>,
    seq<opt<one<'+', '-'>>, digits, one<')'>>,
    seq<sor<one<'&'>, string<'P', '>'>>, star<not_one<')'>>, opt<one<')'>>>>> {};
struct comment : seq<string<'(', '?', '#'>, star<not_one<')'>>, opt<one<')'>>> {};
struct verb : seq<string<'(', '*'>, plus<sor<upper, one<':', '_', '='>>>, star<not_one<')', '('>>, one<')'>> {};
struct flag_words : seq<string<'(', '?'>, opt<one<'^'>>, star<alpha>, opt<seq<one<'-'>, star<alpha>>>> {};
struct flags : seq<flag_words, one<')'>> {};
struct open_flagged : seq<flag_words, one<':'>> {};
struct open_unknown : string<'(', '?'> {};

// Quantifiers.
struct counted : seq<one<'{'>, digits, opt<one<','>, opt<digits>>, one<'}'>> {};
struct counted_from_none : seq<one<'{'>, one<','>, opt<digits>, one<'}'>> {};
struct quantifier : seq<sor<one<'*', '+', '?'>, counted>, opt<one<'?', '+'>>> {};

// Classes.
struct class_open : seq<one<'['>, opt<one<'^'>>> {};
struct class_close : one<']'> {};
struct class_unclosed : eof {};
struct class_posix_end : sor<string<':', ']'>, string<'.', ']'>, string<'=', ']'>> {};
struct class_posix : seq<one<'['>, one<':', '.', '='>, opt<star<not_one<']', '[', ':', '.', '='>>, class_posix_end>> {};
struct class_edge : seq<one<'\\'>, one<'b', 'B', 'A'>> {};
struct class_beyond_ascii : beyond_ascii {};
struct class_set : escaped_set {};
struct class_control : escaped_control {};
struct class_hex : escaped_hex {};
struct class_punctuation : escaped_punctuation {};
struct class_byte : not_one<']', '\\'> {};
struct class_leading_bracket : one<']'> {};
struct class_not_portable : sor<
    class_edge, back_reference, octal, short_hex, other_anchor, quotation_end, lone_backslash,
    other_escape> {};
struct class_atom : sor<
    class_posix, class_set, class_control, class_hex, class_punctuation, class_not_portable,
    class_beyond_ascii, class_byte> {};
struct class_range_tail : seq<one<'-'>, not_at<one<']'>>, class_atom> {};
struct class_item : seq<class_atom, opt<class_range_tail>> {};
struct class_first_item : seq<class_leading_bracket, opt<class_range_tail>> {};
struct byte_class : seq<
    class_open, opt<class_first_item>, star<class_item>, sor<class_close, class_unclosed>> {};

// Other items.
struct bar : one<'|'> {};
struct dot : one<'.'> {};
struct begin : one<'^'> {};
struct end : one<'$'> {};
struct plain_byte : any {};
struct plain_beyond_ascii : beyond_ascii {};

struct group_item : sor<
    fold_all, open_folded, open_bare, open_look_around, open_named, open_atomic, named_reference,
    recursion, open_other_name, open_bad_name, open_conditional, open_branch_reset, comment, verb,
    flags, open_flagged, open_unknown, open_plain> {};
struct escape_item : sor<
    escaped_set, escaped_control, escaped_hex, escaped_punctuation, escaped_edge, escaped_begin,
    back_reference, octal, short_hex, other_anchor, quotation, quotation_end, lone_backslash,
    other_escape> {};
struct item : sor<
    group_item, close, bar, quantifier, counted_from_none, byte_class, dot, begin, end, escape_item,
    plain_beyond_ascii, plain_byte> {};
struct pattern : until<eof, item> {};

// clang-format on

}  // namespace kr::grammar::regex
