// ---- a chapter: the reader's choices for a study, and their effects ----------------------------------------------------

const PAD = 0.04; // margin beside the outermost points, as a share of the axis

class Chapter {
  constructor(element) {
    this.element = element;
    this.id = element.dataset.chapter;
    this.hidden = new Set(); // hidden schemes
    this.selected = null; // selected point
    this.rep = 0;
    this.drawn = new Map(); // document by name of its figure
    this.start();
  }

  async start() {
    const data = await unpack(`${this.id}-data`);
    Object.assign(this, { data, grid: new Grid(data) });
    this.metric = 0;
    this.axis = Math.max(0, data.dimensions.findIndex((dimension) => dimension.values.length > 1));
    this.slice = this.grid.firstSlice();
    this.choices = new Choices(this);
    this.card = new Card(this);
    this.timeline = data.traced && one(".timeline", this.element) ? new Timeline(this) : null;
    this.matrices = data.judged ? new Matrices(this) : null;
    for (const button of all(".schemes button", this.element)) button.addEventListener("click", () => this.toggle(button));
    for (const host of all("figure[data-view]", this.element)) this.prepare(host);
    for (const host of all("[data-list]", this.element)) whenNear(host, () => this.fillList(host));
    this.element.dataset.ready = "";
    ready();
  }

  /** The metric as { column, label, unit }; the fairness figure has a fixed metric. */
  get quantity() { return this.data.metrics[this.metric]; }

  /** The fairness that the chapter shows, if several flows share the network. */
  get fairness() { return this.data.metrics.find(({ column }) => column === this.data.fairness); }

  /** True if the page shows the paper's metric and axis, so that the printed axes apply. */
  get asPrinted() { return this.data.frame !== null && this.metric === 0 && this.axis === 0; }

  // -- figures -------------------------------------------------------------------------------------------------------------------
  prepare(host) {
    const name = host.dataset.view;
    whenNear(host, () => this.make(name));
    const act = (action) => {
      const plot = this.plot(name);
      if (!plot || !this.bounds?.[name]) return;
      if (action === "all") this.draw(name);
      else move(plot.x_range, action, this.bounds[name], this.isLog(name));
    };
    host.addEventListener("dblclick", () => act("all"));
    keyboard(host, KEYS, act);
  }

  isLog(name) { return name !== "distribution" && this.data.dimensions[this.axis]?.scale === "log"; }

  /** The template for the scale of the axis. */
  template(name) {
    const scale = this.data.dimensions[this.axis]?.scale ?? "category";
    return this.data.templates[`${name}:${scale}`] ?? this.data.templates[name];
  }

  async make(name) {
    const template = this.template(name);
    const old = this.drawn.get(name);
    if (old) discard(old.document);
    const made = await embed(template, { [name]: `${this.id}-${name}-place` });
    const sources = sourcesOf(made);
    this.drawn.set(name, { document: made, template, sources, plot: plotOf(made, name) });
    for (const source of sources.values()) {
      source.selected.properties.indices.change.connect(() => this.tapped(source));
    }
    await this.draw(name);
    this.applyHidden(made);
    this.mark();
  }

  plot(name) { return this.drawn.get(name)?.plot; }

  async draw(name) {
    const shown = this.drawn.get(name);
    if (!shown) return;
    if (shown.template !== this.template(name)) return this.make(name);
    await VIEWS[name](this, shown);
    this.mark();
  }

  redraw() {
    this.captions();
    for (const name of this.drawn.keys()) this.draw(name);
    this.points?.draw();
    this.matrices?.draw();
  }

  captions() {
    const { quantity, data } = this;
    const axis = data.dimensions[this.axis];
    const at = this.grid.sliceText(this.slice, this.axis);
    const against = axis ? ` against ${midSentence(axis.label)}` : "";
    const say = (name, text) => { for (const place of all(`[data-say=${name}]`, this.element)) place.textContent = text; };
    say("means", `${title(quantity)}${against}${at}`);
    say("differences", `${quantity.label}${against}${at}`);
    const shares = this.fairness?.column === "jain" ? "Jain’s index over the flows" : this.fairness?.label;
    say("fairness", `${shares}${against}${at}`);
  }

  toggle(button) {
    const scheme = Number(button.dataset.scheme);
    const visible = button.getAttribute("aria-pressed") !== "true";
    for (const other of all(`.schemes button[data-scheme="${scheme}"]`, this.element)) {
      other.setAttribute("aria-pressed", String(visible));
    }
    if (visible) this.hidden.delete(scheme);
    else this.hidden.add(scheme);
    for (const { document } of this.drawn.values()) this.applyHidden(document);
    this.redraw(); // the axes fit the visible curves
  }

  applyHidden(made) {
    this.data.schemes.forEach((_, scheme) => {
      for (const model of made.all_models) if (model.name === `scheme:${scheme}`) model.visible = !this.hidden.has(scheme);
    });
  }

  // -- selection -----------------------------------------------------------------------------------------------------------------
  tapped(source) {
    if (this.marking) return;
    const [index] = source.selected.indices;
    if (index === undefined) return this.mark();
    this.select(source.data.point[index], source.data.rep?.[index] ?? 0);
  }

