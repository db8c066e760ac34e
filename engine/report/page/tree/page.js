// The page of module trees: its switches, and what is drawn when something is chosen.

/** Draws what depends on the changes. */
function update(changes) {
  if ("phase" in changes && state.step !== "") {
    const step = chosenStep();
    if (changes.phase !== ALL && data.phases[step.phase] !== changes.phase) changes.step = "";
  }
  Object.assign(state, changes);
  rowsWanted = FIRST_ROWS;
  writeAddress();
  const only = (...names) => Object.keys(changes).every((key) => names.includes(key));
  if (only("sort", "rows")) return drawTable();
  if (only("search")) {
    drawIcicle();
    return drawTable();
  }
  if (only("hidden")) {
    drawBars(true);
    return drawLegend();
  }
  drawAll(only("step", "place", "merge"));
}

function drawAll(keepZoom = false) {
  const phases = [ALL, ...data.phases].map((name) => ({ name, title: name === ALL ? "All" : shortened(printable(name), 24) }));
  byId("phase-field").hidden = data.phases.length < 2;
  segments(byId("phase"), phases, state.phase, (phase) => update({ phase }));
  segments(byId("metric"), METRICS, state.metric, (metric) => update({ metric }));
  if (steps.length === 0) return;
  drawBars(keepZoom);
  drawLegend();
  drawTree();
  drawTable();
}

function notesOf() {
  const notes = data.losses.map(
    ([what, count, offset]) => `dropped records: ${grouped(count)} × ${printable(what)} (first at ${grouped(offset)})`,
  );
  if (BigInt(data.lost) > 0n) {
    notes.push(`vLLM's own cut drops ${exactTime(BigInt(data.lost))} of the steps shown: the bars do not contain this time, the trees do`);
  }
  if (data.steps.length < data.all_steps) {
    notes.push(`bars of ${grouped(data.steps.length)} of ${grouped(data.all_steps)} steps; sums are over all steps`);
  }
  if (data.cut_depth !== null && data.cut_depth >= 0) {
    notes.push(`the trees are shown down to depth ${data.cut_depth}: deeper nodes are too many for a page`);
  }
  return notes;
}

function drawFacts() {
  const fact = (name, value) => [element("dt", {}, name), element("dd", {}, value)];
  byId("facts").replaceChildren(
    ...fact("Source", printable(data.source)),
    ...fact("Format", printable(data.format)),
    ...fact("Engine and model", printable(`${data.engine}/${data.model}`)),
    ...(data.why ? fact("Chosen because", printable(data.why)) : []),
    ...fact(
      "Steps",
      `${grouped(data.all_steps)}${data.step_interval > 1 ? `, one in ${grouped(data.step_interval)} of those in the profile, and the last` : ""}${
        data.trees.length < data.all_steps ? `; this page contains the trees of ${grouped(data.trees.length)}` : ""
      }`,
    ),
    ...data.context.flatMap(([key, value]) => fact(printable(key), printable(value))),
    ...data.warnings.flatMap((warning) => fact("Warning", printable(warning))),
  );
  byId("notes").replaceChildren(...notesOf().map((text) => element("p", { className: "note warning" }, text)));
}

function setUp() {
  byId("title").textContent = printable(data.subject);
  const engine = printable(`${data.engine}/${data.model}`);
  byId("subtitle").textContent = [...data.facts.map(printable), engine].join(" · ");
  byId("show-all").onclick = () => update({ hidden: new Set() });
  setUpIcicle();
  setUpTable();
  setUpTheme(() => {
    if (chart !== null) drawBars(true);
  });
  addEventListener("hashchange", () => {
    readAddress();
    drawAll();
  });
}

readAddress();
setUp();
drawFacts();
byId("empty").hidden = steps.length > 0;
for (const id of ["columns", "table-card"]) byId(id).hidden = steps.length === 0;
drawAll();
