// What all pages are made of: a head with switches, notes, tiles and cards. A page adds its own cards.

/** What the user chose. It is in the page's address: a link shows the same. */
const state = {};

/**
 * Makes `state` from `defaults` and the address; sets are kept as several parameters. `check` puts
 * right what makes no sense: anybody can write an address.
 */
const address = {
  defaults: {},
  check: () => {},
  read() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const [name, value] of Object.entries(this.defaults)) {
      if (!(value instanceof Set)) state[name] = given.get(name) ?? value;
      else state[name] = new Set(given.has(name) ? given.getAll(name).filter((one) => one !== "") : value);
    }
    if (state.unit !== "auto" && !UNITS.some((unit) => unit.name === state.unit)) state.unit = "auto";
    this.check();
  },
  write() {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(this.defaults)) {
      const now = state[name];
      if (!(value instanceof Set)) {
        if (now !== value) given.set(name, now);
      } else if (now.size !== value.size || [...now].some((one) => !value.has(one))) {
        (now.size === 0 ? [""] : now).forEach((one) => given.append(name, one));
      }
    }
    const text = given.toString();
    history.replaceState(null, "", text === "" ? location.pathname + location.search : `#${text}`);
  },
};

/** Where a table has room for two columns. */
const narrow = matchMedia("screen and (max-width: 720px)");
const paper = matchMedia("print");
const isNarrow = () => narrow.matches && !printing.on;

/** On paper all is drawn again: as wide as paper, in light colours, whole tables. */
const printing = {
  on: false,
  isSetUp: false,
  set(on) {
    if (this.on === on) return;
    this.on = on;
    document.documentElement.toggleAttribute("data-print", on);
    const notes = document.querySelector("#notes details");
    if (on) this.notesOpen = Boolean(notes?.open);
    if (notes) notes.open = on || this.notesOpen;
    if (!this.isSetUp) return;
    drawAll();
    this.fit();
  },
  /** Tables that are wider than the paper are made smaller. */
  fit() {
    for (const scroll of document.querySelectorAll(".frame > .scroll")) {
      const table = scroll.firstElementChild;
      table.style.zoom = "";
      const room = scroll.clientWidth;
      if (this.on && table.scrollWidth > room + 1) table.style.zoom = String(room / table.scrollWidth);
    }
  },
};

/** What is open is closed: tooltips, names shown whole, notes. */
function closeAll() {
  chart.drawing?.dispatchAction({ type: "hideTip" });
  for (const tip of document.querySelectorAll(".floating, .timeline-tip, .roofline-tip, .heat-tip")) tip.hidden = true;
  for (const one of document.querySelectorAll('.link[aria-expanded="true"]')) one.setAttribute("aria-expanded", "false");
  for (const one of document.querySelectorAll("details[open]")) one.open = false;
}

/** The unit that the user chose, or the one that suits the largest value. */
function unitOf(largest) {
  return state.unit === "auto" ? columnUnit(largest) : UNITS.find((unit) => unit.name === state.unit);
}

/**
 * A switch in the head: a group of buttons `{name, title}` of which one is on; arrows move within it, as in
 * a native group of radio buttons. There is none without two choices.
 */
function switchField(name, title, choices) {
  const box = element("div", { className: "segments", id: name, role: "radiogroup", "aria-labelledby": `${name}-name` });
  const choose = (chosen) => update({ [name]: chosen });
  box.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = choices.findIndex((one) => one.name === state[name]);
    choose(choices[(at + step + choices.length) % choices.length].name);
  };
  const button = (one) => {
    const on = one.name === state[name];
    const properties = { type: "button", role: "radio", "aria-checked": String(on), tabIndex: on ? 0 : -1, onclick: () => choose(one.name) };
    return element("button", properties, one.title.trim() || "(no name)");
  };
  const field = element(
    "div",
    { className: "field", id: `${name}-field`, hidden: choices.length < 2 },
    element("span", { className: "field-name", id: `${name}-name` }, title),
    box,
  );
  field.draw = () => {
    const held = box.contains(document.activeElement);
    box.replaceChildren(...choices.map(button));
    if (held) box.querySelector('[aria-checked="true"]').focus();
  };
  return field;
}

function unitField(hidden = false) {
  const select = element(
    "select",
    { id: "unit", onchange: (event) => update({ unit: event.target.value }) },
    ...["auto", ...UNITS.map(({ name }) => name)].map((value) => element("option", { value }, value)),
  );
  const field = element("label", { className: "field", id: "unit-field", hidden }, element("span", { className: "field-name" }, "Unit"), select);
  field.draw = () => (select.value = state.unit);
  return field;
}

