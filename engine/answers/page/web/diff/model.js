// What the page of a difference is about: two sides, A and B, per unit of work.

const sides = page.sides.map(printable);
const comparison = rowsOf("comparison")[0];
const unit = page.unit;

const medianOfLabel = new Map((page.medians || []).map(([dimension, label, a, change]) => [`${dimension}\n${label}`, { a: Number(a), change: Number(change) }]));

const labelChanges = rowsOf("label_changes");
const dimensions = [...new Set(labelChanges.map((row) => row.dimension))];

/** `step of decode`, `block`, `run`. */
const unitName = unit.phase && unit.phase !== "step" ? `${unit.word} of ${printable(unit.phase)}` : unit.word;
/** What has a wall time: a step, or a repeat of a block. */
const stepName = !page.steps ? unitName : page.steps.of_repeats || page.steps.phase === "step" ? printable(page.steps.phase) : `step of ${printable(page.steps.phase)}`;
const hasUnits = unit.word !== "run";

/** The changes of a row in ns, `{a, b, change, percent}`: of the median unit if it is known, else of the mean unit. */
function changeOf(row, isMedian) {
  const median = isMedian ? medianOfLabel.get(`${row.dimension ?? ""}\n${row.label ?? ""}`) : undefined;
  const [a, b] = median ? [median.a, median.a + median.change] : [row.a_per_unit_ns ?? row.a_ns, row.b_per_unit_ns ?? row.b_ns].map(Number);
  return { a, b, change: b - a, percent: a === 0 ? null : (100 * (b - a)) / a };
}

/** Whether a side does as many operations of it per unit: less time for less work is neither better nor worse. */
const isSameWork = (row) => Number(row.a_instances) * Number(comparison.b_units) === Number(row.b_instances) * Number(comparison.a_units);

/** Better or worse: only beyond noise, and for the same work. */
function judgedLabel(row) {
  if (!isSameWork(row)) return undefined;
  return { more: "worse", less: "better" }[row.verdict];
}
const judgedStep = (verdict) => ({ slower: "worse", faster: "better" })[verdict];

const asNs = (value) => BigInt(Math.round(Number(value)));
const signed = (text, value) => `${value > 0 ? "+" : ""}${text}`;
const signedTimeText = (value) => signed(humanTime(asNs(value)), value);
const signedPercentText = (value) => (missing(value) ? "" : `${signed(shortPercent(Number(value)), Number(value))} %`);

/** Two times in one unit: `1.96` and `2.10`, both in ms. */
function timesInOneUnit(...values) {
  const shown = unitFor(largestOf(values.map((value) => asNs(Math.abs(Number(value))))));
  return values.map((value) => `${roundedTime(asNs(value), shown)} ${shown.name}`);
}

const DEFAULTS = { by: dimensions.includes(page.by) ? page.by : dimensions[0] || "", unit: "auto" };

/** What the page compares first: of a median step the wall time, else the work per unit. */
const headline = !missing(comparison.a_wall_median_ns)
  ? {
      of: stepName,
      what: "median wall time",
      a: Number(comparison.a_wall_median_ns),
      b: Number(comparison.b_wall_median_ns),
      percent: comparison.wall_median_percent,
      verdict: comparison.verdict,
      interval: missing(comparison.low_ns) ? null : [comparison.low_ns, comparison.high_ns],
    }
  : { of: unitName, what: hasUnits ? "mean work" : "work", a: Number(comparison.a_per_unit_ns), b: Number(comparison.b_per_unit_ns), percent: comparison.per_unit_percent, verdict: null, interval: null };

/** What there is to say first, the most important first: `{text, severity}`. */
function verdictsOfDifference() {
  const found = [];
  if (comparison.comparable === false) found.push({ text: `The runs cannot be compared: ${printable(comparison.reason)}`, severity: "warning" });
  const [a, b] = timesInOneUnit(headline.a, headline.b);
  const noise = headline.interval ? `; 95 % interval of the change ${headline.interval.map(signedTimeText).join(" to ")}` : "";
  const said = headline.verdict ? `: ${printable(headline.verdict)}` : "";
  found.push({ text: `${capital(headline.of)}, ${headline.what}: ${a} → ${b} (${signedPercentText(headline.percent) || "no time in A"})${said}${noise}` });
  if (!missing(comparison.not_judged)) found.push({ text: `No verdict: ${printable(comparison.not_judged)}`, severity: "warning" });
  for (const row of rowsOf("conditions").filter(({ outcome }) => outcome !== "passed")) {
    found.push({ text: `Condition ${printable(row.condition)}${missing(row.label) ? "" : ` (${printable(row.label)})`}: ${row.outcome}`, severity: row.outcome === "failed" ? "warning" : "" });
  }
  return found;
}
