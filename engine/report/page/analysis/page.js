// The page: its controls, and what is drawn when the user changes one.

function update(changes) {
  Object.assign(state, changes);
  writeAddress();
  if (Object.keys(changes).every((key) => key === "run")) {
    byId("steps").replaceWith(stepsCard());
    return;
  }
  drawAll();
}

/** What the text of a note alone does not say, by its code. */
const NOTE_LEADS = { "dropped-records": "dropped records: ", "inexact-times": "times are not exact: " };

function noteText(note) {
  const run = runs.length > 1 && note.run !== null ? `${shortIds[runNumbers.get(note.run)]}: ` : "";
  const count = note.count === null ? "" : `${grouped(note.count)} × `;
  const place = note.first_offset === null ? "" : ` (first at ${grouped(note.first_offset)})`;
  return `${run}${NOTE_LEADS[note.code] || ""}${count}${printable(note.text)}${place}`;
}

/** Many runs have many notes: the first are shown, a click shows the rest. */
function drawNotes() {
  const most = 6;
  const lines = notes.map((note) =>
    element("p", { className: note.severity === "warning" ? "note warning" : "note" }, noteText(note)),
  );
  byId("notes").replaceChildren(...lines.slice(0, most));
  if (lines.length <= most) return;
  byId("notes").append(
    element(
      "details",
      {},
      element("summary", { className: "note" }, `${grouped(lines.length - most)} more notes`),
      element("div", { style: { display: "grid", gap: "8px" } }, ...lines.slice(most)),
    ),
  );
}

function tile(name, value, beside, title = "") {
  return element(
    "div",
    { className: "tile", title },
    element("span", { className: "tile-name" }, name),
    element("span", { className: "tile-value" }, value),
    element("span", { className: "tile-beside", title: beside }, beside),
  );
}

/** Sums over all devices of all runs. */
function drawTiles() {
  const sum = (key) => sumOf(devices.map((device) => device[key]));
  const span = sum("span");
  byId("tiles").hidden = span === 0n;
  if (span === 0n) return;
  const of = (key) => share(sum(key), span, 1);
  const tiles = [
    tile("Busy", of("busy"), `${humanTime(sum("busy"))} of ${humanTime(span)}`, exactTime(sum("busy"))),
    tile("Compute", of("compute"), humanTime(sum("compute")), exactTime(sum("compute"))),
    tile("Exposed communication", of("exposed_communication"), `not hidden: ${humanTime(sum("exposed_communication"))} of ${humanTime(sum("communication"))}`, exactTime(sum("exposed_communication"))),
    tile("Exposed memory", of("exposed_memory"), `not hidden: ${humanTime(sum("exposed_memory"))} of ${humanTime(sum("memory"))}`, exactTime(sum("exposed_memory"))),
    tile("Idle", of("idle"), humanTime(sum("idle")), exactTime(sum("idle"))),
  ];
  const hostBound = rowsOf("idle").filter((row) => row.cause === "host_bound");
  if (hostBound.length > 0) {
    const bound = sumOf(hostBound.map((row) => row.total_ns));
    tiles.push(tile("Host-bound", share(bound, sum("idle"), 1), `of idle time: ${humanTime(bound)}`, exactTime(bound)));
  }
  const operations = sumOf(runs.map((run) => run.operations));
  tiles.push(tile("Operations", grouped(operations), `${grouped(devices.length)} device${devices.length === 1 ? "" : "s"}, ${grouped(runs.length)} run${runs.length === 1 ? "" : "s"}`));
  byId("tiles").replaceChildren(...tiles);
}

const CARDS = [
  devicesCard,
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
  drawTiles();
  const cards = CARDS.map((make) => make()).filter(Boolean);
  byId("parts").replaceChildren(...cards);
  byId("contents").replaceChildren(
    ...cards.map((one) => {
      const name = one.querySelector("h2").textContent;
      const go = (event) => {
        event.preventDefault();
        byId(one.id).scrollIntoView({ block: "start" });
        byId(one.id).querySelector("button, input, .scroll")?.focus({ preventScroll: true });
      };
      return element("a", { href: `#${one.id}`, onclick: go }, name);
    }),
  );
}

function setUp() {
  const models = [...new Set(runs.map((run) => `${run.engine}/${run.model}`))];
  byId("title").textContent = document.title;
  byId("subtitle").textContent =
    runs.length === 1
      ? printable(`${runs[0].source} · ${runs[0].format} · ${models[0]}`)
      : printable(`${runs.length} runs · ${models.join(", ")}`);
  byId("unit").replaceChildren(
    ...[{ name: "auto" }, ...UNITS].map((unit) => element("option", { value: unit.name }, unit.name)),
  );
  byId("unit").onchange = (event) => update({ unit: event.target.value });
  byId("save-json").onclick = () => save("analysis.json", analysisText(), "application/json");
  byId("empty").hidden = runs.some((run) => run.operations > 0);
  setUpTheme(() => {
    if (byId("steps")) byId("steps").replaceWith(stepsCard());
  });
  addEventListener("hashchange", () => {
    readAddress();
    drawAll();
  });
  addEventListener("resize", () => chart?.resize());
}

/** The JSON of `--format json`, byte for byte. In the page, styles of labels are before it. */
function analysisText() {
  const text = byId("data").textContent;
  const mark = '"analysis":';
  return text.slice(text.indexOf(mark) + mark.length, text.lastIndexOf("}"))
    .replace(/\\(u003c|.)/g, (escape, what) => (what === "u003c" ? "<" : escape));
}

readAddress();
setUp();
drawNotes();
drawAll();
