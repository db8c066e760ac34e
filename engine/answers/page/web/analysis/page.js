// The page of an analysis: its controls, and what is drawn when the user changes one.

SHOWS.ranks = (entry) => {
  if (runs.length < 2) return null;
  const made = SHOWS.table(entry);
  if (made === null) return null;
  if (rowsOf("rank_balance").length > 0) made.append(balanceTable((rank, device) => `rank ${rank}, device ${device}`).box);
  const uneven = new Set(rowsOf("collectives").filter((row) => row.matched === 0).map((row) => printable(row.kind)));
  if (uneven.size > 0) {
    made.append(element("p", { className: "part-note" }, `Not compared between ranks: ${[...uneven].join(", ")}`));
  }
  return made;
};

const MOST_MATCHING = 8; // runs with a line of their own

/** The calls, and how many operations have no call in the trace. */
SHOWS.launches = (entry) => {
  const all = rowsOf("launch_matching");
  const sum = (column) => all.reduce((sum, row) => sum + Number(row[column]), 0);
  const shown = all.length > MOST_MATCHING ? [{ linked: sum("linked"), orphans: sum("orphans") }] : all;
  const matching = shown.map((row) => {
    const lead = all !== shown ? `${grouped(all.length)} runs: ` : runs.length > 1 ? `${shortId(row.run)}: ` : "";
    const without = `${grouped(row.orphans)} operations were launched before the trace began, or by calls that it does not contain.`;
    return element("p", { className: "part-note" }, `${lead}${grouped(row.linked)} operations have a launch in the trace. ${row.orphans > 0 ? without : ""}`);
  });
  return SHOWS.table(entry, ...matching) || (matching.length > 0 ? card(entry.id, "Launches", "", [], ...matching) : null);
};

function update(changes) {
  Object.assign(state, changes);
  if ("by" in changes) state.hidden = new Set();
  address.write();
  const only = (...names) => Object.keys(changes).every((key) => names.includes(key));
  if (only("hidden")) return chart.draw();
  if (!only("run")) return drawAll();
  byId("steps").replaceWith(...makeCards(CARDS.analysis.filter(({ id }) => id === "steps")));
  chart.draw();
}

function drawAll() {
  drawControls();
  drawTiles(pageTiles());
  drawCards(makeCards(CARDS.analysis));
  drawVerdicts(verdictsOfResults(CARDS.analysis));
  chart.draw();
}

const models = [...new Set(runs.map((run) => `${run.engine}/${run.model}`))];
const DEFAULTS = { by: dimensions[0] || "", unit: "auto", run: "0", hidden: new Set() };
setUpShell({
  title: page.title,
  subtitle:
    runs.length === 1
      ? printable(`${runs[0].source} · ${runs[0].format} · ${models[0]}`)
      : printable(`${runs.length} runs · ${models.join(", ")}`),
  footer: [
    "Times are plain durations, to the nanosecond; shares of a part are of its own total. ",
    element("em", {}, "Exposed"),
    " is what nothing hides: communication while no kernel computes, copies while neither does.",
  ],
  empty: NO_GPU_WORK,
  controls: [dimensionField(dimensions), unitField(), jsonButton("analysis")],
  defaults: DEFAULTS,
  check: () => {
    if (!dimensions.includes(state.by)) state.by = DEFAULTS.by;
    if (!/^\d+$/.test(state.run) || !runs[Number(state.run)]) state.run = "0";
  },
});
byId("empty").hidden = someGpuWork;
drawNotes([...healthNotes(), ...notesOfResults()]);
drawAll();
