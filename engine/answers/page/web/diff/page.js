// The page of a difference between two runs: what was compared, what changed, by what, and how certain that is.

/** `A: bf16`; `A` where the sides have no short names. */
const sideTitle = (at) => ("AB"[at] === sides[at] ? sides[at] : `${"AB"[at]}: ${sides[at]}`);

/** A card is of A, of B, or of their difference: the two are never added up. */
function headTiles() {
  const [a, b, change] = timesInOneUnit(headline.a, headline.b, headline.b - headline.a);
  const of = `${headline.what}, ${headline.of}`;
  const difference = tile(`Difference, B − A`, signed(change, headline.b - headline.a), [signedPercentText(headline.percent), headline.verdict].filter(Boolean).join(" · "));
  const judged = judgedStep(headline.verdict);
  if (judged) difference.querySelector(".tile-value").classList.add("change", judged);
  return [tile(sideTitle(0), a, of), tile(sideTitle(1), b, of), difference];
}

/** A bar left or right of zero; the longest change is half of the cell. */
function changeBar(value, longest, judged) {
  const width = longest > 0 ? (50 * Math.abs(value)) / longest : 0;
  const bar = element("span", { className: `part-of-change ${judged || "same"}`, style: { width: `${width}%`, left: `${value < 0 ? 50 - width : 50}%` } });
  return element("div", { className: "change-bar", "aria-hidden": "true" }, bar);
}

const byChange = (a, b) => Math.abs(b.change) - Math.abs(a.change);

SHOWS.label_chart = (entry) => {
  const rows = labelChanges.filter((row) => row.dimension === state.by);
  if (rows.length === 0) return null;
  const isMedian = rows.every((row) => medianOfLabel.has(`${row.dimension}\n${row.label}`));
  const shown = rows.map((row) => ({ ...row, ...changeOf(row, isMedian), judged: judgedLabel(row) })).sort(byChange);
  const longest = Math.max(...shown.map(({ change }) => Math.abs(change)));
  const what = `${isMedian ? "median" : "mean"} ${hasUnits ? `work per ${unitName}` : "work"}`;
  const time = (name, title, more = {}) => ({ name, title, csv_title: `${name}_ns`, kind: "time", compared: "change", of: (row) => Math.round(row[name]), ...more });
  const all = comparisonRow(isMedian);
  const table = new DataTable({
    title: entry.title,
    file: entry.id,
    noun: "label",
    first: 20,
    rows: shown,
    foot: all ? [all] : [],
    className: (row) => (row.foot ? "sum" : ""),
    columns: [
      { name: "label", title: state.by, kind: "text", of: (row) => row.label, swatch: (row) => (looks.has(`${state.by}\n${row.label}`) ? lookOf(state.by, row.label).color : "transparent"), after: (row) => (row.foot ? "" : printable(lookOf(state.by, row.label).title)) },
      time("a", "A", { hint: sides[0] }),
      time("b", "B", { hint: sides[1] }),
      time("change", "Difference", { signed: true, judge: (row) => row.judged }),
      { name: "bar", title: "less | more", kind: "bar", early: true, of: (row) => (row.foot ? "" : changeBar(row.change, longest, row.judged)) },
      { name: "percent", title: "Difference", kind: "percent", signed: true, of: (row) => row.percent },
      { name: "a_instances", title: "Operations of A", kind: "count", of: (row) => row.a_instances },
      { name: "b_instances", title: "of B", csv_title: "b_instances", kind: "count", of: (row) => row.b_instances },
      { name: "verdict", title: "Beyond noise", kind: "text", of: (row) => (row.foot ? "" : row.verdict) },
    ].filter((column) => column.kind === "bar" || shown.some((row) => !missing(column.of(row)))),
  });
  table.draw();
  const made = tableCard(table, `Change of time by ${state.by}`, what);
  made.append(
    element("p", { className: "part-note" },
      "Red is more and green is less time for the same number of operations per unit, beyond noise. All else is blue: within noise, not judged, or other work. ",
      "The times of operations at the same time add up, so labels may change more than the wall time of a step."),
  );
  return made;
};

/** The sum over all labels. */
function comparisonRow(isMedian) {
  if (isMedian && !medianOfLabel.has("\n")) return null;
  const sum = { ...comparison, dimension: "", label: "" };
  return { ...sum, ...changeOf(sum, isMedian), label: "all", foot: true };
}

