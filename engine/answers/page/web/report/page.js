// The page of a report: its switches, and what is drawn when something is chosen.

/** Draws what depends on the changes. */
function update(changes) {
  Object.assign(state, changes);
  if ("by" in changes) {
    state.label = "";
    pivotTable.shown = MOST_LABELS;
    state.hidden = new Set([...state.hidden].filter((label) => RESTS.includes(label)));
  }
  const only = (...names) => Object.keys(changes).every((key) => names.includes(key));
  address.write();
  if (compact) return drawAll();
  if (only("label", "run", "search", "sort")) return drawKernels();
  if (only("hidden")) {
    drawChart();
    drawTimeline();
    return drawPivot();
  }
  drawAll();
}

function drawAll() {
  drawControls();
  drawTiles(pageTiles(state.by));
  drawCards(makeCards(CARDS.report));
  drawVerdicts(verdictsOfResults(CARDS.report));
  if (!someGpuWork || compact) return;
  drawChart();
  drawPivot();
  drawTimeline();
  drawKernels();
}

SHOWS.next = (entry) => {
  if (!page.next) return null;
  const { text, command } = page.next;
  const tool = quietButton("Copy", { onclick: (event) => copy(event.currentTarget, command) });
  return card(entry.id, entry.title, "", [element("div", { className: "actions" }, tool)], element("p", {}, printable(text)), element("pre", { className: "full-name", tabIndex: 0 }, printable(command)));
};

setUpShell({
  title: printable(page.title),
  subtitle:
    runs.length === 1
      ? printable(`${runs[0].source.split("/").at(-1)} · ${runs[0].engine}/${runs[0].model} · ${grouped(allRuns.instances)} operations`)
      : `${grouped(runs.length)} runs · ${grouped(allRuns.instances)} operations`,
  footer: [],
  empty: NO_GPU_WORK,
  controls: [dimensionField(dimensions), switchField("measure", "Measure", someGpuWork && !compact ? MEASURES : []), unitField(!someGpuWork), jsonButton("report")],
  defaults: DEFAULTS,
  check: checkState,
  themed: () => timeline.schedule(),
});
byId("empty").hidden = someGpuWork;
const without = someGpuWork ? runs.filter((run) => run.all.instances === 0n) : [];
drawNotes([...healthNotes(), ...notesOfResults(), ...foundNotes(), ...without.map((run) => ({ text: `${shortId(run.run)}: no operations`, warning: true }))]);
drawAll();
