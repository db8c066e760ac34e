// The page of module trees: its switches, and what is drawn when something is chosen.

/** Draws what depends on the changes. */
function update(changes) {
  if ("phase" in changes && state.step !== "") {
    const step = chosenStep();
    if (changes.phase !== ALL && data.phases[step.phase] !== changes.phase) changes.step = "";
  }
  Object.assign(state, changes);
  treeTable.shown = treeTable.first;
  address.write();
  const only = (...names) => Object.keys(changes).every((key) => names.includes(key));
  if (only("sort", "rows")) return drawTable();
  if (only("search")) {
    drawIcicle();
    return drawTable();
  }
  if (only("hidden")) return drawBars(true);
  drawAll(only("step", "place", "merge"));
}

function drawAll(keepZoom = false) {
  const phases = [ALL, ...data.phases].map((name) => ({ name, title: name === ALL ? "All" : shortened(printable(name), 24) }));
  byId("phase-field").hidden = data.phases.length < 2;
  segments(byId("phase"), phases, state.phase, (phase) => update({ phase }));
  segments(byId("metric"), METRICS, state.metric, (metric) => update({ metric }));
  byId("unit").value = state.unit;
  if (steps.length === 0) return;
  drawBars(keepZoom);
  drawTree();
  drawTable();
}

function notesOf() {
  const notes = data.losses.map(([what, count, offset]) => noteOfLoss({ what, count, first_offset: offset }));
  if (BigInt(data.lost) > 0n) {
    notes.push(`vLLM's own cut drops ${exactTime(BigInt(data.lost))} of the steps shown: the bars do not contain this time, the trees do`);
  }
  if (data.steps.length < data.all_steps) {
    notes.push(`bars of ${grouped(data.steps.length)} of ${grouped(data.all_steps)} steps; sums are over all steps`);
  }
  if (data.cut_depth !== null && data.cut_depth >= 0) {
    notes.push(`the trees are shown down to depth ${data.cut_depth}: deeper nodes are too many for a page`);
  }
  return notes.map((text) => ({ text, warning: true }));
}

function factsCard() {
  const skipped = data.step_interval > 1 ? `, one in ${grouped(data.step_interval)} of those in the profile, and the last` : "";
  const trees = data.trees.length < data.all_steps ? `; this page contains the trees of ${grouped(data.trees.length)}` : "";
  const facts = pairs([
    ["Source", printable(data.source)],
    ["Format", printable(data.format)],
    ["Engine and model", printable(`${data.engine}/${data.model}`)],
    ...(data.why ? [["Chosen because", printable(data.why)]] : []),
    ["Steps", `${grouped(data.all_steps)}${skipped}${trees}`],
    ...data.context.map(([key, value]) => [printable(key), printable(value)]),
    ...data.warnings.map((warning) => ["Warning", printable(warning)]),
  ]);
  return card("facts", "Where this comes from", "", [], facts);
}

setUpShell({
  title: printable(data.subject),
  subtitle: [...data.facts, `${data.engine}/${data.model}`].map(printable).join(" · "),
  footer: [
    "Times are CUDA time of kernels, added up along the tree; ",
    element("em", {}, "(self)"),
    " is time of a module that none of its children has.",
  ],
  empty: ["No steps", "This profile contains no prefill, no decode and no other step."],
  controls: [switchField("phase", "Phase"), switchField("metric", "Metric"), unitField()],
  defaults: DEFAULTS,
  check: checkState,
});
byId("empty").hidden = steps.length > 0;
drawNotes(notesOf());
const columns = element("div", { className: "columns" }, barsCard, icicleCard);
byId("cards").append(...(steps.length > 0 ? [columns, tableCard(treeTable, "", "")] : []), factsCard());
setUpIcicle();
drawAll();
