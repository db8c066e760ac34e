// The page: its switches, and what is drawn when something is chosen.

function update(changes) {
  Object.assign(state, changes);
  writeAddress();
  if (Object.keys(changes).every((key) => key === "run")) {
    byId("steps").replaceWith(stepsCard());
    return;
  }
  drawAll();
}

function lossText(loss) {
  return `${grouped(loss.count)} × ${printable(loss.what)} (first at ${grouped(loss.first_offset)})`;
}

function drawNotes() {
  byId("notes").replaceChildren(
    ...runs.flatMap((run, at) =>
      (run.losses || []).map((loss) =>
        element("p", { className: "note warning" }, `${runs.length > 1 ? `${shortIds[at]}: ` : ""}left out: ${lossText(loss)}`),
      ),
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

/** The sums of all devices. */
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
  const launches = runs.map((run) => run.launches).filter(Boolean);
  if (launches.length > 0 && launches.every((one) => one.idle)) {
    const bound = sumOf(launches.map((one) => one.idle.host_bound_ns));
    tiles.push(tile("Bound by the host", share(bound, sum("idle"), 1), `of idle time: ${humanTime(bound)}`, exactTime(bound)));
  }
  const operations = sumOf(devices.map((device) => device.operations));
  tiles.push(tile("Operations", grouped(operations), `${grouped(devices.length)} device${devices.length === 1 ? "" : "s"}, ${grouped(runs.length)} run${runs.length === 1 ? "" : "s"}`));
  byId("tiles").replaceChildren(...tiles);
}

const CARDS = [breakdownCard, ranksCard, rankStepsCard, collectivesCard, stepsCard, phasesCard, layersCard, kernelsCard, launchesCard, queuesCard, attributionCard, activityCard, compareCard, onlyCard];

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
  byId("empty").hidden = devices.length > 0;
  setUpTheme(() => {
    if (byId("steps")) byId("steps").replaceWith(stepsCard());
  });
  addEventListener("hashchange", () => {
    readAddress();
    drawAll();
  });
  addEventListener("resize", () => chart?.resize());
}

/** The JSON as it was written: what the page adds to it stands before. */
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
