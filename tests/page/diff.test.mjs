// The page of a difference: what was compared, what changed by label, evidence, and the tables.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, pageTest } from "./browser.mjs";

const tablesOf = (name) => {
  const { tables } = JSON.parse(readFileSync(join(PAGES, `${name}.json`), "utf8"));
  return tables;
};

pageTest("at the top: what was compared, the verdict, A and B and their difference", "diff-steps", async (page) => {
  const [comparison] = tablesOf("diff-steps").comparison;
  assert.equal(await page.textContent("#title"), "after against before");
  assert.match(await page.textContent("#subtitle"), /A = .*before\.json · B = .*after\.json/);
  const human = (ns) => page.evaluate((ns) => humanTime(BigInt(ns)), ns);
  const [verdict] = await page.$$eval(".verdict", (all) => all.map((one) => one.textContent));
  assert.match(verdict, /^Step of decode, median wall time: .* → .* \(\+[\d.]+ %\): slower; 95 % interval of the change \+.* to \+/);
  assert.ok(verdict.includes(await human(comparison.a_wall_median_ns)));
  const tiles = await page.$$eval(".tile", (all) => all.map((one) => [...one.children].map((part) => part.textContent)));
  assert.deepEqual(tiles.map(([name]) => name), ["A: before", "B: after", "Difference, B − A"]);
  assert.equal(tiles[0][1], await human(comparison.a_wall_median_ns));
  assert.equal(tiles[1][1], await human(comparison.b_wall_median_ns));
  assert.match(tiles[2].join(" "), /^Difference, B − A \+.*slower$/);
  // No number adds A and B up.
  const sum = await human(comparison.a_ns + comparison.b_ns);
  assert.ok(!(await page.textContent("body main")).includes(sum));
});

pageTest("sections, in their order; the tables are folded", "diff-steps", async (page) => {
  assert.deepEqual(await page.$$eval("#contents a", (all) => all.map((one) => one.textContent)), ["Changes", "Replaced names", "Evidence", "Tables"]);
  assert.deepEqual(await page.$$eval("#cards .card", (all) => all.map((one) => one.id).slice(0, 4)), ["change_by_label", "phases", "replaced", "evidence"]);
  assert.equal(await page.locator("#raw-section table").count(), 0);
  await page.click("#label_changes .fold");
  assert.equal(await page.locator("#label_changes tbody tr").count(), tablesOf("diff-steps").label_changes.length);
  assert.match(await page.textContent("#evidence"), /Aligned by24 and 24 steps of decode/);
  assert.match(await page.textContent("#evidence"), /Uncertain/);
});

pageTest("bars of labels: the largest change first, left and right of zero, with A, B, difference and percent", "diff-steps", async (page) => {
  await page.selectOption("#unit", "ns");
  const rows = await page.$$eval("#change_by_label tbody tr", (all) =>
    all.map((row) => {
      const [bar, box] = [row.querySelector(".part-of-change").getBoundingClientRect(), row.querySelector(".change-bar").getBoundingClientRect()];
      const number = (cell) => Number(cell.textContent.replace(/,/g, "").replace("−", "-"));
      const [a, b, change] = [1, 2, 3].map((at) => number(row.cells[at]));
      return { label: row.cells[0].textContent, a, b, change, percent: number(row.cells[5]), left: bar.left - (box.left + box.width / 2), right: bar.right - (box.left + box.width / 2), judged: row.querySelector(".part-of-change").className.split(" ")[1] };
    }),
  );
  const changes = tablesOf("diff-steps").label_changes.filter(({ dimension }) => dimension === "substage");
  assert.equal(rows.length, changes.length);
  assert.ok(rows[0].label.startsWith("attn"));
  rows.forEach((row, at) => {
    assert.equal(row.b - row.a, row.change);
    assert.ok(at === 0 || Math.abs(row.change) <= Math.abs(rows[at - 1].change));
    if (Math.abs(row.change) > 10) assert.ok(row.change > 0 ? row.left > -1 : row.right < 1, row.label);
    const one = changes.find(({ label }) => row.label.startsWith(label));
    assert.ok(Math.abs((one.median_percent ?? 0) - row.percent) < 0.1, `${row.label}: ${row.percent}, not ${one.median_percent}`);
    // Colours mean something only for the same work, beyond noise.
    const known = one.a_instances === one.b_instances && ["more", "less"].includes(one.verdict);
    assert.equal(row.judged, known ? { more: "worse", less: "better" }[one.verdict] : "same");
  });
  const [longest, other] = rows.map(({ left, right, change }) => (right - left) / Math.abs(change));
  assert.ok(Math.abs(longest / other - 1) < 0.2 || Math.abs(rows[1].change) < 50);
});

pageTest("another dimension has its own bars", "diff-steps", async (page) => {
  await page.click('#by [role="radio"]:text-is("stage")');
  assert.equal(await page.textContent("#change_by_label h2"), "Change of time by stage");
  const labels = tablesOf("diff-steps").label_changes.filter(({ dimension }) => dimension === "stage").length;
  assert.equal(await page.locator("#change_by_label tbody tr").count(), labels);
});

pageTest("other work is neither better nor worse", "diff-comparison", async (page) => {
  assert.equal(await page.locator("#change_by_label .worse, #change_by_label .better").count(), 0);
  assert.match(await page.textContent("#evidence"), /fewer than three steps or runs on a side/);
});

pageTest("names that replaced each other are listed, as text", "diff-steps", async (page) => {
  const text = await page.textContent("#replaced tbody");
  assert.match(text, /sampling_kernel_v1/);
  assert.match(text, /sampling_kernel_v2<b>/);
});

pageTest("on paper: evidence, and no tables that were folded", "diff-steps", async (page) => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-print"));
  assert.ok(await page.isVisible("#evidence"));
  assert.equal(await page.locator("#raw-section table").count(), 0);
  assert.ok((await page.locator("#change_by_label tbody tr").count()) > 0);
});
