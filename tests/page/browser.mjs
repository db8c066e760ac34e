// Chromium with a page open, and everything the page should not do written down.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const FLAGS = [
  // One process for all tabs, which compiles the scripts that pages share once: a page opens in 0.28 s of processor time, not 0.48 s.
  "--renderer-process-limit=1",
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const PAGES = process.env.KR_PAGES;

/** Whether pictures are made, for people: they take more time than all checks. */
export const PICTURES = Boolean(process.env.KR_SCREENSHOTS);

export async function picture(page, name) {
  if (PICTURES) await page.screenshot({ path: join(PAGES, name), fullPage: true });
}

/** Each card by itself: light, dark, narrow and on paper. */
export async function cardPictures(page, name, cards) {
  if (!PICTURES) return;
  for (const [kind, width, look] of [["light", 1440], ["dark", 1440, { colorScheme: "dark" }], ["390", 390], ["print", 980, { media: "print" }]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: "light", media: "screen", ...look });
    await page.waitForTimeout(1000); // the page draws its cards anew
    for (const card of cards) {
      await page.locator(`#${card}`).screenshot({ path: join(PAGES, `${name}-${card}-${kind}.png`) });
    }
  }
}

async function openBrowser() {
  const profile = mkdtempSync(join(tmpdir(), "kr-page-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.KR_CHROMIUM || "/usr/bin/chromium-headless-shell",
    args: FLAGS,
    headless: true,
    viewport: { width: 1360, height: 900 },
    acceptDownloads: true,
  });
  return {
    context: browser,
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Opens a page; `wrong` grows with console errors, dialogs, and requests beyond the file itself. */
async function openPage(context, name, { hash = "", ...options } = {}) {
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  const url = pathToFileURL(join(PAGES, `${name}.html`)).href;
  page.on("request", (request) => {
    const asked = request.url();
    if (asked.split("#")[0] !== url && !asked.startsWith("blob:")) wrong.push(`request: ${asked}`);
  });
  if (options.dark) await page.emulateMedia({ colorScheme: "dark" });
  if (options.size) await page.setViewportSize(options.size);
  await page.goto(url + hash);
  return { page, wrong };
}

let browser;
before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
});

/** A test that opens a page, lets `act` try it, and makes sure nothing went wrong meanwhile. */
export function pageTest(name, file, act, options = {}) {
  test(name, async () => {
    const { page, wrong } = await openPage(browser.context, file, options);
    try {
      await act(page);
      assert.deepEqual(wrong, []);
      assert.equal(await page.evaluate(() => window.hacked), undefined);
    } finally {
      await page.close();
    }
  });
}
