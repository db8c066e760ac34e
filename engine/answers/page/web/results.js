// The tables of a page, as `--format json` writes them, with their columns and the looks of labels.

const REST = "#8d939c"; // what has no colour of its own

const page = parseExact(byId("data").textContent);
const results = page.results || { tables: {} };

/** Rows of a table; none if the page does not contain it. */
const rowsOf = (table) => results.tables[table] || results[table] || [];

const runs = rowsOf("runs");
/** What people call a run: what differs between the runs of the page. */
const namesOfRuns = new Map(runs.map((run) => [run.run, printable(run.name)]));
const shortId = (run) => namesOfRuns.get(run) ?? printable(run);
const someGpuWork = runs.some((run) => Number(run.operations) > 0);

/** How names of kernels are shown, if not as they are: `[text, place…]`, with places where the text may be cut. */
const shownNames = new Map((page.names || []).map(([name, ...shown]) => [name, shown]));
const shownName = (name) => shownNames.get(name)?.[0] ?? printable(name);
function piecesOf(name) {
  const [text, ...places] = shownNames.get(name) || [printable(name)];
  return [0, ...places].map((from, at) => text.slice(from, places[at]));
}

/** How labels look. */
const looks = new Map((page.styles || []).map((style) => [`${style.dimension}\n${style.label}`, style]));
const lookOf = (dimension, label) => looks.get(`${dimension}\n${label}`) || { title: "", color: REST, doc: "" };

/** Rows with the same key, by key. */
function groupBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return groups;
}

/** Texts about tables say CUDA; where all devices are AMD's, or the calls of the host HIP's, the page says HIP. */
function ofVendor(text) {
  const names = rowsOf("devices").map((row) => row.device_name ?? "");
  const isAmd = names.length > 0 && names.every((name) => /\b(AMD|Instinct|Radeon|gfx\d+)/.test(name));
  const isHip = isAmd || ["idle_calls", "launches"].some((table) => rowsOf(table).some(({ api }) => /^hip[A-Z]/.test(api ?? "")));
  return isHip && !text.includes("HIP") ? text.replaceAll("CUDA", "HIP").replace(/\bcuda(?=[A-Z])/g, "hip") : text;
}

const keyOf = (row, columns) => columns.map((column) => row[column]).join("\n");
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const LONG = 48; // characters; longer texts are names

/** How values of a unit are shown. Means of times and counts have a fraction. */
function kindOf(unit, values) {
  const whole = () => values.every((value) => missing(value) || typeof value === "string" || Number.isInteger(value));
  switch (unit) {
    case "name":
      return "name";
    case "text":
      return values.some((value) => !missing(value) && String(value).length > LONG) ? "name" : "text";
    case "ns":
      return "time";
    case "count":
    case "bytes":
    case "flop":
    case "hz":
      return whole() ? "count" : "number";
    case "boolean":
      return "text";
    default:
      return { id: "id", ratio: "share", factor: "times", percent: "percent", per_second: "rate" }[unit] || "number";
  }
}

/** A column of a DataTable that shows a column of a table. */
function columnOf(column, rows) {
  const yes = { true: "yes", false: "no" };
  const made = {
    name: column.id,
    csv_title: column.id,
    title: capital(printable(column.title)),
    hint: `${column.id}: ${ofVendor(column.doc)}`,
    kind: kindOf(column.unit, rows.map((row) => row[column.id])),
    signed: Boolean(column.change),
    compared: /^[ab]_/.test(column.id) ? column.id.slice(2) : undefined, // `a_ns` and `b_ns`
    heat: column.unit === "ratio",
    kernel: column.unit === "name",
    of: column.unit === "boolean" ? (row) => yes[row[column.id]] : (row) => row[column.id],
  };
  if (column.id !== "run") return made;
  // One run needs no column, but files have it. What is about all runs names none.
  const named = (name) => (row) => (missing(row.run) ? null : name(row.run));
  return { ...made, kind: "text", saved: runs.length < 2, of: named(shortId), csv: (row) => row.run, title_of: named(printable) };
}

