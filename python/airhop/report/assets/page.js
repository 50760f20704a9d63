"use strict";
(() => {
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // ---- models of the figures -------------------------------------------------------------------------------------------------
  const models = () => Bokeh.documents.flatMap((doc) => [...doc.all_models]);
  const named = new Map();
  const byName = (name) => {
    if (!named.get(name)) named.set(name, models().find((model) => model.name === name));
    return named.get(name);
  };

  // ---- theme: the page's colours, carried over to the figures' text and axes ------------------------------------------------
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null; // what the reader chose; null follows the system
  let painted = "light"; // as the figures were made

  function paint(theme) {
    root.dataset.theme = theme;
    if (theme === painted) return;
    painted = theme;
    const css = getComputedStyle(root);
    const color = (name) => css.getPropertyValue(name).trim();
    const [label, axis] = [color("--label"), color("--axis")];
    for (const model of models()) {
      if (!("major_label_text_color" in model.properties)) continue;
      model.setv({
        major_label_text_color: label, axis_label_text_color: label, axis_line_color: axis,
        major_tick_line_color: axis, minor_tick_line_color: axis,
      });
    }
  }
  const theme = () => chosen ?? (dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => paint(theme()));
  addEventListener("beforeprint", () => { root.dataset.theme = "light"; });
  addEventListener("afterprint", () => { root.dataset.theme = theme(); });
  document.getElementById("theme").addEventListener("click", () => {
    chosen = theme() === "dark" ? "light" : "dark";
    paint(chosen);
  });
  root.dataset.theme = theme();

  // ---- legends: a button shows and hides the renderers that bear its name ----------------------------------------------------
  function toggle(button) {
    const visible = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(visible));
    const figure = byName(button.dataset.figure);
    for (const model of [...figure.renderers, ...figure.center]) {
      if (model.name === button.dataset.name) model.visible = visible;
    }
    if (figure.x_range === time) follow();
  }
  for (const button of all(".legend button")) button.addEventListener("click", () => toggle(button));

  // ---- tabs: one scheme at a time; the time axis is shared, so it stays ------------------------------------------------------
  const tabs = all("[role=tab]");
  let scheme = null;
  let time = null; // the range that all time-lines share

  function select(tab, focus) {
    scheme = tab.dataset.scheme;
    for (const other of tabs) {
      const on = other === tab;
      other.setAttribute("aria-selected", String(on));
      other.tabIndex = on ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).hidden = !on;
    }
    if (focus) tab.focus();
    if (time) follow();
  }
  tabs.forEach((tab, place) => {
    tab.addEventListener("click", () => select(tab, false));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) select(tabs[(place + step + tabs.length) % tabs.length], true);
    });
  });

  // ---- the time axis ---------------------------------------------------------------------------------------------------------
  const LOSS_WINDOW_S = 0.6; // shows a loss, its notice or duplicates, and the repair

  // The vertical ranges follow what the time window shows; a step still shows the value it had before the window.
  const MARGIN = 0.04;

  function extent(renderer, low, high) {
    const data = renderer.data_source.data;
    const [x, y] = [data.x, data[renderer.glyph.y.field]];
    const first = (t) => { // index of the first x >= t
      let [from, to] = [0, x.length];
      while (from < to) {
        const middle = (from + to) >> 1;
        if (x[middle] < t) from = middle + 1; else to = middle;
      }
      return from;
    };
    const begin = first(time.start);
    for (let i = renderer.glyph.type === "Step" ? Math.max(begin - 1, 0) : begin; i < x.length && x[i] <= time.end; i += 1) {
      if (y[i] < low) low = y[i];
      if (y[i] > high) high = y[i];
    }
    return [low, high];
  }

  function fit(figure) {
    let [low, high] = [Infinity, -Infinity];
    for (const renderer of figure.renderers) {
      if (renderer.visible && !renderer.tags.includes("unfitted")) [low, high] = extent(renderer, low, high);
    }
    if (low > high) return;
    if (figure.y_scale.type === "LogScale") {
      const by = (high / low) ** MARGIN * 1.02;
      figure.y_range.setv({ start: low / by, end: high * by });
    } else {
      const by = Math.max((high - low) * MARGIN, 0.5);
      figure.y_range.setv({ start: figure.y_range.tags.includes("zero") ? 0 : low - by, end: high + by });
    }
  }

  let due = false;
  function follow() {
    if (due || !scheme) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      for (const name of ["sequence", "window", "timer"]) fit(byName(`${scheme}:${name}`));
      const at = atLoss() ? `, loss at ${visited.loss.toFixed(3)} s` : "";
      document.getElementById("window").value = `${time.start.toFixed(3)} s to ${time.end.toFixed(3)} s${at}`;
    });
  }

  function show(start, end) {
    const [first, last] = time.bounds;
    const span = Math.min(end - start, last - first);
    const from = Math.min(Math.max(start, first), last - span);
    time.setv({ start: from, end: from + span });
  }

  let visited = null; // the loss that the window was brought to
  const atLoss = () => visited?.scheme === scheme && visited.start === time.start && visited.end === time.end;

  function goToLoss(direction) {
    const losses = data.losses[scheme];
    const there = atLoss(); // if the reader has moved on, the next loss is the first of those in sight
    const target = direction > 0
      ? losses.find((t) => (there ? t > visited.loss : t >= time.start))
      : losses.findLast((t) => (there ? t < visited.loss : t <= time.end));
    if (target === undefined) return;
    const span = Math.min(time.end - time.start, LOSS_WINDOW_S);
    show(target - span / 2, target + span / 2);
    visited = { scheme, loss: target, start: time.start, end: time.end };
    follow(); // the window may have been there already
  }

  const go = {
    "loss-before": () => goToLoss(-1),
    "loss-after": () => goToLoss(1),
    left: () => { const by = (time.end - time.start) / 4; show(time.start - by, time.end - by); },
    right: () => { const by = (time.end - time.start) / 4; show(time.start + by, time.end + by); },
    in: () => { const by = (time.end - time.start) / 4; show(time.start + by, time.end - by); },
    out: () => { const by = (time.end - time.start) / 2; show(time.start - by, time.end + by); },
    all: () => show(...time.bounds),
  };
  const keys = { ArrowLeft: "left", ArrowRight: "right", "+": "in", "=": "in", "-": "out", 0: "all", n: "loss-after", p: "loss-before" };
  for (const button of all("[data-go]")) button.addEventListener("click", () => go[button.dataset.go]());
  for (const figure of all("figure.time")) {
    figure.addEventListener("dblclick", () => go.all());
    figure.addEventListener("keydown", (event) => {
      const action = keys[event.key];
      if (!action || event.target !== figure || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      go[action]();
    });
  }

  // ---- copying a command -----------------------------------------------------------------------------------------------------
  for (const button of all("[data-copy]")) {
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(button.previousElementSibling); // where there is no clipboard, Ctrl+C does it
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  // ---- when the figures are there --------------------------------------------------------------------------------------------
  function ready() {
    if (!globalThis.Bokeh?.documents.length || !byName("goodput")) return requestAnimationFrame(ready);
    paint(theme());
    time = byName("time");
    if (!time) return;
    for (const property of [time.properties.start, time.properties.end]) property.change.connect(follow);
    const wanted = tabs.find((tab) => location.hash === `#panel-${tab.dataset.scheme}`);
    select(wanted ?? tabs[tabs.length - 1], false);
  }
  ready();
})();
