// Sessions with `kr mcp` by the official client: the six questions about real traces and those in examples/, answered
// as the command line answers them; bounds; hostile arguments; cancelled calls.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test, { after, before } from "node:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const KR = process.env.KR;
// Answers name runs by their real paths.
const realPath = (file) => (fs.existsSync(file) ? fs.realpathSync(file) : file);
const source = realPath(path.resolve(process.env.KR_SOURCE));
const examples = path.join(source, "examples");
const shared = realPath(path.resolve(process.env.KR_SOURCE, "..", "shared", "data"));
const real = {
  inference: path.join(shared, "kineto", "vllm_decode_graph.json.gz"),
  two_gpus: path.join(shared, "nsys", "mfu_2gpu_after.sqlite"),
  before: path.join(shared, "nsys", "mfu_2gpu_before.sqlite"),
  ranks: path.join(shared, "ranks", "merged_clock4_device0.trace.json.gz"),
};
const haveReal = Object.values(real).every((file) => fs.existsSync(file));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kr-mcp-"));

async function connect(...options) {
  const client = new Client({ name: "kr-tests", version: "1" });
  const roots = [examples, folder, ...(haveReal ? [shared] : [])].flatMap((root) => ["--root", root]);
  const env = { ...process.env, KR_CACHE_DIR: process.env.KR_CACHE_DIR ?? "" };
  if (!env.KR_CACHE_DIR) delete env.KR_CACHE_DIR;
  await client.connect(new StdioClientTransport({ command: KR, args: ["mcp", ...roots, ...options], env, stderr: "inherit" }));
  return client;
}

let client;
before(async () => {
  client = await connect();
});
after(async () => {
  await client.close();
  fs.rmSync(folder, { recursive: true });
});

async function ask(name, args, options) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  assert.equal(result.isError, false, result.content[0].text);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, "both forms are the same");
  return result.structuredContent;
}
async function refusal(name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError, true, JSON.stringify(args));
  return result.content[0].text;
}
/** What the command line says, without cells that are not known. */
function kr(...args) {
  const options = { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] };
  let text;
  try {
    text = execFileSync(KR, [...args, "--format", "json"], options);
  } catch (error) {
    if (error.status !== 1) throw error;
    text = error.stdout; // it found something
  }
  const document = JSON.parse(text);
  return Object.fromEntries(Object.entries(document.tables).map(([id, rows]) => [id, rows.map(known)]));
}
const known = (row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

/** The six questions, to the server and to the command line. */
async function sixQuestions({ run, before: first, after: second, ranks, sheet }) {
  // Where does the time go?
  const report = await ask("report", { runs: [run], max_rows: 10000, max_bytes: 1000000 });
  assert.equal(Object.keys(report)[0], "verdicts", "what limits the run comes first");
  const wanted = kr("report", run, "--tables", "verdicts,devices,labels");
  for (const id of ["verdicts", "devices"]) assert.deepEqual(report[id].rows.map(known), wanted[id]);
  assert.deepEqual(report.labels.rows.map(known), wanted.labels.filter((row) => row.dimension === "substage"));
  assert.deepEqual(report.labels.key, ["run", "dimension", "label"]);
  const tree = await ask("tree", { runs: [run], level: "layer", max_rows: 10000, max_bytes: 1000000 });
  if (tree.tree) {
    assert.deepEqual(tree.tree.rows.map(known), kr("tree", run, "--level", "layer", "--tables", "tree").tree);
  } else {
    assert.ok(tree.unknown[0].reason, "without modules there is a reason");
  }
  // What changed?
  const changed = await ask("diff", { a: [first], b: [second], max_rows: 10000, max_bytes: 1000000 });
  assert.deepEqual(changed.comparison.rows.map(known), kr("diff", first, second, "--tables", "comparison").comparison);
  // Why is the GPU idle?
  const idle = await ask("table", { runs: [run], table: "idle" });
  if (idle.idle) assert.deepEqual(idle.idle.rows.map(known), kr("report", run, "--tables", "idle").idle);
  else assert.ok(idle.unknown[0].reason);
  // Which rank is slow?
  const balance = await ask("table", { runs: [ranks], table: "collective_balance", max_rows: 10000, max_bytes: 1000000 });
  if (balance.collective_balance) {
    assert.deepEqual(balance.collective_balance.rows.map(known),
      kr("report", ranks, "--tables", "collective_balance").collective_balance);
  } else {
    assert.ok(balance.unknown[0].reason);
  }
  // How far from the roof?
  const rates = await ask("report", { runs: [run], tables: ["cost_rates"], max_rows: 10000, max_bytes: 1000000, ...sheet });
  if (rates.cost_rates) {
    const options = sheet?.gpu ? ["--gpu", sheet.gpu] : [];
    assert.deepEqual(rates.cost_rates.rows.map(known),
      kr("report", run, "--tables", "cost_rates", ...options).cost_rates);
  } else {
    assert.match(rates.unknown[0].reason, /\w/);
  }
  // What would it save?
  const saved = await ask("report", { runs: [run], tables: ["what_if"], what_if: ["host = 0.5x"] });
  if (saved.what_if) {
    assert.deepEqual(saved.what_if.rows.map(known),
      kr("report", run, "--what-if", "host = 0.5x", "--tables", "what_if").what_if);
  } else {
    assert.match(saved.unknown[0].reason, /\w/);
  }
}

test("it says what it is and what it can do", async () => {
  assert.equal(client.getServerVersion().name, "kr");
  assert.match(client.getInstructions(), /verdicts/);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name),
    ["report", "table", "sql", "diff", "tree", "why", "lint", "test", "list"]);
  for (const tool of tools) {
    assert.equal(tool.inputSchema.additionalProperties, false);
    assert.equal(tool.annotations.readOnlyHint, true);
    for (const name of tool.inputSchema.required) assert.ok(tool.inputSchema.properties[name], name);
  }
  const { resources } = await client.listResources();
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    assert.ok(contents[0].text.length > 300, uri);
  }
  const page = await client.readResource({ uri: "kr://checks/KR301" });
  assert.match(page.contents[0].text, /unreachable-rule/);
  await assert.rejects(client.readResource({ uri: "kr://checks/KR999" }), /there is no resource/);
  await client.ping();
});

