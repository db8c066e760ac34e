// Heat maps of ranks in Chromium: what is drawn, the same numbers as a table, orders, tooltips, many ranks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pageTest, picture } from "./browser.mjs";

const MAPS = { steps: "rank_steps_map", labels: "rank_labels_map", collectives: "rank_collectives_map" };
const cells = (page, card) => page.$$eval(`#${card} tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
const ranksOf = async (page, card) => (await cells(page, card)).map(([rank]) => Number(rank));
const canvas = (page, card) => page.locator(`#${card} canvas`);

/** The colour of the middle of a cell of a map, as [red, green, blue]. */
const colorAt = (page, card, row, column) =>
  page.evaluate(([card, row, column]) => {
    const view = heatViews.get(card);
    const scale = view.canvas.width / view.width;
    const x = (view.left + (column + 0.4) * view.step) * scale;
    const y = (view.topOf(row) + 0.4 * view.heightOf(row)) * scale;
    const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    copy.drawImage(view.canvas, x, y, 1, 1, 0, 0, 1, 1);
    return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, [card, row, column]);

async function saved(page, card) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`#${card} .actions button`, { hasText: "CSV" }).click()]);
  const [head, ...rows] = readFileSync(await download.path(), "utf8").trimEnd().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
}

pageTest("the slow rank is first in every map, and each cell is exact", "report-ranks", async (page) => {
  for (const card of Object.values(MAPS)) assert.equal((await ranksOf(page, card))[0], 5, card);
  assert.deepEqual((await ranksOf(page, MAPS.steps)).length, 8);
  const steps = await saved(page, MAPS.steps);
  assert.equal(steps.length, 8);
  const results = await page.evaluate(() => JSON.parse(resultsText()).tables.rank_steps);
  for (const row of steps) {
    const own = results.filter(({ rank }) => rank === Number(row.rank));
    own.forEach((one) => assert.equal(Number(row[`${one.phase} ${one.step} (ns)`]), one.own_ns));
    assert.equal(Number(row.sum_ns), own.reduce((sum, one) => sum + one.own_ns, 0));
  }
  const collectives = await saved(page, MAPS.collectives);
  assert.equal(Object.keys(collectives[0]).filter((name) => /^allreduce \d+ \(ns\)$/.test(name)).length, 6);
  for (const row of collectives) {
    // The slow rank begins its collective at 210 us, all others at 110.
    assert.equal(Number(row["allreduce 0 (ns)"]), Number(row.rank) === 5 ? 0 : 100000);
  }
  await picture(page, "heat-8.png");
});

pageTest("orders: by number, by sum, by deviation; the table follows", "report-ranks", async (page) => {
  const order = page.locator(`#${MAPS.steps} select`);
  await order.selectOption("rank");
  assert.deepEqual(await ranksOf(page, MAPS.steps), [0, 1, 2, 3, 4, 5, 6, 7]);
  const [slow, other] = [await colorAt(page, MAPS.steps, 5, 1), await colorAt(page, MAPS.steps, 4, 1)];
  assert.ok(slow[0] - slow[2] > 100, `the slow rank is orange: ${slow}`);
  assert.ok(Math.max(...other) - Math.min(...other) < 90, `others are not: ${other}`);
  await order.selectOption("slowest");
  assert.equal((await ranksOf(page, MAPS.steps))[0], 5);
  assert.deepEqual(await colorAt(page, MAPS.steps, 0, 1), slow);
});

pageTest("a tooltip has exact values, by pointer and by keyboard", "report-ranks", async (page) => {
  const at = await page.evaluate((card) => {
    const view = heatViews.get(card);
    return { x: view.left + 0.5 * view.step, y: view.topOf(0) + 0.5 * view.height };
  }, MAPS.collectives);
  await canvas(page, MAPS.collectives).hover({ position: at });
  const tip = page.locator(`#${MAPS.collectives} .heat-tip`);
  assert.match(await tip.textContent(), /Rank 5/);
  assert.match(await tip.textContent(), /allreduce 0/);
  assert.match(await tip.textContent(), /Waiting0 ns/);
  await page.mouse.move(1, 1);
  assert.ok(await tip.isHidden());
  await canvas(page, MAPS.collectives).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.ok(await tip.isVisible());
  assert.doesNotMatch(await tip.textContent(), /Rank 5/);
  assert.match(await tip.textContent(), /100.*µs|100,000 ns/);
  await page.keyboard.press("Escape");
  assert.ok(await tip.isHidden());
});

pageTest("a report has the maps that need no steps, by the chosen dimension", "report-ranks", async (page) => {
  assert.equal(await canvas(page, MAPS.labels).count(), 1);
  assert.equal(await canvas(page, MAPS.collectives).count(), 1);
  assert.match(await page.textContent(`#${MAPS.labels}-title`), /substage/);
  await page.click('#by button:has-text("kind")');
  assert.match(await page.textContent(`#${MAPS.labels}-title`), /kind/);
});

pageTest("many ranks: what each has by itself is left out of the page, maps have all", "report-many-ranks", async (page) => {
  for (const card of [MAPS.labels, MAPS.collectives]) {
    assert.equal((await ranksOf(page, card))[0], 33, card);
    assert.equal(await page.evaluate((card) => heatViews.get(card).rows.length, card), 80);
  }
  assert.equal(await page.evaluate(() => rowsOf("labels").length + rowsOf("kernels").length + rowsOf("rank_steps").length), 0);
  assert.equal(await page.evaluate(() => rowsOf("ranks").length), 80);
  assert.equal((await ranksOf(page, MAPS.steps))[0], 33);
  assert.match(await page.textContent("#label_balance, #ranks"), /gemm/);
  await picture(page, "heat-many.png");
});

pageTest("dark, narrow and on paper, the maps are drawn anew", "report-ranks", async (page) => {
  const light = await colorAt(page, MAPS.collectives, 0, 0);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.ok(light[0] > 150, `${light}`);
  // The page hears of the change with its next frame.
  for (let red = light[0]; red >= 100; ) [red] = await colorAt(page, MAPS.collectives, 0, 0);
  await page.setViewportSize({ width: 390, height: 900 });
  await page.waitForFunction((card) => heatViews.get(card).width < 390, MAPS.steps);
  await picture(page, "heat-390-dark.png");
});
