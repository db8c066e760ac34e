// The look of pages: colours, typefaces, switches, light and dark.

/** Page colours as the chart needs them: resolved for the theme that is on. */
function ink(name) {
  const probe = element("span", { style: { color: `var(--${name})`, display: "none" } });
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

function textOn(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return light > 0.3 ? "#11151a" : "#ffffff";
}

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
