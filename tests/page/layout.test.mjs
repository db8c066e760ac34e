// What is true of every page, whatever it shows: nothing is cut, all is readable, reachable by keyboard, named for
// screen readers, and whole on paper.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PAGES, pageTest } from "./browser.mjs";
import { nearestNeighbours } from "./colors.mjs";

const files = readdirSync(PAGES).filter((name) => name.endsWith(".html")).map((name) => name.slice(0, -".html".length)).sort();
const SIZES = [1440, 1024, 390].map((width) => ({ width, height: 900 }));

/** Two frames later, all has its size. */
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Texts of numbers and headings that do not fit their cells, and tables whose decimal points are not aligned. */
const cutNumbers = () => {
  const wrong = [];
  const inside = (part, whole) => {
    const [a, b] = [part.getBoundingClientRect(), whole.getBoundingClientRect()];
    return a.left >= b.left - 1 && a.right <= b.right + 1;
  };
  for (const cell of document.querySelectorAll(".data-table td.number, .data-table thead th, .tile-value, .chip-share, .pairs dd")) {
    if (cell.offsetParent === null || cell.closest(".sizer")) continue;
    const spans = [...cell.querySelectorAll("*")].filter((one) => one.offsetParent !== null && !one.matches(".unseen, .track *"));
    if (cell.scrollWidth > cell.clientWidth + 1 || spans.some((one) => !inside(one, cell))) wrong.push(`cut: ${cell.textContent}`);
    if (cell.matches("td.number") && cell.textContent.includes("…")) wrong.push(`shortened: ${cell.textContent}`);
  }
  for (const value of document.querySelectorAll("#icicle .node-value")) {
    const button = value.parentElement.getBoundingClientRect();
    const box = value.getBoundingClientRect();
    const seen = box.top < button.bottom - 2;
    if (seen && box.right > button.right + 1) wrong.push(`cut: ${value.textContent}`);
  }
  for (const table of document.querySelectorAll(".data-table")) {
    const points = new Map();
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, at) => {
        const fraction = cell.querySelector(".fraction");
        if (!fraction || cell.querySelector(".beside") || row.matches(".sizer")) return;
        const left = fraction.getBoundingClientRect().left;
        if (!points.has(at)) points.set(at, left);
        if (Math.abs(points.get(at) - left) > 1) wrong.push(`not aligned: ${cell.textContent} in ${table.caption.textContent}`);
      });
    }
  }
  return wrong.slice(0, 5);
};

const pageOverflow = () => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Texts whose contrast with what is behind them is below 4.5. */
const faintTexts = () => {
  const parse = (text) => {
    const parts = text.match(/-?[\d.]+(e-?\d+)?/g)?.map(Number) ?? [0, 0, 0, 0];
    const size = text.startsWith("color(") ? 255 : 1;
    return [...parts.slice(0, 3).map((one) => one * size), parts[3] ?? 1];
  };
  const over = ([r, g, b, alpha], below) => [r, g, b].map((value, at) => value * alpha + below[at] * (1 - alpha));
  const luminance = (color) => {
    const [r, g, b] = color.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    if (one === null) return parse(getComputedStyle(document.body).backgroundColor).slice(0, 3);
    const own = parse(getComputedStyle(one).backgroundColor);
    return own[3] === 1 ? own.slice(0, 3) : over(own, behind(one.parentElement));
  };
  const wrong = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let seen = 0; texts.nextNode() && seen < 4000; ) {
    const one = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() === "" || one.closest("script, style, noscript, svg, canvas, .unseen, .sizer, :disabled")) continue;
    if (!one.checkVisibility({ visibilityProperty: true })) continue;
    ++seen;
    const background = behind(one);
    let opacity = 1;
    for (let at = one; at !== null; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    const color = parse(getComputedStyle(one).color);
    const [a, b] = [over([...color.slice(0, 3), color[3] * opacity], background), background].map(luminance);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) wrong.add(`${contrast.toFixed(2)}: ${texts.currentNode.data.trim().slice(0, 40)} (${one.className || one.tagName})`);
  }
  return [...wrong].slice(0, 8);
};

