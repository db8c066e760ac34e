// The page: its controls, and what is drawn when the user changes one.

function update(changes) {
  Object.assign(state, changes);
  if ("by" in changes) state.hidden = new Set();
  address.write();
  const only = (...names) => Object.keys(changes).every((key) => names.includes(key));
  if (only("hidden")) return drawSteps();
  if (!only("run")) return drawAll();
  byId("steps").replaceWith(stepsCard());
  drawSteps();
}

const runOfNote = (note) => (runs.length > 1 && note.run !== null ? `${shortIds[runNumbers.get(note.run)]}: ` : "");

/** Sums over all devices of all runs. */
function tilesOf() {
  const sum = (name) => sumOf(rowsOf("devices").map((device) => device[`${name}_ns`]));
  const span = sum("span");
  if (span === 0n) return [];
  const part = (name, title, beside) => tile(title, share(sum(name), span, 1), beside, exactTime(sum(name)));
  const exposed = (name, title) => part(`exposed_${name}`, title, `not hidden: ${humanTime(sum(`exposed_${name}`))} of ${humanTime(sum(name))}`);
  const tiles = [
    part("busy", "Busy", `${humanTime(sum("busy"))} of ${humanTime(span)}`),
    part("compute", "Compute", humanTime(sum("compute"))),
    exposed("communication", "Exposed communication"),
    exposed("memory", "Exposed memory"),
    part("idle", "Idle", humanTime(sum("idle"))),
  ];
  const hostBound = rowsOf("idle").filter((row) => row.cause === "host_bound");
  if (hostBound.length > 0) {
    const bound = sumOf(hostBound.map((row) => row.total_ns));
    tiles.push(tile("Host-bound", share(bound, sum("idle"), 1), `of idle time: ${humanTime(bound)}`, exactTime(bound)));
  }
  const count = (number, noun) => `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
  const operations = sumOf(runs.map((run) => run.operations));
  return [...tiles, tile("Operations", grouped(operations), `${count(rowsOf("devices").length, "device")}, ${count(runs.length, "run")}`)];
}

const CARDS = [
  () => devicesCard(rowsOf("devices"), forRuns()),
  ranksCard,
  rankStepsCard,
  collectivesCard,
  stepsCard,
  phasesCard,
  layersCard,
  kernelsCard,
  launchesCard,
  launchQueueCard,
  attributionCard,
  activityCard,
  activityRatiosCard,
  namesOnlyInCard,
];

function drawAll() {
  byId("by-field").hidden = dimensions.length < 2;
  segments(byId("by"), dimensions.map((name) => ({ name, title: printable(name) })), state.by, (by) => update({ by }));
  byId("unit").value = state.unit;
  drawTiles(tilesOf());
  drawCards(CARDS.map((make) => make()));
  drawSteps();
}

/** The JSON of `--format json`, byte for byte. In the page, styles of labels are before it. */
function analysisText() {
  const text = byId("data").textContent;
  const mark = '"analysis":';
  return text.slice(text.indexOf(mark) + mark.length, text.lastIndexOf("}"))
    .replace(/\\(u003c|.)/g, (escape, what) => (what === "u003c" ? "<" : escape));
}

const models = [...new Set(runs.map((run) => `${run.engine}/${run.model}`))];
setUpShell({
  title: document.title,
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
  controls: [
    switchField("by", "Dimension"),
    unitField(),
    quietButton("JSON", {
      title: "The data of this page, as kr analyze --format json writes it",
      onclick: () => save("analysis.json", analysisText(), "application/json"),
    }),
  ],
  defaults: DEFAULTS,
  check: checkState,
});
byId("empty").hidden = runs.some((run) => run.operations > 0);
drawNotes(notes.map((note) => shownNote(note, runOfNote(note))));
drawAll();