test("the six questions about examples", async () => {
  await sixQuestions({
    run: path.join(examples, "decode_after.json.gz"), before: path.join(examples, "decode_before.json.gz"),
    after: path.join(examples, "decode_after.json.gz"), ranks: path.join(examples, "tp4"),
  });
});
test("the six questions about a trace of an engine", { skip: !haveReal }, async () => {
  await sixQuestions({ run: real.inference, before: real.inference, after: real.inference, ranks: real.ranks, sheet: { gpu: "MI300X" } });
});
test("the six questions about a trace of nsys", { skip: !haveReal }, async () => {
  await sixQuestions({ run: real.two_gpus, before: real.before, after: real.two_gpus, ranks: real.two_gpus });
});
test("the six questions about a merged trace of ranks", { skip: !haveReal }, async () => {
  await sixQuestions({ run: real.ranks, before: real.ranks, after: real.ranks, ranks: real.ranks });
});

const decode = "decode_after.json.gz"; // below the first folder

test("answers are bounded, and say how to go on", async () => {
  const all = await ask("table", { runs: [decode], table: "operations", max_rows: 10000, max_bytes: 1000000,
    columns: ["name", "start_ns", "duration_ns"] });
  const rows = [];
  for (let offset = 0; offset !== undefined;) {
    const part = await ask("table", { runs: [decode], table: "operations", max_rows: 97, offset,
      columns: ["name", "start_ns", "duration_ns"] });
    assert.ok(part.operations.rows.length <= 97);
    rows.push(...part.operations.rows);
    offset = part.operations.truncated.next_offset;
  }
  assert.ok(rows.length > 97);
  assert.deepEqual(rows.slice(0, all.operations.rows.length), all.operations.rows);
  for (const max_bytes of [1000, 5000, 24000]) {
    const some = await ask("report", { runs: [decode], max_bytes, max_rows: 10000 });
    assert.ok(JSON.stringify(some).length < max_bytes + 2500, `${JSON.stringify(some).length} of ${max_bytes}`);
  }
});

test("rows are chosen and sorted", async () => {
  const { kernels } = await ask("table", { runs: [decode], table: "kernels", where: "substage = 'gemm'", sort: "total_ns" });
  assert.ok(kernels.rows.length > 0);
  assert.ok(kernels.rows.every((row) => row.substage === "gemm"));
  const times = kernels.rows.map((row) => row.total_ns);
  assert.deepEqual(times, times.toSorted?.((a, b) => b - a) ?? [...times].sort((a, b) => b - a));
  const least = await ask("table", { runs: [decode], table: "kernels", sort: "-total_ns", max_rows: 1 });
  const { query } = await ask("sql", { runs: [decode], query: "SELECT min(total_ns) AS least FROM kernels" });
  assert.equal(least.kernels.rows[0].total_ns, query.rows[0].least);
});

test("what is not known is said with its reason", async () => {
  const answer = await ask("report", { runs: ["llama_bf16.csv.gz"], tables: ["idle", "cost_rates", "labels"] });
  assert.deepEqual(answer.unknown.map((one) => one.table), ["idle", "cost_rates"]);
  assert.match(answer.unknown[0].reason, /launched/);
  assert.ok(answer.labels.rows.length > 0);
});