/**
 * The columns of a card: those that it lists, by id or as `[id, {…}]` with what is different, and
 * columns of its own; then the others of its table, which are only in files. Without a list: all.
 * A column without a value is not shown.
 */
function columnsOf(card, rows) {
  const all = page.tables.find(({ id }) => id === card.table)?.columns || [];
  const listed = card.columns || all.map(({ id }) => id);
  const made = listed.flatMap((one) => {
    if (one.of) return [one];
    const [id, more] = [one].flat();
    const found = all.find((column) => column.id === id);
    return found ? [{ ...columnOf(found, rows), ...more }] : [];
  });
  const names = new Set(made.map(({ name }) => name));
  const others = all.filter(({ id }) => !names.has(id)).map((column) => ({ ...columnOf(column, rows), saved: true }));
  return [...made, ...wideColumns(card), ...others].filter((column) => rows.some((row) => !missing(column.of(row))));
}

/**
 * Columns with values of another table, `wide.table`: one for each of `wide.values` and value of its
 * column `wide.by`, from the row with the same `wide.keys`.
 */
function wideColumns({ wide }) {
  if (!wide) return [];
  const rows = rowsOf(wide.table);
  const values = rows.filter(wide.where || (() => true));
  const kinds = new Set(rows.map((row) => row[wide.by]));
  if (wide.most && kinds.size > wide.most) return [];
  const found = new Map(values.map((row) => [`${row[wide.by]}\n${keyOf(row, wide.keys)}`, row]));
  const columns = page.tables.find(({ id }) => id === wide.table)?.columns || []; // of many ranks a table may be left out
  return [...kinds]
    .sort((a, b) => (wide.falling ? b - a : a - b))
    .flatMap((kind) =>
      wide.values.map((value) => {
        const column = columnOf(columns.find(({ id }) => id === value), rows);
        const named = wide.values.length > 1 ? { group: wide.name(kind) } : { title: wide.name(kind), group: wide.group };
        return {
          ...column,
          ...named,
          name: `${value} ${kind}`,
          csv_title: `${value} ${kind}`,
          of: (row) => found.get(`${kind}\n${keyOf(row, wide.keys)}`)?.[value],
        };
      }),
    );
}

const dimensionField = (names) => switchField("by", "Dimension", names.map((name) => ({ name, title: printable(name) })));

const SEARCHED_ROWS = 10; // with more rows, a table has a search field

/** How cards are shown: each gets its entry of the list and makes an element, or null. */
const SHOWS = {
  /** A table, below `children`. */
  table(entry, ...children) {
    const rows = entry.rows || rowsOf(entry.table).filter(entry.where || (() => true));
    if (rows.length === 0) return null;
    const columns = columnsOf(entry, rows);
    const table = new DataTable({
      title: entry.title,
      file: entry.id,
      first: entry.first || FIRST_ROWS,
      sort: entry.sort || "",
      rows,
      columns,
      searched: rows.length > SEARCHED_ROWS ? columns.filter((one) => !isNumber(one)).map(({ name }) => name) : [],
    });
    table.draw();
    return tableCard(table, entry.title, entry.note, ...children.filter(Boolean));
  },

  /** One bar per run, or per run and device: `total_ns` by the values of the column `by`, drawn as `looks` says. */
  split(entry) {
    const bars = splitBars(entry);
    return bars.length > 0 ? card(entry.id, entry.title, entry.note, [], ...bars) : null;
  },
};

function splitBars({ table, by, looks: known, hidden }) {
  const rows = rowsOf(table);
  if (hidden && rows.every(hidden)) return [];
  const bars = [...groupBy(rows, (row) => keyOf(row, ["run", "device"])).values()];
  return bars.map((ofBar) => {
    const { run, device } = ofBar[0];
    const lead = [runs.length > 1 ? shortId(run) : "", device !== undefined && bars.length > 1 ? `device ${device}` : ""].filter(Boolean).join(", ");
    const parts = ofBar.map((row) => ({ title: row[by], color: REST, ...known[row[by]], ns: BigInt(row.total_ns), share: row.share }));
    return element(
      "div",
      { className: "split" },
      lead ? element("span", { className: "split-run" }, lead) : null,
      stackedBar(parts),
      colorLegend(parts.map((part) => ({ ...part, text: `${part.title} ${humanTime(part.ns)} · ${percentText(part.share)}` }))),
    );
  });
}

