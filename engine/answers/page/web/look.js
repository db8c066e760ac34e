// The look of pages: colours, typefaces, switches, light and dark.

/** Page colours as the chart needs them: resolved for the theme that is on. */
function ink(name) {
  const probe = element("span", { style: { color: `var(--${name})`, display: "none" } });
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

/** Black or white, whichever has more contrast: at least 4.5. */
const textOn = (color) => (luminance(color) > 0.179 ? "#000000" : "#ffffff");

const pen = document.createElement("canvas").getContext("2d");
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
function widthOf(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}

/** `changed` draws what does not follow the theme by itself. */
function setUpTheme(changed) {
  const themes = ["auto", "light", "dark"];
  const button = byId("theme");
  let theme = "auto";
  const set = (next) => {
    theme = next;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" }[theme];
    button.setAttribute("aria-label", `Theme: ${theme}`);
    changed();
  };
  button.onclick = () => set(themes[(themes.indexOf(theme) + 1) % themes.length]);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => set(theme));
  set(theme);
}