for (const file of files) {
  pageTest(`nothing is cut, no page scrolls sideways: ${file}`, file, async (page) => {
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await settled(page);
      assert.deepEqual([await page.evaluate(cutNumbers), await page.evaluate(pageOverflow)], [[], 0], `${size.width} wide`);
    }
    // Zoomed to 200 %, a window of 1440 is 720 wide; and another typeface, wider than most.
    await page.setViewportSize({ width: 720, height: 450 });
    await page.addStyleTag({ content: "* { font-family: 'DejaVu Sans Mono', monospace !important; letter-spacing: 0.05em !important; }" });
    await settled(page);
    assert.deepEqual([await page.evaluate(cutNumbers), await page.evaluate(pageOverflow)], [[], 0], "zoomed, in a wide typeface");
  });

  pageTest(`texts have contrast: ${file}`, file, async (page) => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await settled(page);
      assert.deepEqual(await page.evaluate(faintTexts), [], colorScheme);
    }
  });

  pageTest(`on a narrow screen, the name of a row and its time stay: ${file}`, file, async (page) => {
    const wrong = await page.evaluate(() => {
      const found = [];
      for (const scroll of document.querySelectorAll(".scroll")) {
        const row = scroll.querySelector("tbody tr:not(.sizer, .blank)");
        const times = scroll.querySelectorAll("thead .second").length;
        if (times === 0 || !row?.querySelector(".second")) continue;
        for (const place of [0, scroll.scrollWidth]) {
          scroll.scrollLeft = place;
          const box = scroll.getBoundingClientRect();
          const [name, time] = [".first", ".second"].map((one) => row.querySelector(one).getBoundingClientRect());
          const seen = name.left >= box.left - 1 && name.right <= time.left + 1 && time.right <= box.right + 1;
          if (!seen) found.push(`${scroll.getAttribute("aria-label")} at ${place}: ${[box.left, name.left, name.right, time.left, time.right, box.right].map(Math.round)}`);
        }
      }
      const unit = /\((s|ms|µs|ns)\)/;
      for (const table of document.querySelectorAll(".data-table")) {
        const heads = [...table.tHead.rows].at(-1).cells;
        const timed = [...heads].some((head) => unit.test(head.textContent));
        if (timed && !(unit.test(heads[1]?.textContent) || unit.test(heads[0].textContent))) found.push(`no time in ${table.caption.textContent}`);
      }
      return found;
    });
    assert.deepEqual(wrong, []);
    await page.screenshot({ path: join(PAGES, `${file}-390.png`), fullPage: true });
  }, { size: SIZES[2] });

  pageTest(`printed: whole tables, no controls, black on white: ${file}`, file, async (page) => {
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await settled(page);
    const found = await page.evaluate(() => {
      const seen = (one) => one.checkVisibility({ visibilityProperty: true });
      return {
        controls: [...document.querySelectorAll(".tools, .actions, .contents, .quiet, input, select")].filter(seen).map((one) => one.className),
        background: getComputedStyle(document.body).backgroundColor,
        cut: [...document.querySelectorAll(".scroll")].filter((one) => one.scrollHeight > one.clientHeight + 1).length,
        // The count beside the heading says how many rows there are.
        rows: [...document.querySelectorAll(".card")].filter((card) => card.querySelectorAll(".data-table").length === 1 && card.querySelector(".count")).map((card) => {
          const all = Number(card.querySelector(".count").textContent.replace(/,/g, "").match(/\d+/)[0]);
          const there = [...card.querySelectorAll("tbody tr")].filter((row) => row.cells[0].className !== "nothing" && seen(row)).length;
          const left = card.querySelector(".left");
          return all - there === (seen(left) ? Number(left.textContent.replace(/,/g, "").match(/\d+/)[0]) : 0) ? "" : `${card.id}: ${there} of ${all}`;
        }).filter((one) => one !== ""),
        charts: [...document.querySelectorAll(".chart")].filter((one) => seen(one) && one.firstElementChild?.offsetWidth > 980).length,
      };
    });
    assert.deepEqual(found, { controls: [], background: "rgb(255, 255, 255)", cut: 0, rows: [], charts: 0 });
    assert.deepEqual(await page.evaluate(faintTexts), []);
    await page.screenshot({ path: join(PAGES, `${file}-print.png`), fullPage: true });
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
    await page.waitForFunction(() => !document.documentElement.hasAttribute("data-print"));
  });

  pageTest(`screen readers: roles, names, headings: ${file}`, file, async (page) => {
    const client = await page.context().newCDPSession(page);
    const { nodes } = await client.send("Accessibility.getFullAXTree");
    const named = new Set(["button", "link", "searchbox", "combobox", "radio", "radiogroup", "checkbox", "img", "image", "region", "table", "columnheader", "heading", "navigation"]);
    const without = nodes.filter((node) => !node.ignored && named.has(node.role?.value) && !node.name?.value?.trim()).map((node) => node.role.value);
    assert.deepEqual(without, []);
    const wrong = await page.evaluate(() => {
      const found = [];
      const levels = [...document.querySelectorAll("h1, h2, h3, h4")].filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1]));
      if (levels[0] !== 1 || levels.filter((level) => level === 1).length !== 1) found.push(`first headings: ${levels.slice(0, 3)}`);
      levels.forEach((level, at) => at > 0 && level > levels[at - 1] + 1 && found.push(`heading ${at} skips a level`));
      for (const table of document.querySelectorAll(".data-table")) {
        if (!table.caption?.textContent) found.push("a table without a caption");
        const heads = [...[...table.tHead.rows].at(-1).cells];
        if (heads.some((head) => head.scope !== "col")) found.push(`headings of ${table.caption.textContent} without a scope`);
        const sorts = heads.filter((head) => head.querySelector("button")).map((head) => head.getAttribute("aria-sort"));
        if (sorts.some((sort) => !["none", "ascending", "descending"].includes(sort)) || sorts.filter((sort) => sort !== "none").length > 1) {
          found.push(`aria-sort of ${table.caption.textContent}: ${sorts}`);
        }
      }
      return found;
    });
    assert.deepEqual(wrong, []);
  });

  pageTest(`all that can be clicked is reached by keyboard, in order, and seen: ${file}`, file, async (page) => {
    const there = await page.evaluate(() => {
      const keys = "a[href], button:not([tabindex='-1']):not(:disabled), input, select, summary, [tabindex='0']";
      window.reached = [];
      const shown = [...document.querySelectorAll(keys)].filter((one) => one.checkVisibility({ visibilityProperty: true }));
      shown.forEach((one, at) => (one.dataset.order = at));
      addEventListener("focusin", ({ target }) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(target);
        window.reached.push([target.dataset.order, outlineStyle !== "none" && parseFloat(outlineWidth) > 0, target.textContent.slice(0, 30)]);
      });
      const pointed = [...document.querySelectorAll("#cards *")].filter((one) => getComputedStyle(one).cursor === "pointer");
      const keyless = pointed.filter((one) => !one.closest(`${keys}, button, label, [role='img'], .scroll[tabindex], .icicle`) && !one.querySelector(keys));
      return { count: shown.length, keyless: keyless.map((one) => one.outerHTML.slice(0, 80)) };
    });
    assert.deepEqual(there.keyless, []);
    const presses = Math.min(there.count, 150);
    for (let at = 0; at < presses; ++at) await page.keyboard.press("Tab");
    const reached = await page.evaluate(() => window.reached);
    assert.deepEqual(reached.slice(0, presses).map(([order]) => Number(order)), [...Array(presses).keys()], JSON.stringify(reached.slice(-3)));
    assert.deepEqual(reached.filter(([, outlined]) => !outlined), []);
  });

  pageTest(`neighbours of charts differ for all eyes, or one is hatched: ${file}`, file, async (page) => {
    const bars = await page.evaluate(() => {
      const parts = chart.drawing ? chart.drawing.getOption().series.filter((one) => one.type === "bar" && one.name !== "") : [];
      const drawn = parts.map(({ itemStyle }) => ({ color: itemStyle.color, hatched: Boolean(itemStyle.decal), line: itemStyle.borderWidth > 0 || parts[0].data.length > 60 }));
      const stacked = [...document.querySelectorAll(".bar")].map((bar) =>
        [...bar.children].map((one, at) => ({
          color: getComputedStyle(one).backgroundColor,
          hatched: getComputedStyle(one).backgroundImage !== "none",
          line: at === 0 || parseFloat(getComputedStyle(one).borderLeftWidth) > 0,
        })),
      );
      return [drawn, ...stacked];
    });
    for (const bar of bars) {
      assert.ok(bar.every((part) => part.line), "no line between neighbours");
      assert.deepEqual(nearestNeighbours(bar), []);
    }
  });
}

pageTest("Escape closes what is open", files.find((file) => file === "one" || file.startsWith("tables-")) ?? files[0], async (page) => {
  const cell = page.locator('.link[aria-expanded="false"]').first();
  if ((await cell.count()) > 0) {
    await cell.click();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator('.link[aria-expanded="true"]').count(), 0);
  }
  await page.evaluate(() => drawNotes(Array.from({ length: 9 }, (_, at) => ({ text: `note ${at}` }))));
  await page.click("summary");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("details[open]").count(), 0);
});