test("rules are checked, tested and explained", async () => {
  const text = 'engine e {\n  substage {\n    gemm: "gemm"\n    rest: otherwise\n  }\n}\ntest e {\n  "sgemm" => substage rest\n}\n';
  const findings = (await ask("test", { text })).findings;
  assert.equal(findings.length, 1);
  assert.equal(findings[0].code, "KR316");
  assert.equal((await ask("test", { text })).failed, 1);
  const bad = await ask("lint", { text: text.replace("otherwise", "otherwsie") });
  assert.ok(bad.findings.some((one) => one.severity === "error"));
  fs.writeFileSync(path.join(folder, "mine.kr"), text);
  assert.deepEqual((await ask("test", { path: path.join(folder, "mine.kr") })).failed, 1);
  const { lines } = await ask("why", { name: "nvjet_tst_64x64", engine: "vllm" });
  assert.ok(lines.some((line) => /gemm: gemm.library/.test(line)));
  const { operations } = await ask("table", { runs: [decode], table: "operations", max_rows: 1, offset: 20 });
  const one = operations.rows[0];
  const explained = await ask("why", { runs: [decode], operation: String(one.start_ns), device: one.device, stream: one.stream });
  assert.ok(explained.lines.some((line) => line.includes("← this")));
});

test("measured peaks stand beside those of the data sheet", async () => {
  const call = { pid: 9, tid: 9, ph: "X" };
  const traceEvents = [
    { ...call, cat: "cpu_op", name: "aten::mm", ts: 0, dur: 8, args: { "Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["c10::BFloat16", "c10::BFloat16"] } },
    { ...call, cat: "cuda_runtime", name: "cudaLaunchKernel", ts: 2, dur: 2, args: { correlation: 1 } },
    { ...call, cat: "kernel", name: "nvjet_tst_64x64", pid: 0, tid: 7, ts: 6, dur: 200, args: { correlation: 1, device: 0, stream: 7 } },
  ];
  const device = { id: 0, name: "NVIDIA H100 80GB HBM3" };
  const run = path.join(folder, "mm.json");
  const peaks = path.join(folder, "peaks.tsv");
  fs.writeFileSync(run, JSON.stringify({ schemaVersion: 1, deviceProperties: [device], traceEvents }));
  const lines = (bf16) => `gpu\tpeak\tper_second\tsource\n${device.name}\tbf16\t${bf16}\ttest\n${device.name}\tdram\t2.9e12\ttest\n`;
  fs.writeFileSync(peaks, lines("7.2e14"));
  const args = { runs: [run], engine: "vllm", table: "cost_rates", where: "scope = 'run'" };
  const measured = (await ask("table", { ...args, peaks })).cost_rates.rows[0];
  const whole = kr("report", `${run},vllm`, "--tables", "cost_rates", "--where", "scope = 'run'", "--peaks", peaks).cost_rates[0];
  assert.deepEqual(known(measured), whole);
  // 137.4 GFLOP in 200 µs.
  assert.ok(Math.abs(measured.measured_peak_ratio - 2 * 4096 ** 3 / 200e-6 / 7.2e14) < 1e-6, JSON.stringify(measured));
  assert.ok(measured.peak_ratio < measured.measured_peak_ratio);
  const without = (await ask("table", args)).cost_rates;
  assert.equal(without.rows[0].measured_peak_ratio, undefined);
  assert.equal(without.rows[0].peak_ratio, measured.peak_ratio);
  // What is wrong with the peaks is a note of the run.
  fs.writeFileSync(peaks, lines("1.2e15"));
  const { notes } = await ask("report", { runs: [run], engine: "vllm", tables: ["cost_rates"], peaks });
  assert.ok(notes.rows.some((note) => note.code === "peaks-above-sheet"), JSON.stringify(notes));
  const other = await ask("report", { runs: [run], engine: "vllm", tables: ["cost_rates"], gpu: "H200 SXM", peaks });
  assert.ok(other.notes.rows.some((note) => note.code === "unused-peaks"), JSON.stringify(other.notes));
  fs.writeFileSync(peaks, "no peaks");
  assert.match(await refusal("table", { ...args, peaks }), /peaks.tsv:1: the columns of measured peaks/);
});

test("files outside of the folders stay closed", async () => {
  fs.symlinkSync("/etc", path.join(folder, "out"));
  for (const file of ["/etc/passwd", "../../../../../../etc/passwd", path.join(folder, "out", "passwd"), "/nowhere/at/all"]) {
    assert.match(await refusal("report", { runs: [file] }), /outside of the folders/, file);
    assert.match(await refusal("lint", { path: file }), /outside of the folders/, file);
    assert.match(await refusal("report", { runs: [decode], references: [file] }), /outside of the folders/, file);
    assert.match(await refusal("report", { runs: [decode], peaks: file }), /outside of the folders/, file);
  }
  assert.match(await refusal("report", { runs: ["none.json"] }), /No such file/);
  assert.match(await refusal("sql", { runs: [decode], query: "ATTACH '/etc/passwd' AS p" }), /only read tables/);
  await assert.rejects(client.callTool({ name: "cut", arguments: { runs: [decode], window: "steps 1..2", output: "x.json" } }),
    /--allow-write/);
});

test("wrong arguments are named", async () => {
  const cases = [
    ["report", {}, /`runs` is missing/],
    ["report", { runs: decode, max_row: 5 }, /there is no argument `max_row`.*max_rows/],
    ["report", { runs: [1] }, /not only strings/],
    ["report", { runs: [decode], max_rows: 0 }, /`max_rows` is 0, not from 1/],
    ["report", { runs: [decode], max_rows: "5" }, /not a whole number/],
    ["report", { runs: [decode], engine: "vlm" }, /vllm/],
    ["report", { runs: [decode], window: "steps 9..1" }, /\w/],
    ["table", { runs: [decode], table: "kernel" }, /did you mean `kernels`/],
    ["table", { runs: [decode], table: "kernels", where: "substgae = 'gemm'" }, /did you mean `substage`/],
    ["table", { runs: [decode], table: "kernels", where: "1); DROP TABLE kernels; --" }, /query/],
    ["table", { runs: [decode], table: "kernels", sort: "totl_ns" }, /did you mean `total_ns`/],
    ["table", { runs: [decode], table: "kernels", columns: ["nam"] }, /did you mean `name`/],
    ["sql", { runs: [decode], query: "" }, /empty/],
    ["sql", { runs: [decode], query: "SELECT zeroblob(1000000000)" }, /too big|blob/],
    ["why", {}, /one of `name` and `operation`/],
    ["report", { runs: [decode], peaks: folder }, /not a file of peaks/],
    ["list", { what: "secrets" }, /there is no list/],
    ["lint", { path: folder }, /not a file/],
  ];
  for (const [tool, args, message] of cases) {
    assert.match(await refusal(tool, args), message, `${tool} ${JSON.stringify(args)}`);
  }
  await assert.rejects(client.callTool({ name: "rm", arguments: {} }), /there is no tool/);
  await client.ping();
});

test("a call that is cancelled ends", async () => {
  const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
  const stop = new AbortController();
  const call = client.callTool({ name: "sql", arguments: { runs: [decode], query: endless } }, undefined, { signal: stop.signal });
  setTimeout(() => stop.abort("enough"), 300);
  await assert.rejects(call, /enough/);
  await ask("table", { runs: [decode], table: "labels" }); // the next one is answered
});

test("parts are written only where that is allowed", async () => {
  const writer = await connect("--allow-write");
  try {
    const cut = (args) => writer.callTool({ name: "cut", arguments: args });
    const output = path.join(folder, "part.json.gz");
    const done = await cut({ runs: [decode], window: "steps 2..4", output });
    assert.equal(done.isError, false, done.content[0].text);
    assert.equal(done.structuredContent.bytes, fs.statSync(output).size);
    assert.match((await cut({ runs: [decode], window: "steps 2..4", output })).content[0].text, /exists already/);
    assert.match((await cut({ runs: [decode], window: "steps 2..4", output: "/etc/part.json" })).content[0].text, /outside/);
    assert.match((await cut({ runs: [decode], output: path.join(folder, "b.json") })).content[0].text, /which part/);
  } finally {
    await writer.close();
  }
});

test("what is no message is refused, and the rest is answered", async () => {
  const server = spawn(KR, ["mcp", "--root", examples], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = [
    "", "{", "[]", "null", '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":[],"method":"ping"}',
    '{"jsonrpc":"2.0","id":2,"method":"nothing"}', '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":7}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
    `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"list","arguments":${"[".repeat(300)}${"]".repeat(300)}}}`,
    '{"jsonrpc":"2.0","id":5,"method":"ping"}', `"${"x".repeat(17 << 20)}"`, '{"jsonrpc":"2.0","id":6,"method":"ping"}',
  ];
  server.stdin.end(lines.join("\n") + "\n");
  let out = "";
  for await (const chunk of server.stdout) out += chunk;
  const answers = out.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(answers.filter((one) => one.result).map((one) => one.id), [5, 6]);
  const ids = answers.filter((one) => one.error).map((one) => one.id);
  assert.deepEqual(ids, [null, null, null, null, 1, null, 2, 3, null, null]);
  assert.match(answers.at(-2).error.message, /more than/);
});
