// The page: its switches, and what is drawn when something is chosen.

/** Draws what depends on the changes. */
function update(changes) {
  Object.assign(state, changes);
  if ("by" in changes) {
    state.label = "";
    rowsWanted = FIRST_ROWS;
    state.hidden = new Set([...state.hidden].filter((label) => label === NON_GPU));
  }
  const keys = Object.keys(changes);
  const only = (...names) => keys.every((key) => names.includes(key));
  writeAddress();
  if (only("label", "run", "search", "sort")) return drawKernels();
  if (only("hidden")) {
    drawLegend();
    drawChart();
    return drawPivot();
  }
  drawAll();
}

function drawAll() {
  drawSwitches();
  drawTiles();
  if (someGpuWork) {
    drawLegend();
    drawChart();
    drawPivot();
    drawKernels();
  }
  drawDevices();
  drawRanks();
}

function drawSwitches() {
  const dimensions = data.dimensions.map((name) => ({ name, title: printable(name) }));
  byId("by-field").hidden = dimensions.length < 2;
  segments(byId("by"), dimensions, state.by, (by) => update({ by }));
  segments(byId("measure"), MEASURES, state.measure, (measure) => update({ measure }));
  byId("unit").value = state.unit;
}

function setUp() {
  const operations = runs.reduce((sum, run) => sum + run.all.instances, 0n);
  byId("title").textContent = data.title === "" ? "GPU time" : printable(data.title);
  byId("subtitle").textContent =
    runs.length === 1
      ? `${printable(runs[0].id)} · ${printable(`${runs[0].engine}/${runs[0].model}`)}`
      : `${grouped(runs.length)} runs · ${grouped(operations)} operations`;

  byId("unit").replaceChildren(
    ...[{ name: "auto" }, ...UNITS].map((unit) => element("option", { value: unit.name }, unit.name)),
  );
  byId("unit").onchange = (event) => update({ unit: event.target.value });
  setUpTheme(() => {
    if (chart !== null) drawChart();
  });

  byId("show-all").onclick = () => update({ hidden: new Set() });
  byId("save-svg").onclick = saveSvg;
  byId("pivot-more").onclick = () => {
    rowsWanted += MORE_ROWS;
    drawPivot();
  };
  byId("pivot-copy").onclick = (event) => copy(event.currentTarget, csvText(pivotCells(), "\t"));
  byId("pivot-save").onclick = () => save("labels.csv", csvText(pivotCells()), "text/csv");
  byId("kernels-copy").onclick = (event) => copy(event.currentTarget, csvText(kernelCsv(), "\t"));
  byId("kernels-save").onclick = () => save("kernels.csv", csvText(kernelCsv()), "text/csv");

  let waiting = 0;
  byId("search").oninput = (event) => {
    const search = event.target.value;
    clearTimeout(waiting);
    waiting = setTimeout(() => update({ search }), 120);
  };
  byId("label-filter").onchange = (event) => update({ label: event.target.value });
  byId("run-filter").onchange = (event) => update({ run: event.target.value });
  setUpKernels();

  addEventListener("hashchange", () => {
    Object.assign(state, DEFAULTS, { hidden: new Set(startHidden()) });
    readAddress();
    drawAll();
  });
  // On paper the table cannot scroll: it shows what takes longest.
  addEventListener("beforeprint", () => {
    byId("kernels-scroll").scrollTop = 0;
    if (chart !== null) drawChart();
  });
}

readAddress();
setUp();
drawFacts();
for (const id of ["measure-field", "unit-field", "chart-card", "pivot-card", "kernels-card"]) {
  byId(id).hidden = !someGpuWork;
}
byId("empty").hidden = someGpuWork;
drawAll();
