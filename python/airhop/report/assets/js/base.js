// ---- small functions that all parts of the page use --------------------------------------------------------------------------

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const one = (selector, within = document) => within.querySelector(selector);
const root = document.documentElement;

/** Makes an element: make("td", { class: "mean" }, "3.1"). */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Data and figures are compressed in the page, and are unpacked only when they are shown.
const unpacked = new Map();
function unpack(id) {
  if (!unpacked.has(id)) {
    const text = atob(document.getElementById(id).textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    unpacked.set(id, new Response(stream).json());
  }
  return unpacked.get(id);
}

/** Calls `build` once, when the element is near the viewport, or when the browser is idle. */
function whenNear(element, build) {
  const task = { element, build };
  waiting.push(task);
  near.observe(element);
}
const waiting = [];
const take = (element) => {
  const place = waiting.findIndex((task) => task.element === element);
  if (place < 0) return;
  const [task] = waiting.splice(place, 1);
  near.unobserve(element);
  task.build();
};
const near = new IntersectionObserver(
  (entries) => { for (const entry of entries) if (entry.isIntersecting) take(entry.target); },
  { rootMargin: "400px" },
);
// Figures outside of the viewport must also exist when the page is printed.
function takeWhenIdle() {
  requestIdleCallback(() => {
    const shown = waiting.find((task) => task.element.offsetParent !== null);
    if (!shown) return;
    take(shown.element);
    takeWhenIdle();
  }, { timeout: 4000 });
}

/** The ends of an interval of a quantity that is not negative, as `Estimate.ends` in Python. */
const endsOf = (mean, half) => [Math.max(mean - half, 0), mean + half];
/** Number of decimals for a value with this half-width. */
const decimals = (half) => (half > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(half)) + 1, 0), 6) : 0);

/** Formats a number; without `digits` with four significant digits, and counts in full. */
function number(value, digits) {
  if (value === null || value === undefined) return "–";
  const least = digits ?? (Number.isInteger(value) ? 0 : decimals(Math.abs(value) / 100));
  return value.toLocaleString("en", { minimumFractionDigits: least, maximumFractionDigits: least }).replace("-", "−");
}
const signed = (value, digits) => (value > 0 ? "+" : "") + number(value, digits);

// ---- copying a command -------------------------------------------------------------------------------------------------------
document.addEventListener("click", async (event) => {
  const button = event.target.closest(".copy");
  if (!button) return;
  const code = button.previousElementSibling;
  getSelection().selectAllChildren(code); // without a clipboard, the user can press Ctrl+C
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    return;
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
});
