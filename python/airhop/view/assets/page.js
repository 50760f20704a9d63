"use strict";
(() => {
  // ---- theme: the page's colours, carried over to the figures' text and axes -------------------------------------------------
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null; // what the reader chose; null follows the system
  const theme = () => chosen ?? (dark.matches ? "dark" : "light");

  function paint() {
    root.dataset.theme = theme();
    const css = getComputedStyle(root);
    const [label, axis] = ["--label", "--axis"].map((name) => css.getPropertyValue(name).trim());
    for (const model of Bokeh.documents.flatMap((doc) => [...doc.all_models])) {
      if ("major_label_text_color" in model.properties) {
        model.setv({
          major_label_text_color: label, axis_label_text_color: label, axis_line_color: axis,
          major_tick_line_color: axis, minor_tick_line_color: axis,
        });
      } else if (model.tags.includes("ink")) {
        const property = "text_color" in model.properties ? "text_color" : "line_color";
        model[property] = { value: label };
      }
    }
  }
  dark.addEventListener("change", paint);
  document.getElementById("theme").addEventListener("click", () => {
    chosen = theme() === "dark" ? "light" : "dark";
    paint();
  });
  root.dataset.theme = theme();
  (function ready() {
    if (globalThis.Bokeh?.documents.length) paint(); else requestAnimationFrame(ready);
  })();

  // ---- a narrow page begins with the results: its controls are folded -------------------------------------------------------
  const narrow = matchMedia("(max-width: 900px)"); // as in page.css
  const fold = () => { document.getElementById("controls").open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();

  // ---- copying the command: the button comes and goes in a shadow tree, so the click is caught here --------------------------
  document.addEventListener("click", async (event) => {
    const button = event.composedPath()[0];
    if (!button.dataset?.copy) return;
    getSelection().selectAllChildren(button.previousElementSibling); // where there is no clipboard, Ctrl+C does it
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
})();