const drawControls = () => [...byId("tools").children].forEach((one) => one.draw?.());

const quietButton = (text, properties) => element("button", { type: "button", className: "quiet", ...properties }, text);

/**
 * `subtitle`, `footer`: texts; `empty`: heading and text of a page without results; `controls`: what is
 * in the head; `defaults`, `check`: see `address`; `themed()` draws what does not follow the theme by
 * itself, beside the chart. The page has a function `drawAll`.
 */
function setUpShell({ title, subtitle, footer, empty, controls, defaults, check, themed = () => {} }) {
  byId("title").textContent = title;
  byId("subtitle").textContent = subtitle;
  byId("footer").append(...footer);
  byId("empty").append(element("h2", {}, empty[0]), element("p", {}, ...empty.slice(1)));
  byId("tools").prepend(...controls);
  Object.assign(address, { defaults, check });
  address.read();
  setUpTheme(() => {
    chart.draw();
    drawHeatMaps();
    themed();
  });
  narrow.addEventListener("change", () => drawAll());
  addEventListener("beforeprint", () => printing.set(true));
  addEventListener("afterprint", () => printing.set(false));
  paper.addEventListener("change", ({ matches }) => printing.set(matches));
  printing.set(paper.matches);
  printing.isSetUp = true;
  addEventListener("keydown", ({ key }) => key === "Escape" && closeAll());
  addEventListener("scroll", () => markSection(), { passive: true });
  new ResizeObserver(() => document.documentElement.style.setProperty("--top", `${stuckHeight()}px`)).observe(byId("top"));
  addEventListener("hashchange", () => {
    address.read();
    drawAll();
  });
}

/** The message of a page about traces without operations. */
const NO_GPU_WORK = [
  "No operations",
  "kr found no kernel, copy or set in these traces. If no note says that a layout is not known, this is a result, not an error: the program may not have used the GPU while it was profiled, or the profiler was not asked to trace CUDA or HIP (",
  element("code", {}, "nsys profile -t cuda"),
  ").",
];

const counted = (number, noun) => `${grouped(number)} ${noun}${Number(number) === 1 ? "" : "s"}`;

/** One line that opens: `1 warning, 2 notes`. Warnings come first. */
function drawNotes(notes) {
  const lines = (warning) => notes.filter((one) => Boolean(one.warning) === warning).map(({ text }) => element("p", { className: warning ? "note warning" : "note" }, text));
  const [warnings, others] = [lines(true), lines(false)];
  const parts = [[warnings, "warning"], [others, "note"]].filter(([some]) => some.length > 0);
  byId("notes").hidden = parts.length === 0;
  if (parts.length === 0) return;
  byId("notes").replaceChildren(
    element(
      "details",
      { open: printing.on },
      element("summary", { className: warnings.length > 0 ? "warning" : "faint" }, parts.map(([some, noun]) => counted(some.length, noun)).join(", ")),
      element("div", { className: "more-notes" }, ...warnings, ...others),
    ),
  );
}

/**
 * Sentences above all else, `{text, severity, run, table}`: what the run is limited by, or what changed. Each links to the
 * section that has its table.
 */
function drawVerdicts(verdicts) {
  byId("verdicts").hidden = verdicts.length === 0;
  byId("verdicts").replaceChildren(
    ...verdicts.map(({ text, severity, lead = "", section }) => {
      const known = ["error", "warning"].includes(severity) ? ` ${severity}` : "";
      const more = section ? [" ", element("button", { type: "button", className: "go", onclick: () => goTo(section.id) }, section.title)] : [];
      return element("p", { className: `verdict${known}` }, lead ? element("span", { className: "faint" }, `${lead}: `) : "", text, ...more);
    }),
  );
}

/** What the text of a note does not say itself, by its code. */
const NOTE_LEADS = { "dropped-records": "dropped records: ", "inexact-times": "times are not exact: " };

