// ---- the time-lines of a chapter: one run of each scheme, packet by packet, on one time axis -----------------------------------------

const LOSS_WINDOW_S = 0.6; // shows a loss, its notice or duplicates, and the repair
const MARGIN = 0.04;
const STRIP = 0.16; // height of the strip at the lower edge

class Timeline {
  constructor(chapter) {
    this.chapter = chapter;
    this.element = one(".timeline", chapter.element);
    this.tabs = all("[role=tab]", this.element);
    this.runs = JSON.parse(one(".timeline-runs", this.element).textContent); // { losses, opening, duration } by index
    this.drawn = []; // by index: { document, time, plots }
    this.current = null;
    this.visited = null; // the loss or collision last shown
    this.output = one("output", this.element);
    this.tabs.forEach((tab, place) => {
      tab.addEventListener("click", () => this.select(place));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) this.select((place + step + this.tabs.length) % this.tabs.length, true);
      });
    });
    for (const button of all("[data-go]", this.element)) button.addEventListener("click", () => this.go(button.dataset.go));
    for (const figure of all("figure.time", this.element)) {
      figure.addEventListener("dblclick", () => this.go("all"));
      keyboard(figure, { ...KEYS, n: "loss-after", p: "loss-before" }, (action) => this.go(action));
    }
    for (const button of all(".events button", this.element)) button.addEventListener("click", () => this.toggle(button));
    const wanted = this.tabs.findIndex((tab) => location.hash === `#${tab.getAttribute("aria-controls")}`);
    whenNear(this.element, () => this.select(wanted >= 0 ? wanted : Number(this.element.dataset.opens)));
  }

  /** Shows the run of a linked point. */
  open(place) {
    this.select(place);
    this.element.scrollIntoView();
  }

  async select(place, focus = false) {
    const window = this.time && [this.time.start, this.time.end];
    this.current = place;
    this.tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === place));
      tab.tabIndex = i === place ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = i !== place;
    });
    if (focus) this.tabs[place].focus();
    this.drawn[place] ??= this.make(place);
    const { time } = await this.drawn[place];
    if (this.current !== place) return;
    this.time = time;
    if (window) time.setv({ start: window[0], end: window[1] });
    this.follow();
  }

  async make(place) {
    const places = Object.fromEntries(all("figure.time", this.panel(place)).map((figure) => [figure.dataset.plot, one(".place", figure).id]));
    const { chapter } = this;
    const [run, made] = await Promise.all([unpack(`${chapter.id}-run-${place}`), embed(chapter.data.templates.timeline, places)]);
    for (const [name, source] of sourcesOf(made)) {
      const rows = run.sources[name];
      if (rows) source.data = Object.fromEntries(Object.entries(rows).map(([column, values]) => [column, columnOf(column, values)]));
    }
    const time = made.get_model_by_name("time");
    time.bounds = [0, run.duration]; // set first, because they limit the ends
    time.setv({ start: 0, end: run.opening });
    for (const property of [time.properties.start, time.properties.end]) property.change.connect(() => this.follow());
    const plots = Object.keys(places).map((name) => plotOf(made, name));
    plots.at(-1).below[0].axis_label = "Time (s)";
    const air = run.air && new OnAir(run.air, plotOf(made, "air"), new Map([...sourcesOf(made)].filter(([name]) => name.includes(":"))));
    return { time, plots, air };
  }

  panel(place) { return document.getElementById(this.tabs[place].getAttribute("aria-controls")); }

  async toggle(button) {
    const visible = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(visible));
    const { plots } = await this.drawn[this.current];
    const plot = plots.find(({ name }) => name === button.closest("figure").dataset.plot);
    for (const renderer of plot.renderers) if (renderer.name === button.dataset.group) renderer.visible = visible;
    this.follow();
  }

  // The vertical ranges follow the contents of the time window.
  follow() {
    if (this.due || this.current === null) return;
    this.due = true;
    requestAnimationFrame(async () => {
      this.due = false;
      const { time, plots, air } = await this.drawn[this.current];
      for (const plot of plots) if (plot.name !== "air") fit(plot, time);
      if (air) one("figure[data-plot=air] output", this.panel(this.current)).value = air.draw(time);
      const digits = time.end - time.start < 0.1 ? 6 : 3;
      const seconds = (t) => `${t.toFixed(digits)} s`;
      const at = this.visited && this.isAt(this.visited.what) ? `, ${this.visited.what} at ${seconds(this.visited.t)}` : "";
      this.output.value = `${seconds(time.start)} to ${seconds(time.end)}${at}`;
    });
  }

  isAt(what) {
    const { visited, time } = this;
    return visited?.what === what && visited.place === this.current && visited.start === time.start && visited.end === time.end;
  }

  async go(action) {
    if (!this.time) return;
    const [what, direction] = action.split("-");
    if (!direction) return move(this.time, action, this.time.bounds);
    const { air } = await this.drawn[this.current];
    if (what === "loss") this.goTo(what, this.runs[this.current].losses, LOSS_WINDOW_S, direction === "after");
    else this.goTo(what, air.collisions, COLLISION_WINDOW_S, direction === "after");
  }

  /** Shows the next or the previous event of `times`, in a window of at most this number of seconds. */
  goTo(what, times, longest, forward) {
    const { time, visited } = this;
    const there = this.isAt(what); // if the reader has moved the window, the next event is the first visible one
    const target = forward
      ? times.find((t) => (there ? t > visited.t : t >= time.start))
      : times.findLast((t) => (there ? t < visited.t : t <= time.end));
    if (target === undefined) return;
    const span = Math.min(time.end - time.start, longest);
    show(time, target - span / 2, target + span / 2, time.bounds);
    this.visited = { what, place: this.current, t: target, start: time.start, end: time.end };
    this.follow(); // the window may have been at this position before
  }
}

const WORDS = ["place", "cause", "kind"];

/** Numbers in Bokeh's fastest form; missing values are gaps. */
const columnOf = (name, values) => (WORDS.includes(name) ? values : Float64Array.from(values, (value) => value ?? NaN));

/** Extends [low, high] by the values of a renderer in the time window, including a step's value before it. */
function extent(renderer, time, low, high) {
  const { data } = renderer.data_source;
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

function fit(plot, time) {
  if (plot.y_range.tags.includes("fixed")) return;
  let [low, high] = [Infinity, -Infinity];
  for (const renderer of plot.renderers) {
    if (renderer.visible && !renderer.tags.includes("unfitted")) [low, high] = extent(renderer, time, low, high);
  }
  if (low > high) return;
  if (plot.y_scale.type === "LogScale") {
    const by = (high / low) ** MARGIN * 1.02;
    const strip = plot.renderers.some(({ tags, visible, data_source }) => tags.includes("strip") && visible && data_source.data.x.length);
    plot.y_range.setv({ start: low / (strip ? by * (high / low) ** STRIP : by), end: high * by });
  } else {
    const by = Math.max((high - low) * MARGIN, 0.5);
    plot.y_range.setv({ start: plot.y_range.tags.includes("zero") ? 0 : low - by, end: high + by });
  }
}