  select(point, rep = 0) {
    const moved = this.selected === null || !this.grid.sameSetting(this.selected, point);
    this.selected = point;
    this.rep = rep;
    this.card.show(point, rep);
    if (moved) {
      this.draw("distribution");
      this.matrices?.draw();
    }
    this.mark();
    for (const list of [this.points, this.runs]) list?.draw();
  }

  /** Marks the selected point in every figure. */
  mark() {
    this.marking = true;
    for (const [name, { sources }] of this.drawn) {
      for (const source of sources.values()) {
        const { point, rep } = source.data;
        if (!point) continue;
        const index = point.findIndex((p, i) => p === this.selected && (name !== "distribution" || rep[i] === this.rep));
        source.selected.indices = index < 0 ? [] : [index];
      }
    }
    this.marking = false;
  }

  // -- tables --------------------------------------------------------------------------------------------------------------------
  async fillList(host) {
    const actions = {
      points: {
        columns: () => pointColumns(this), count: this.grid.count,
        choose: (i) => this.select(i), isChosen: (i) => i === this.selected,
      },
      runs: {
        columns: (runs) => runColumns(this, runs), count: null,
        choose: (i) => this.select(this.allRuns.point[i], this.allRuns.rep[i]),
        isChosen: (i) => this.allRuns.point[i] === this.selected && this.allRuns.rep[i] === this.rep,
      },
    }[host.dataset.list];
    if (host.dataset.list === "runs") this.allRuns = await this.loadRuns();
    const count = actions.count ?? this.allRuns.rep.length;
    const list = new List(host, actions.columns(this.allRuns), count, actions);
    this[host.dataset.list] = list;
    const metric = () => (list === this.points ? title(this.quantity) : "");
    host.after(saving("this table", ["csv"], () => saveList(list, `${host.dataset.list} ${metric()}`)));
  }

  /** Every run, and the indices of each point's runs. */
  async loadRuns() {
    const runs = await unpack(`${this.id}-runs`);
    if (!runs.of) {
      runs.of = Array.from({ length: this.grid.count }, () => []);
      runs.point.forEach((point, row) => runs.of[point].push(row));
    }
    return runs;
  }
}

/** A label inside a sentence: acronyms stay unchanged. */
const midSentence = (label) => (/^[A-Z][a-z]/.test(label) ? label[0].toLowerCase() + label.slice(1) : label);
const title = (quantity) => (quantity.unit ? `${quantity.label} (${quantity.unit})` : quantity.label);

// ---- the grid of a study ---------------------------------------------------------------------------------------------------------------

class Grid {
  constructor({ dimensions, points }) {
    Object.assign(this, { dimensions, points, count: points.scheme.length });
    this.groups = [...new Set(dimensions.map((dimension) => dimension.group))];
  }

  scheme(point) { return this.points.scheme[point]; }
  text(point, d) { return this.dimensions[d].texts[this.points.places[d][point]]; }
  value(point, d) { return this.dimensions[d].values[this.points.places[d][point]]; }
  /** Position of a point on an axis: its value, or its index among words. */
  position(point, d) {
    if (d >= this.dimensions.length) return 0;
    return this.dimensions[d].scale === "category" ? this.points.places[d][point] : this.value(point, d);
  }

  members(group) { return this.dimensions.flatMap((dimension, d) => (dimension.group === group ? [d] : [])); }
  key(point, group) { return this.members(group).map((d) => this.points.places[d][point]).join(); }
  sameSetting(a, b) { return this.groups.every((group) => this.key(a, group) === this.key(b, group)); }

  /** The values that a group of dimensions takes together, as { key, text }, in the order of the study. */
  options(group) {
    const found = new Map();
    for (let point = 0; point < this.count; point += 1) {
      const key = this.key(point, group);
      if (!found.has(key)) found.set(key, this.members(group).map((d) => this.text(point, d)).join(", "));
    }
    return [...found].map(([key, text]) => ({ key, text }));
  }

  /** Initial fixed values: the middle of every group. */
  firstSlice() {
    return new Map(this.groups.map((group) => {
      const options = this.options(group);
      return [group, options[Math.floor(options.length / 2)]?.key];
    }));
  }

  sliceText(slice, ...axes) {
    const free = axes.map((d) => this.dimensions[d]?.group);
    const parts = this.groups.filter((group) => !free.includes(group)).flatMap((group) => {
      const options = this.options(group);
      if (options.length < 2) return [];
      const label = this.members(group).map((d) => midSentence(this.dimensions[d].label)).join(", ");
      return [`${label} = ${options.find((option) => option.key === slice.get(group)).text}`];
    });
    return parts.length ? `; ${parts.join("; ")}` : "";
  }

  /** Points of a scheme in the slice, along the free axes. */
  along(scheme, slice, ...axes) {
    const free = axes.map((d) => this.dimensions[d]?.group);
    const held = this.groups.filter((group) => !free.includes(group));
    const found = [];
    for (let point = 0; point < this.count; point += 1) {
      if (this.scheme(point) === scheme && held.every((group) => this.key(point, group) === slice.get(group))) found.push(point);
    }
    return found.sort((a, b) => this.position(a, axes[0]) - this.position(b, axes[0]));
  }

  /** The setting in words, without constant values. */
  where(point) {
    const varied = this.dimensions.flatMap((dimension, d) => (dimension.values.length > 1 ? [d] : []));
    return varied.map((d) => `${midSentence(this.dimensions[d].label)} = ${this.text(point, d)}`).join(", ") || "the one setting";
  }
}
