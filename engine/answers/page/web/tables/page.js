// Any tables: the data describes them, and the page uses the name of none.

const update = (changes) => {
  Object.assign(state, changes);
  address.write();
  drawAll();
};

function drawAll() {
  drawControls();
  drawCards(makeCards(CARDS.tables));
}

const described = page.tables.filter(({ id }) => id !== "notes" && id !== "runs");
const count = described.length;
const times = page.tables.some((table) => table.columns.some((column) => column.unit === "ns"));

setUpShell({
  title: page.title,
  subtitle: `${grouped(count)} table${count === 1 ? "" : "s"}${runs.length > 0 ? ` · ${runs.map((run) => shortId(run.run)).join(", ")}` : ""}`,
  footer: ["Point at a heading to see what its column is."],
  empty: ["No rows", "None of the tables has a row. That is a result, not an error."],
  controls: [unitField(!times), jsonButton("tables")],
  defaults: { unit: "auto" },
  check: () => {},
});
byId("empty").hidden = described.some(({ rows }) => rows > 0);
drawNotes(notesOfResults());
drawAll();