/** Colours and what they are: `{color, text, ns}`. */
function colorLegend(parts, left = 0) {
  return element(
    "div",
    { className: "split-legend" },
    ...parts.map(({ color, text, ns }) => element("span", { title: ns === undefined ? undefined : exactTime(ns) }, swatch(color), text)),
    left > 0 ? element("span", { className: "faint" }, `and ${left} more`) : null,
  );
}

const LARGE = 24; // rows

/** A card of a list, or null if it has nothing to show. `folds`: it begins folded if its table has more rows. */
function makeCard(entry) {
  const make = () => SHOWS[entry.show || "table"](entry);
  if (entry.folds === undefined) return make();
  const rows = rowsOf(entry.table).length;
  if (rows === 0) return null;
  return foldedCard({ ...entry, rows: counted(rows, "row"), folded: rows > entry.folds, onPaper: entry.on_paper !== false, make });
}

/** The sections and cards of a list: those that have something to show. A section is `{id, title, cards}`. */
function makeCards(list) {
  return list
    .map((entry) => {
      if (!entry.cards) return makeCard(entry);
      const cards = entry.cards.map(makeCard).filter(Boolean);
      return cards.length > 0 ? section(entry.id, entry.title, cards) : null;
    })
    .filter(Boolean);
}

/** The rows of the table `verdicts`, with the section or card of a list that has the table that each is about. */
function verdictsOfResults(list) {
  const entryOf = (id, title, { table, also = [] }) => ({ id, title, tables: [table, ...also] });
  const entries = list.flatMap((one) => (one.cards ? one.cards.map((card) => entryOf(`${one.id}-section`, one.title, card)) : [entryOf(one.id, one.title, one)]));
  return rowsOf("verdicts").map((row) => {
    const found = entries.find(({ id, tables }) => !missing(row.source_table) && tables.includes(row.source_table) && byId(id));
    return { text: printable(row.text), severity: row.severity, lead: runs.length > 1 && !missing(row.run) ? shortId(row.run) : "", section: found };
  });
}

/** A tile per entry of `page.tiles`; some are about one dimension. */
function pageTiles(dimension) {
  return (page.tiles || [])
    .filter((one) => one.dimension === "" || one.dimension === dimension)
    .map((one) => tile(printable(one.title), printable(one.value), printable(one.beside), one.exact));
}

/** The JSON of `--format json`, byte for byte: the last member of the data. */
function resultsText() {
  const text = byId("data").textContent;
  const begin = text.indexOf('"results":{"kr":') + '"results":'.length;
  return text.slice(begin, text.lastIndexOf("}"))
    .replace(/\\(u003c|.)/g, (escape, what) => (what === "u003c" ? "<" : escape));
}

const jsonButton = (file) =>
  quietButton("JSON", {
    title: "The tables of this page, as --format json writes them",
    onclick: () => save(`${file}.json`, resultsText(), "application/json"),
  });

/** The worst error or warning of the table `trace_health`, if there is one. */
const healthNotes = () => (page.health ? [{ text: printable(page.health), warning: true }] : []);

/** What the phases found without annotations take, and what tells them. */
const foundNotes = () => (page.found ?? []).map((line) => ({ text: printable(line), warning: false }));

/** The notes of all runs. What is the same for several runs is one note. */
function notesOfResults() {
  const groups = [...groupBy(rowsOf("notes"), (note) => keyOf(note, ["code", "text", "count", "first_offset"])).values()];
  const lead = (notes) => (notes.length > 1 ? `${notes.length} runs: ` : runs.length > 1 && notes[0].run ? `${shortId(notes[0].run)}: ` : "");
  return groups.map((notes) => shownNote(notes[0], lead(notes)));
}
