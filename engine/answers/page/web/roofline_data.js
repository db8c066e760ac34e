// What rooflines are drawn from: rows of the tables `roofline` and `roofline_roofs`, by the rules of
// engine/answers/picture/roofline_tables.hpp.

const isRate = (value) => Number.isFinite(value) && value > 0;
const BOUNDS = ["compute", "memory", "latency"];

/** The label of a kernel in the dimension of the page; of a row that is a label, itself. */
const labelOfPoint = (row) => (row.level === "kernel" ? row[state.by] ?? row[`${state.by}_label`] ?? row.label : row.key) ?? "";

/** How the label of a row looks. */
function lookOfPoint(row) {
  const styles = (page.styles || []).filter((style) => style.label === labelOfPoint(row));
  const wanted = row.level === "kernel" ? state.by : row.level;
  return styles.find(({ dimension }) => dimension === wanted) || styles[0] || { title: "", color: REST };
}
const titleOfLabel = (row) => printable(lookOfPoint(row).title || labelOfPoint(row)) || "no label";

/** Why labels have no point, by the reasons of the table. */
const NO_COST = {
  "no op": "with operations that no op launched",
  "in a graph": "with operations of graphs whose ops are not known",
  "no shapes": "with ops whose shapes were not recorded",
  "no clause fits": "with ops that no cost clause fits",
  "no amounts": "with ops whose clause needs what was not recorded",
  "no FLOPs": "with ops whose FLOPs are not known",
  "no bytes": "with ops whose bytes are not known",
  "above the peak": "with ops above the peak of the GPU, so that their cost is wrong",
};

/** What limits a kernel: as ncu says it, else by its side of the ridge. */
const limitOf = (row) => [row.verdict, row.bound].find((one) => BOUNDS.includes(one));

/** Without a table of roofs, they are the highest peaks of the kernels: clocks differ from one to the next. */
function roofsOf(run, rows) {
  const found = rowsOf("roofline_roofs").filter((roof) => roof.run === run);
  if (found.length > 0) return found;
  const source = "the highest peak of these kernels, by the profile or the data sheet";
  const highest = (some, column) => Math.max(0, ...some.map((row) => row[column] ?? 0));
  const compute = [...groupBy(rows.filter((row) => !missing(row.precision)), (row) => row.precision)];
  return [
    ...compute.map(([precision, some]) => ({ kind: "compute", name: /^fp/.test(precision) ? precision.toUpperCase() : precision, per_second: highest(some, "peak_flops_per_s"), source })),
    { kind: "memory", name: "DRAM", per_second: highest(rows, "peak_bytes_per_s"), source },
    { kind: "memory", name: "L2", per_second: highest(rows, "peak_l2_bytes_per_s"), source },
  ];
}

/** Nanoseconds; 0 where nothing measured its time. */
const nsOfPoint = (row) => BigInt(row.total_ns ?? 0);
const timeText = (ns) => (ns > 0n ? humanTime(ns) : "no duration");

const nameOfPoint = (row) => shownName(String(row.key));

/** Precisions of points that have no compute roof. */
function missingRoofs(rows, roofs) {
  const has = (precision) =>
    roofs.some(({ kind, name, per_second }) => kind === "compute" && isRate(per_second) && (name.toLowerCase() === precision || (precision === "tensor" && /tensor/i.test(name))));
  const there = rows.filter((row) => isRate(row.flops_per_s) && !missing(row.precision)).map((row) => row.precision);
  return [...new Set(there)].filter((one) => !has(one.toLowerCase())).sort();
}

/** Roofs of one kind and equal height are one line. */
function roofLines(roofs) {
  const lines = [];
  for (const { kind, name, per_second } of roofs) {
    if (!isRate(per_second)) continue;
    const same = lines.find((line) => line.kind === kind && Math.abs(line.rate - per_second) <= 0.005 * per_second);
    if (same) same.names.push(printable(name));
    else lines.push({ kind, rate: per_second, names: [printable(name)] });
  }
  for (const line of lines) line.text = `${[...new Set(line.names)].join(", ")} ${inSi(line.rate, line.kind === "compute" ? "FLOP/s" : "B/s")}`;
  return lines.sort((a, b) => b.rate - a.rate);
}
