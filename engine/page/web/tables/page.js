// Any tables, as kr has them: what they are is in the data, and the page knows none by name.

const page = parseExact(byId("data").textContent);
const { results } = page;
const rowsOf = (table) => results.tables[table.id] || results[table.id] || [];

const DEFAULTS = { unit: "auto" };
const LONG = 48; // characters; longer texts are names

/** How values of a unit are shown. Means of times and counts have a fraction. */
function kindOf(column, rows) {
  const values = () => rows.map((row) => row[column.id]).filter((value) => !missing(value));
  switch (column.unit) {
    case "text":
      return values().some((value) => String(value).length > LONG) ? "name" : "text";
    case "ns":
      return values().every((value) => typeof value === "string" || Number.isInteger(value)) ? "time" : "mean";
    case "count":
    case "bytes":
    case "flop":
    case "hz":
      return values().every((value) => typeof value === "string" || Number.isInteger(value)) ? "count" : "number";
    case "boolean":
      return "text";
    default:
      return { id: "id", ratio: "share", factor: "times", percent: "percent" }[column.unit] || "number";
  }
}

function columnOf(column, rows) {
  const yes = { true: "yes", false: "no" };
  return {
    name: column.id,
    csv_title: column.id,
    title: printable(column.title),
    hint: `${column.id}: ${column.doc}`,
    kind: kindOf(column, rows),
    heat: column.unit === "ratio",
    of: column.unit === "boolean" ? (row) => yes[row[column.id]] : (row) => row[column.id],
  };
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function cardOf(table) {
  const rows = rowsOf(table);
  const columns = table.columns.map((column) => columnOf(column, rows));
  const made = new DataTable({
    title: capital(printable(table.title)),
    file: table.id,
    first: 100,
    rows,
    columns,
    searched: columns.filter((column) => !isNumber(column)).map((column) => column.name),
  });
  made.draw();
  const cut = rows.length < table.rows ? ` The page has the first ${grouped(rows.length)} of ${grouped(table.rows)}.` : "";
  return tableCard(made, made.title, printable(table.doc) + cut);
}

const update = (changes) => {
  Object.assign(state, changes);
  address.write();
  drawAll();
};

const drawn = page.tables.filter((table) => table.id !== "notes");

function drawAll() {
  byId("unit").value = state.unit;
  drawCards(drawn.filter((table) => rowsOf(table).length > 0).map(cardOf));
}

const rows = sumOf(drawn.map((table) => table.rows));
setUpShell({
  title: document.title,
  subtitle: `${grouped(drawn.length)} table${drawn.length === 1 ? "" : "s"} · ${grouped(rows)} row${rows === 1n ? "" : "s"}`,
  footer: ["A heading tells what its column is when it is pointed at."],
  empty: ["No rows", "None of the tables has a row. That is a result, not an error."],
  controls: [unitField()],
  defaults: DEFAULTS,
  check: () => {},
});
byId("unit-field").hidden = !drawn.some((table) => table.columns.some((column) => column.unit === "ns"));
byId("empty").hidden = rows > 0n;
drawNotes((results.notes || []).map((note) => shownNote(note, note.run ? `${printable(note.run)}: ` : "")));
drawAll();
