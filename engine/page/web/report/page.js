// The page of a report: its switches, and what is drawn when something is chosen.

/** Draws what depends on the changes. */
function update(changes) {
  Object.assign(state, changes);
  if ("by" in changes) {
    state.label = "";
    pivotTable.shown = MOST_LABELS;
    state.hidden = new Set([...state.hidden].filter((label) => label === NON_GPU));
  }
  const only = (...names) => Object.keys(changes).every((key) => names.includes(key));
  address.write();
  if (only("label", "run", "search", "sort")) return drawKernels();
  if (only("hidden")) {
    drawChart();
    return drawPivot();
  }
  drawAll();
}

const pivotCard = tableCard(pivotTable, "Labels", "");
const kernelsCard = tableCard(kernelTable, "Kernels and copies", "");
kernelsCard.append(detail); // below the table

function drawAll() {
  const dimensions = data.dimensions.map((name) => ({ name, title: printable(name) }));
  byId("by-field").hidden = dimensions.length < 2;
  segments(byId("by"), dimensions, state.by, (by) => update({ by }));
  segments(byId("measure"), MEASURES, state.measure, (measure) => update({ measure }));
  byId("unit").value = state.unit;
  drawTiles(runs.length === 1 && someGpuWork ? tilesOf(runs[0]) : []);
  const runColumns = runs.length > 1 ? [{ name: "run", title: "Run", kind: "text", of: (row) => shortIds[row.run], csv: (row) => runs[row.run].id }] : [];
  const devices = runs.flatMap((run, at) => run.devices.map((device) => ({ ...device, run: at })));
  const work = someGpuWork ? [chartCard, pivotCard, kernelsCard] : [];
  drawCards([...work, devicesCard(devices, runColumns), ranksCard(), factsCard()]);
  if (!someGpuWork) return;
  drawChart();
  drawPivot();
  drawKernels();
}

setUpShell({
  title: data.title === "" ? "GPU time" : printable(data.title),
  subtitle:
    runs.length === 1
      ? `${printable(runs[0].id)} · ${printable(`${runs[0].engine}/${runs[0].model}`)}`
      : `${grouped(runs.length)} runs · ${grouped(sumOf(runs.map((run) => run.all.instances)))} operations`,
  footer: [
    element("em", {}, "Elapsed"),
    " is the part of an operation that no earlier one covers, over all devices together: it adds up to GPU time. ",
    element("em", {}, "Total"),
    " is plain duration.",
  ],
  empty: NO_GPU_WORK,
  controls: [switchField("by", "Dimension"), switchField("measure", "Measure"), unitField()],
  defaults: DEFAULTS,
  check: checkState,
});
for (const id of ["measure-field", "unit-field"]) byId(id).hidden = !someGpuWork;
byId("empty").hidden = someGpuWork;
drawNotes(runs.flatMap(notesOf));
drawAll();
// On paper the table cannot scroll: it shows what takes longest.
addEventListener("beforeprint", () => {
  kernelTable.scroll.scrollTop = 0;
  chart?.draw();
});