/** A row of the table `notes`; `lead` names its run. */
function shownNote(note, lead) {
  const count = missing(note.count) ? "" : `${grouped(note.count)} × `;
  const place = missing(note.first_offset) ? "" : ` (first at ${grouped(note.first_offset)})`;
  const text = `${lead}${NOTE_LEADS[note.code] || ""}${count}${printable(note.text)}${place}`;
  return { text, warning: note.severity === "warning" };
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

function drawTiles(tiles) {
  byId("tiles").hidden = tiles.length === 0;
  byId("tiles").replaceChildren(...tiles);
}

/** A card with its heading, and beside it a note and `tools`. */
function card(id, title, note, tools, ...children) {
  return element(
    "section",
    { className: "card", id, "aria-labelledby": `${id}-title` },
    element(
      "div",
      { className: "card-head" },
      element("h2", { id: `${id}-title` }, title),
      note ? element("span", { className: "faint" }, note) : null,
      ...tools,
    ),
    ...children,
  );
}

/** A card with one table. */
function tableCard(table, title, note, ...children) {
  return card(table.file, title, note, [table.count, table.tools], ...children, table.box);
}

/** The cards of a section of the page, which the navigation names. */
function section(id, title, cards) {
  const made = element("section", { className: "part", id: `${id}-section`, "aria-label": title }, ...cards);
  made.dataset.title = title;
  return made;
}

/** Shows the sections and cards (nulls are none), and links to them where they are many. */
function drawCards(cards) {
  const shown = cards.filter(Boolean);
  byId("cards").replaceChildren(...shown);
  for (const one of byId("cards").querySelectorAll(".card")) one.whenShown?.(); // what needs its width to be drawn
  const links = shown.map((one) => {
    const go = (event) => {
      event.preventDefault();
      goTo(one.id);
    };
    return element("a", { href: `#${one.id}`, onclick: go }, one.dataset.title || one.querySelector("h2").textContent);
  });
  byId("contents").replaceChildren(...(links.length > 2 ? [element("div", { className: "wide links" }, ...links)] : []));
  markSection();
}

function goTo(id) {
  const target = byId(id);
  target.scrollIntoView({ block: "start" });
  target.querySelector("button, input, .scroll")?.focus({ preventScroll: true });
}

/** How much of the window what stays at its top takes: of a narrow one, the navigation alone. */
const stuckHeight = () => (narrow.matches ? byId("contents") : byId("top")).offsetHeight;

/** Marks the section that is at the top of the window; at the end of the page the last one. */
function markSection() {
  const links = [...byId("contents").querySelectorAll("a")];
  if (links.length === 0) return;
  const line = stuckHeight() + 40;
  const tops = links.map((link) => document.getElementById(link.hash.slice(1))?.getBoundingClientRect().top ?? Infinity);
  const isEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const at = isEnd ? links.length - 1 : Math.max(0, tops.findLastIndex((top) => top <= line));
  links.forEach((link, one) => (one === at ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  const row = links[at].parentElement;
  const outside = links[at].offsetLeft < row.scrollLeft || links[at].offsetLeft + links[at].offsetWidth > row.scrollLeft + row.clientWidth;
  if (outside) row.scrollLeft = links[at].offsetLeft - 12;
}

/** Cards that the user opened or closed, by their id. */
const unfolded = new Map();

/**
 * A card that can be folded: what is large and below the first screen is made once it is opened. `make()` makes the card;
 * `rows`: how much is in it, for its heading; `onPaper`: it is open there.
 */
function foldedCard({ id, title, rows, folded, onPaper, make }) {
  const open = unfolded.get(id) ?? !folded;
  const shown = open || (printing.on && onPaper);
  const made = shown ? make() : card(id, title, rows, []);
  if (made === null) return null;
  const toggle = () => {
    unfolded.set(id, !open);
    const next = foldedCard({ id, title, rows, folded, onPaper, make });
    byId(id).replaceWith(next);
    next.whenShown?.();
    next.querySelector("h2 button").focus();
  };
  const heading = made.querySelector("h2");
  heading.replaceChildren(element("button", { type: "button", className: "fold", "aria-expanded": String(shown), onclick: toggle }, heading.textContent));
  made.classList.toggle("folded", !shown);
  return made;
}

/** Names and their values. */
function pairs(facts) {
  return element("dl", { className: "pairs" }, ...facts.flatMap(([name, ...value]) => [element("dt", {}, name), element("dd", {}, ...value)]));
}

/** Parts side by side: `{title, ns, share, color}`, where `share` is of the width, from 0 to 1. */
function stackedBar(parts) {
  const named = (color) => !color.startsWith("#"); // those of the page are not alike
  const hatched = parts.some(({ color }) => named(color)) ? [] : hatchesOf(parts.map(({ color }) => color));
  return element(
    "div",
    { className: "bar", "aria-hidden": "true" },
    ...parts.map((part, at) =>
      element("span", {
        className: hatched[at] ? "hatched" : "",
        title: `${part.title}: ${exactTime(part.ns)}`,
        style: { width: `${part.share * 100}%`, backgroundColor: part.color },
      }),
    ),
  );
}
