// The logs that make_sarif wrote: valid by the schema, and every region says the same in lines, in
// characters and in bytes, counted here anew.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import Ajv from 'ajv';

const require = createRequire(import.meta.url);
const logs = process.env.KR_LOGS;
const read = (name) => JSON.parse(fs.readFileSync(path.join(logs, name), 'utf8'));
const names = fs.readdirSync(logs).filter((name) => name.endsWith('.sarif'));

const ajv = new Ajv({ schemaId: 'auto', allErrors: true, unknownFormats: 'error' });
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json'));
const schemas = path.join(path.dirname(require.resolve('@microsoft/jest-sarif')), 'schemas');
const valid = ajv.compile(
  JSON.parse(fs.readFileSync(path.join(schemas, 'sarif-2.1.0-rtm.5.json'), 'utf8')));

/// A file's lines, each an array of characters; what is not UTF-8 reads as U+FFFD a byte.
function characters(bytes) {
  const all = [];
  const at = [];
  let i = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (i < bytes.length) {
    let length = 1;
    for (let n = 4; n > 1; --n) {
      const text = bytes.subarray(i, i + n).toString('utf8');
      if ([...text].length === 1 && text !== '\ufffd' && Buffer.byteLength(text) === n) length = n;
    }
    all.push(bytes.subarray(i, i + length));
    at.push(i);
    i += length;
  }
  at.push(i);
  return { all, at };
}

function* regionsOf(log) {
  for (const result of log.runs[0].results) {
    for (const one of [...result.locations, ...(result.relatedLocations ?? [])]) {
      if (one.physicalLocation) {
        yield [one.physicalLocation.artifactLocation.uri, one.physicalLocation.region];
      }
    }
    for (const fix of result.fixes ?? []) {
      for (const change of fix.artifactChanges) {
        for (const one of change.replacements) yield [change.artifactLocation.uri, one.deletedRegion];
      }
    }
  }
}

test('there are logs', () => assert.deepEqual(names.sort(), ['clean.sarif', 'hostile.sarif']));

for (const name of names) {
  test(`${name} is valid SARIF 2.1.0`, () => {
    assert.ok(valid(read(name)), JSON.stringify(valid.errors, null, 1));
  });

  test(`${name} names a rule for each result`, () => {
    const run = read(name).runs[0];
    const { rules } = run.tool.driver;
    assert.ok(rules.length > 80);
    for (const result of run.results) assert.equal(rules[result.ruleIndex].id, result.ruleId);
    for (const rule of rules) {
      assert.ok(rule.shortDescription.text.length > 5);
      assert.ok(rule.help.markdown.startsWith(`# ${rule.id} ${rule.name}\n`));
    }
  });

  test(`${name} has regions that agree with themselves`, () => {
    let count = 0;
    for (const [uri, region] of regionsOf(read(name))) {
      ++count;
      const bytes = fs.readFileSync(path.join(logs, decodeURIComponent(uri)));
      const { all, at } = characters(bytes);
      const end = region.charOffset + region.charLength;
      assert.equal(at[region.charOffset], region.byteOffset, uri);
      assert.equal(at[end], region.byteOffset + region.byteLength, uri);
      const position = (offset) => {
        const before = all.slice(0, offset).map((c) => c.toString('latin1'));
        const lines = before.filter((c) => c === '\n').length;
        return [lines + 1, offset - (before.lastIndexOf('\n') + 1) + 1];
      };
      assert.deepEqual(position(region.charOffset), [region.startLine, region.startColumn], uri);
      assert.deepEqual(position(end), [region.endLine, region.endColumn], uri);
    }
    assert.equal(count > 0, name !== 'clean.sarif');
  });
}

test('a validator that refuses nothing would prove nothing', () => {
  const log = read('hostile.sarif');
  log.runs[0].results[0].message = 'text';
  assert.ok(!valid(log));
  const other = read('hostile.sarif');
  other.runs[0].results[0].unknown = 1;
  assert.ok(!valid(other));
});