/** Of each phase the median step: what it takes on each side. */
SHOWS.phases_of_sides = (entry) => {
  const measures = [["wall", "Wall time"], ["busy", "of it busy"], ["idle", "of it idle"], ["work", "Total"]];
  const rows = rowsOf(entry.table).flatMap((row) =>
    measures
      .filter(([id]) => !missing(row[`a_${id}_ns`]) && !missing(row[`b_${id}_ns`]))
      .map(([id, title]) => ({ ...row, measure: title, isWall: id === "wall", a: row[`a_${id}_ns`], b: row[`b_${id}_ns`], percent: row[`${id}_percent`] })),
  );
  if (rows.length === 0) return null;
  const time = (name, title, of, more) => ({ name, title, kind: "time", compared: "phase", of, ...more });
  const table = new DataTable({
    title: entry.title,
    file: entry.id,
    rows,
    columns: [
      { name: "phase", title: "Phase", kind: "text", of: (row) => row.phase },
      { name: "measure", title: "Median", kind: "text", of: (row) => row.measure },
      time("a_ns", "A", (row) => row.a),
      time("b_ns", "B", (row) => row.b),
      time("change_ns", "Difference", (row) => Number(row.b) - Number(row.a), { signed: true, judge: (row) => (row.isWall ? judgedStep(row.verdict) : undefined) }),
      { name: "percent", title: "Difference", kind: "percent", signed: true, of: (row) => row.percent },
      { name: "a_steps", title: "Steps of A", kind: "count", of: (row) => row.a_steps },
      { name: "b_steps", title: "of B", kind: "count", of: (row) => row.b_steps },
      { name: "verdict", title: "Verdict", kind: "text", of: (row) => (row.isWall ? row.verdict : null) },
    ].filter((column) => rows.some((row) => !missing(column.of(row)))),
  });
  table.draw();
  return tableCard(table, entry.title, "");
};

/** How certain the difference is. */
SHOWS.evidence = (entry) => {
  const counts = `${grouped(comparison.a_units)} and ${grouped(comparison.b_units)} ${printable(comparison.unit)}`;
  const side = (at) => {
    const letter = "ab"[at];
    const files = printable(comparison[letter]);
    return `${files} · ${humanTime(asNs(comparison[`${letter}_ns`]))} in ${counted(comparison[`${letter}_instances`], "operation")}`;
  };
  const parts = [["calls_ns", "more or fewer calls"], ["time_per_call_ns", "time per call"], ["names_ns", "names of one run only"]].map(([id, title]) => `${signedTimeText(comparison[id])} ${title}`);
  const repeated = runs.length > 2 ? "the runs of each side" : page.steps && medianOfLabel.size === 0 ? `${grouped(page.steps.a)} and ${grouped(page.steps.b)} repeats (${stepName})` : counts;
  const repeats =
    !missing(comparison.earlier_runs)
      ? `One new run against what ${grouped(comparison.earlier_runs)} earlier runs show: intervals from the prediction of a further one of them (95 %, Student's t, on logarithms). Changes below 1 % count as noise.`
      : headline.interval || medianOfLabel.size > 0
      ? `Medians of ${repeated}; intervals of 95 % from 4,000 draws of these (bootstrap). Changes below 1 % count as noise.`
      : "There are fewer than three steps or runs on a side: nothing says how much of the change is noise. Name several runs with --a and --b.";
  const uncertain = [
    comparison.comparable === false ? `not comparable: ${printable(comparison.reason)}` : "",
    missing(comparison.not_judged) ? "" : printable(comparison.not_judged),
    headline.interval || medianOfLabel.size > 0 ? "" : "how much of the change is noise",
    hasUnits ? "" : "the runs are compared as a whole: they have no steps or repeated blocks in common, so more work looks like more time",
    rowsOf("substitutions").some(({ confidence }) => confidence === "low") ? "some names may not replace each other (confidence low)" : "",
    ...notesOfResults().filter(({ warning }) => warning).map(({ text }) => text),
  ].filter(Boolean);
  return card(
    entry.id, entry.title, "", [],
    pairs([
      ["A", side(0)],
      ["B", side(1)],
      ["Aligned by", hasUnits ? counts : "run against run"],
      ["In common", printable(comparison.reason)],
      ["All work", `${signedTimeText(comparison.change_ns)} (${signedPercentText(comparison.change_percent) || "no time in A"}) = ${parts.join(", ")}`],
      ["Repeats", repeats],
      ["Uncertain", uncertain.length > 0 ? uncertain.join("; ") : "nothing that kr knows of"],
    ]),
  );
};

function update(changes) {
  Object.assign(state, changes);
  address.write();
  drawAll();
}

function drawAll() {
  drawControls();
  drawTiles(headTiles());
  drawCards(makeCards(CARDS.diff));
}

setUpShell({
  title: page.title,
  subtitle: ["a", "b"].map((side) => `${side.toUpperCase()} = ${shortened(printable(comparison[side]), 120)}`).join(" · "),
  footer: ["A is the run before, B the run after; a difference is B − A."],
  empty: ["", ""],
  controls: [dimensionField(dimensions), unitField(), jsonButton("difference")],
  defaults: DEFAULTS,
  check: () => {
    if (!dimensions.includes(state.by)) state.by = DEFAULTS.by;
  },
});
drawNotes(notesOfResults());
const given = verdictsOfResults([]);
drawVerdicts(given.length > 0 ? given : verdictsOfDifference());
drawAll();
