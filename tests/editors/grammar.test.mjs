// The TextMate grammar gives every piece of a sample the scope it should have, and knows every byte
// of the rules that ship.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");
const source = process.env.KR_SOURCE;
const path = join(source, "editors/vscode/kr.tmLanguage.json");

await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(readFileSync(path, "utf8"), path),
});
const grammar = await registry.loadGrammar("source.kr");

/** [text, innermost scope] of each token, blanks left out. */
function tokens(text) {
  const found = [];
  let state = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, state);
    for (const token of result.tokens) {
      const piece = line.slice(token.startIndex, token.endIndex).trim();
      if (piece) found.push([piece, token.scopes.at(-1).replace(/\.kr$/, "")]);
    }
    state = result.ruleStack;
  }
  return found;
}

const samples = {
  "## Doc": [["## Doc", "comment.line.documentation"]],
  "# kr: allow(unreachable-rule) why": [
    ["#", "comment.line.number-sign"],
    ["kr:", "keyword.other.allow"],
    ["allow", "keyword.other.allow"],
    ["(", "comment.line.number-sign"],
    ["unreachable-rule", "constant.other.code"],
    [")", "comment.line.number-sign"],
    ["why", "comment.line.number-sign"],
  ],
  "requires kr >= 0.1": [
    ["requires", "keyword.control.requires"],
    ["kr", "support.constant.program"],
    [">=", "keyword.operator.comparison"],
    ["0.1", "constant.numeric.version"],
  ],
  'since "2026-11"': [
    ["since", "keyword.other.metadata"],
    ['"', "punctuation.definition.string.begin"],
    ["2026-11", "string.quoted.double"],
    ['"', "punctuation.definition.string.end"],
  ],
  'link: "x" | author': [
    ["link", "entity.name.tag.label"],
    [":", "punctuation.separator.rule"],
    ['"', "punctuation.definition.string.begin"],
    ["x", "string.quoted.double"],
    ['"', "punctuation.definition.string.end"],
    ["|", "keyword.operator.logical"],
    ["author", "variable.other"],
  ],
  "use std.gemm as g": [
    ["use", "keyword.control.import"],
    ["std.gemm", "entity.name.namespace"],
    ["as", "keyword.control.import"],
    ["g", "variable.other"],
  ],
  'pattern a = ^"x\\x41"i$ & !g.any': [
    ["pattern", "storage.type"],
    ["a", "entity.name.function"],
    ["=", "keyword.operator.assignment"],
    ["^", "keyword.operator.anchor"],
    ['"', "punctuation.definition.string.begin"],
    ["x", "string.quoted.double"],
    ["\\x41", "constant.character.escape"],
    ['"', "punctuation.definition.string.end"],
    ["i", "storage.modifier.flag"],
    ["$", "keyword.operator.anchor"],
    ["&", "keyword.operator.logical"],
    ["!", "keyword.operator.logical"],
    ["g.any", "variable.other"],
  ],
  "gemm: /(?<step>\\d+)[^a\\/]{2,}|b/i": [
    ["gemm", "entity.name.tag.label"],
    [":", "punctuation.separator.rule"],
    ["/", "punctuation.definition.string.begin"],
    ["(?<", "punctuation.definition.group.regexp"],
    ["step", "variable.parameter.group.regexp"],
    [">", "punctuation.definition.group.regexp"],
    ["\\d", "constant.character.character-class.regexp"],
    ["+", "keyword.operator.quantifier.regexp"],
    [")", "punctuation.definition.group.regexp"],
    ["[", "constant.other.character-class.set.regexp"],
    ["^", "keyword.operator.negation.regexp"],
    ["a", "constant.other.character-class.set.regexp"],
    ["\\/", "constant.character.escape.regexp"],
    ["]", "constant.other.character-class.set.regexp"],
    ["{2,}", "keyword.operator.quantifier.regexp"],
    ["|", "keyword.operator.or.regexp"],
    ["b", "string.regexp"],
    ["/", "punctuation.definition.string.end"],
    ["i", "storage.modifier.flag"],
  ],
  '"a b": otherwise  drop: within @memcpy': [
    ['"a b"', "entity.name.tag.label"],
    [":", "punctuation.separator.rule"],
    ["otherwise", "constant.language.otherwise"],
    ["drop", "entity.name.tag.label"],
    [":", "punctuation.separator.rule"],
    ["within", "keyword.operator.word"],
    ["@memcpy", "constant.language.operation"],
  ],
  'refine gemm { own: own word "x" }': [
    ["refine", "keyword.control.rule"],
    ["gemm", "variable.other"],
    ["{", "punctuation.section.block"],
    ["own", "entity.name.tag.label"],
    [":", "punctuation.separator.rule"],
    ["own", "keyword.operator.word"],
    ["word", "keyword.operator.word"],
    ['"', "punctuation.definition.string.begin"],
    ["x", "string.quoted.double"],
    ['"', "punctuation.definition.string.end"],
    ["}", "punctuation.section.block"],
  ],
  "pattern n over substage = norm": [
    ["pattern", "storage.type"],
    ["n", "entity.name.function"],
    ["over", "storage.type"],
    ["substage", "entity.name.type"],
    ["=", "keyword.operator.assignment"],
    ["norm", "variable.other"],
  ],
  "part over substage { ignore @memset": [
    ["part", "variable.other"],
    ["over", "storage.type"],
    ["substage", "entity.name.type"],
    ["{", "punctuation.section.block"],
    ["ignore", "keyword.control.rule"],
    ["@memset", "constant.language.operation"],
  ],
  'a: start > [gemm+] > (norm | "x")? > _* > over': [
    ["a", "entity.name.tag.label"],
    [":", "punctuation.separator.rule"],
    ["start", "constant.language.place"],
    [">", "keyword.operator.chain"],
    ["[", "punctuation.section.shape"],
    ["gemm", "variable.other"],
    ["+", "keyword.operator.arithmetic"],
    ["]", "punctuation.section.shape"],
    [">", "keyword.operator.chain"],
    ["(", "punctuation.section.group"],
    ["norm", "variable.other"],
    ["|", "keyword.operator.logical"],
    ['"', "punctuation.definition.string.begin"],
    ["x", "string.quoted.double"],
    ['"', "punctuation.definition.string.end"],
    [")", "punctuation.section.group"],
    ["?", "keyword.operator.quantifier"],
    [">", "keyword.operator.chain"],
    ["_", "constant.language.place"],
    ["*", "keyword.operator.arithmetic"],
    [">", "keyword.operator.chain"],
    ["over", "variable.other"],
  ],
  "test vllm/gpt-oss { include x }": [
    ["test", "storage.type"],
    ["vllm", "entity.name.type"],
    ["/", "punctuation.separator.model"],
    ["gpt-oss", "entity.name.type"],
    ["{", "punctuation.section.block"],
    ["include", "keyword.control.rule"],
    ["x", "variable.other"],
    ["}", "punctuation.section.block"],
  ],
};

for (const [text, expected] of Object.entries(samples)) {
  test(text, () => assert.deepEqual(tokens(text), expected));
}

test("the rules that ship have no piece without a scope, and nothing invalid", () => {
  let count = 0;
  for (const folder of ["stdlib", "rulesets"]) {
    for (const name of readdirSync(join(source, folder)).filter((one) => one.endsWith(".kr"))) {
      for (const [piece, scope] of tokens(readFileSync(join(source, folder, name), "utf8"))) {
        assert.ok(scope !== "source" && !scope.startsWith("invalid"), `${name}: ${piece}`);
        ++count;
      }
    }
  }
  assert.ok(count > 5000);
});
