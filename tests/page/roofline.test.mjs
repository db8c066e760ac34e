// Rooflines in Chromium: every point is drawn or named, and reached by the keyboard.
import assert from "node:assert/strict";
import { join } from "node:path";
import { PAGES, PICTURES, pageTest } from "./browser.mjs";

const points = (page) => page.locator("#roofline .point");
/** Lines of a path. */
const roofs = (page) => page.$$eval("#roofline .s-roof", (all) => all.map((one) => one.getAttribute("d")).join("").split("M").length - 1);
const rows = (page) => page.evaluate(() => rowsOf("roofline"));

for (const file of ["roofline-one", "roofline-six", "roofline-many"]) {
  pageTest(`each kernel is a point or is named as missing: ${file}`, file, async (page) => {
    const first = (await rows(page))[0].run;
    const ofRun = (await rows(page)).filter((row) => row.run === first && row.scope === "kernel");
    const drawn = ofRun.filter((row) => row.intensity > 0 && row.flops_per_s > 0);
    assert.equal(await points(page).count(), drawn.length);
    const notes = await page.$$eval("#roofline .roofline-note", (all) => all.map((one) => one.textContent));
    const missing = notes.map((note) => Number(/^Not drawn: (\d+)/.exec(note)?.[1] ?? 0)).reduce((a, b) => a + b, 0);
    assert.equal(missing, ofRun.length - drawn.length);
    for (const size of [[1440, 900], [1024, 800], [390, 800]]) {
      await page.setViewportSize({ width: size[0], height: size[1] });
      const scale = () => document.querySelector(".roofline-view").clientWidth / document.querySelector(".roofline-view svg").viewBox.baseVal.width;
      await page.waitForFunction(`(${scale})() > 0.7 && (${scale})() < 1.4`); // letters can be read
      if (PICTURES) await page.locator("#roofline").screenshot({ path: join(PAGES, `${file}-${size[0]}-card.png`) });
    }
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1440, height: 900 });
    if (PICTURES) await page.locator("#roofline").screenshot({ path: join(PAGES, `${file}-dark-card.png`) });
  });

  pageTest(`texts of the chart are apart and inside: ${file}`, file, async (page) => {
    for (const width of [1440, 700, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(50);
      const wrong = await page.evaluate(() => {
        const svg = document.querySelector("#roofline .roofline-view svg");
        const all = [...svg.querySelectorAll("text")].map((one) => ({ text: one.textContent, turned: one.hasAttribute("transform"), box: one.getBoundingClientRect() }));
        const outer = svg.getBoundingClientRect();
        const out = all.filter(({ box }) => box.left < outer.left - 1 || box.right > outer.right + 1 || box.bottom > outer.bottom + 1);
        const level = all.filter(({ turned }) => !turned);
        const hit = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3;
        const over = level.flatMap((a, at) => level.slice(at + 1).filter((b) => hit(a.box, b.box)).map((b) => `${a.text} | ${b.text}`));
        return [...out.map(({ text }) => text), ...over];
      });
      assert.deepEqual(wrong, [], `${width} wide`);
    }
  });
}

pageTest("points are below their roofs where the roofs are drawn", "roofline-six", async (page) => {
  const wrong = await page.evaluate(() => {
    const { bottom } = document.querySelector(".roofline-view svg").getBoundingClientRect();
    const ridge = document.querySelector("#roofline circle.f-page").getBoundingClientRect();
    return [...document.querySelectorAll("#roofline .point")].filter((one) => one.getBoundingClientRect().top < ridge.top - 20 || one.getBoundingClientRect().bottom > bottom).length;
  });
  assert.equal(wrong, 0);
  assert.equal(await roofs(page), 5); // FP16 and BF16 are one
  assert.match(await page.textContent(".roofline-view svg"), /FP16 tensor, BF16 tensor 989 TFLOP\/s/);
});

pageTest("a point says what it is when pointed at, and by keyboard", "roofline-six", async (page) => {
  const tip = page.locator("#roofline .roofline-tip");
  await points(page).last().hover(); // the smallest is over all others
  assert.match(await tip.textContent(), /FLOP\/s.*FLOP per byte.*Limited by/s);
  await page.mouse.move(2, 2);
  await tip.waitFor({ state: "hidden" });
  await points(page).first().focus();
  const seen = [];
  for (let at = 0; at < 6; ++at) {
    seen.push(await page.evaluate(() => document.activeElement.getAttribute("aria-label")));
    assert.ok(await tip.isVisible());
    await page.keyboard.press("ArrowRight");
  }
  assert.equal(new Set(seen).size, 6);
  assert.match(seen[0], /kernel_\d<.*FLOP\/s at .* FLOP per byte, .*s, limited by/);
  await page.keyboard.press("Home");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), seen[0]);
  await page.keyboard.press("Escape");
  assert.ok(await tip.isHidden());
});

pageTest("a reader chooses the level and the run", "roofline-six", async (page) => {
  await page.selectOption('[aria-label="Level of the roofline"]', "substage");
  assert.equal(await points(page).count(), 1);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Level of the roofline");
  const notes = await page.textContent("#roofline");
  assert.match(notes, /Computed points are of 80\.0 % of the GPU time\./);
  assert.match(notes, /Not drawn: 1 label with ops above the peak of the GPU, so that their cost is wrong, 10\.0 ms/);
  assert.match(notes, /Not drawn: 1 label with ops whose FLOPs are not known, 10\.0 ms/);
  assert.equal(await page.locator("#roofline tbody tr", { hasText: "above the peak" }).count(), 1);
  await page.selectOption('[aria-label="Run of the roofline"]', { index: 1 });
  assert.equal(await points(page).count(), 4);
  assert.match(await points(page).last().getAttribute("aria-label"), /, no duration, limited by/);
  assert.match(await points(page).first().getAttribute("aria-label"), /[mµn]?s, limited by/);
  assert.match(await page.textContent("#roofline"), /highest peak of these kernels/);
  assert.equal(await roofs(page), 2);
});

pageTest("numbers have prefixes as in the program", "roofline-one", async (page) => {
  const texts = await page.evaluate(() => [[989.4e12, "FLOP/s"], [3.35e12, "B/s"], [999.96e9, ""], [12.5, "FLOP/s"], [0, ""], [1e22, ""], [-1234, "B"]].map((one) => inSi(...one)));
  assert.deepEqual(texts, ["989 TFLOP/s", "3.35 TB/s", "1.00 T", "12.5 FLOP/s", "0", "10,000 E", "−1.23 kB"]);
});

pageTest("a point is measured up to its roof, and has the colour of its label in the table", "roofline-six", async (page) => {
  const found = await page.evaluate(() => {
    const known = [...document.querySelectorAll("#roofline .point[data-roof]")];
    return known.map((mark) => {
      mark.focus();
      const guide = document.querySelector("#roofline .distance");
      const box = mark.getBBox();
      const row = rowsOf("roofline")[mark.dataset.point];
      return [guide.getAttribute("visibility"), Number(guide.getAttribute("y2")) < box.y, mark.style.fill === "" ? "no colour" : getComputedStyle(mark).fill === getComputedStyle(Object.assign(document.body.appendChild(document.createElement("i")), { style: `color: ${lookOfPoint(row).color}` })).color];
    });
  });
  assert.ok(found.length > 0);
  for (const one of found) assert.deepEqual(one, ["visible", true, true]);
});
