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
  drawControls();
  if (steps.length === 0) return;
  drawBars(keepZoom);
  drawTree();
  drawTable();
}

/** What the page omits. */
function omitted() {
  const notes = [];
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

const [run] = runs;
const phases = [ALL, ...data.phases].map((name) => ({ name, title: name === ALL ? "All" : shortened(printable(name), 24) }));

SHOWS.facts = (entry) => {
  const skipped = data.step_interval > 1 ? `, one in ${grouped(data.step_interval)} of those in the profile, and the last` : "";
  const trees = data.trees.length < data.all_steps ? `; this page contains the trees of ${grouped(data.trees.length)}` : "";
  const facts = pairs([
    ["File", printable(run.source)],
    ["Format", printable(run.format)],
    ["Engine and model", printable(`${run.engine}/${run.model}`)],
    ...(run.why ? [["Chosen because", printable(run.why)]] : []),
    ["Steps", `${grouped(data.all_steps)}${skipped}${trees}`],
    ...data.context.map(([key, value]) => [printable(key), printable(value)]),
  ]);
  return card(entry.id, entry.title, "", [], facts);
};

setUpShell({
  title: printable(data.subject),
  subtitle: [...data.facts, `${run.engine}/${run.model}`].map(printable).join(" · "),
  footer: [
    "Times are work, the sum of the durations of kernels, added up along the tree; ",
    element("em", {}, "(self)"),
    " is time of a module that none of its children has.",
  ],
  empty: ["No steps", "This profile contains no prefill, no decode and no other step."],
  controls: [switchField("phase", "Phase", phases.length > 2 ? phases : []), switchField("metric", "Metric", METRICS), unitField()],
  defaults: DEFAULTS,
  check: checkState,
});
byId("empty").hidden = steps.length > 0;
drawNotes([...notesOfResults(), ...omitted()]);
const cards = makeCards(steps.length > 0 ? CARDS.tree : CARDS.tree.filter(({ id }) => id === "source"));
drawCards(cards);
setUpIcicle();
drawAll();
