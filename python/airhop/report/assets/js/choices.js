// ---- the reader's choices: metric, axis, fixed values --------------------------------------------------------------------

class Choices {
  constructor(chapter) {
    this.chapter = chapter;
    this.place = one(".menus", chapter.element);
    const { data } = chapter;
    this.menu("Metric", "metric", data.metrics.map(({ label }, i) => [i, label]), (i) => { chapter.metric = Number(i); });
    const axes = data.dimensions.flatMap(({ label, values }, d) => (values.length > 1 ? [[d, label]] : []));
    this.menu("Against", "axis", axes, (d) => { chapter.axis = Number(d); this.showSlices(); }, chapter.axis);
    this.slices = make("span", { class: "slices" });
    this.place.append(this.slices);
    this.showSlices();
    for (const select of all("[data-map]", chapter.element)) select.addEventListener("change", () => chapter.draw("map"));
    chapter.captions();
  }

  /** Adds a menu if there are several choices. */
  menu(label, name, options, choose, value = options[0]?.[0], place = this.place) {
    if (options.length < 2) return;
    const select = make("select", { "data-choose": name });
    for (const [key, text] of options) select.append(make("option", { value: key }, text));
    select.value = value;
    select.addEventListener("change", () => { choose(select.value); this.chapter.redraw(); });
    place.append(make("label", {}, `${label} `, select));
  }

  showSlices() {
    const { grid, slice, axis, data } = this.chapter;
    this.slices.replaceChildren();
    for (const group of grid.groups) {
      if (data.dimensions[axis]?.group === group) continue;
      const label = grid.members(group).map((d) => data.dimensions[d].label).join(", ");
      const options = grid.options(group).map(({ key, text }) => [key, text]);
      this.menu(label, `slice-${group}`, options, (key) => { slice.set(group, key); }, slice.get(group), this.slices);
    }
  }
}

// ---- the card of the selected point: its numbers, its replications, its command --------------------------------------------------------

class Card {
  constructor(chapter) {
    this.chapter = chapter;
    this.element = one(".card", chapter.element);
    for (const button of all("[data-step]", this.element)) {
      button.addEventListener("click", () => this.step(Number(button.dataset.step)));
    }
  }

  set(name, ...content) { one(`[data-card=${name}]`, this.element).replaceChildren(...content); }

  async show(point, rep) {
    const { data, grid, quantity, timeline } = this.chapter;
    const cell = data.cells[quantity.column];
    const scheme = data.schemes[grid.scheme(point)];
    const unit = quantity.unit ? ` ${quantity.unit}` : "";
    this.element.classList.add("filled");
    const swatch = one(`.schemes [data-scheme="${grid.scheme(point)}"] svg`, this.chapter.element).cloneNode(true);
    this.set("point", swatch, scheme.label);
    this.set("where", grid.where(point));
    this.set("value", valueText(cell, point) + unit);
    this.set("value-label", quantity.label);
    const paired = cell.difference[point] !== null;
    one("[data-card=paired]", this.element).hidden = !paired;
    if (paired) {
      this.set("baseline", data.schemes[data.baseline].label);
      this.set("difference", differenceText(cell, point) + unit);
      this.set("ratio", ratioText(cell, point));
      this.set("correlation", correlationText(cell, point));
    }
    this.set("command", data.points.command[point].replace(/--rep \d+/, `--rep ${rep}`));
    const traced = data.traced[point];
    const link = one(".trace-link", this.element);
    link.hidden = traced === undefined || !timeline;
    link.onclick = (event) => { event.preventDefault(); timeline.open(traced); };
    this.set("rep", `${rep}`);
    const runs = await this.chapter.loadRuns();
    if (this.chapter.selected !== point || this.chapter.rep !== rep) return;
    const row = runs.of[point].find((i) => runs.rep[i] === rep);
    const value = row === undefined ? null : runs.metrics[quantity.column][row];
    this.set("rep-value", `of ${runs.of[point].length}: ${number(value)}${unit}`);
  }

  /** Goes to the next replication of the same point. */
  async step(by) {
    const { chapter } = this;
    if (chapter.selected === null) return;
    const runs = await chapter.loadRuns();
    const reps = runs.of[chapter.selected].map((row) => runs.rep[row]).sort((a, b) => a - b);
    const place = reps.indexOf(chapter.rep);
    chapter.select(chapter.selected, reps[(place + by + reps.length) % reps.length]);
  }
}

// Numbers of one metric have equal decimals everywhere, so that columns can be compared.
function digitsOf(cell) {
  if (cell.digits === undefined) {
    const halves = cell.half.filter((half) => half > 0).sort((a, b) => a - b);
    const typical = halves.length ? halves[Math.floor(halves.length / 2)] : Math.max(...cell.mean.map(Math.abs)) / 100;
    cell.digits = cell.mean.every(Number.isInteger) && !halves.length ? 0 : decimals(typical);
  }
  return cell.digits;
}
const meanText = (cell, i) => number(cell.mean[i], digitsOf(cell));
function halfText(cell, half) {
  if (half === null) return "± ?";
  const digits = digitsOf(cell);
  const least = 10 ** -digits;
  return half > 0 && half < least / 2 ? `±<${number(least, digits)}` : `± ${number(half, digits)}`;
}
/** The interval of a mean: its half-width, or both ends if it would extend below zero. */
function intervalText(cell, i) {
  const [mean, half] = [cell.mean[i], cell.half[i]];
  if (!(mean > 0 && half > mean)) return halfText(cell, half);
  return `(${endsOf(mean, half).map((end) => number(end, digitsOf(cell))).join("–")})`;
}
const valueText = (cell, i) => `${meanText(cell, i)} ${intervalText(cell, i)}`;
function differenceText(cell, i) {
  if (cell.difference[i] === null) return "–";
  return `${signed(cell.difference[i], digitsOf(cell))} ${halfText(cell, cell.differenceHalf[i])}`;
}
const correlationText = (cell, i) => (cell.correlation[i] === null ? "–" : cell.correlation[i].toFixed(2).replace("-", "−"));
function ratioText(cell, i) {
  if (cell.ratio[i] === null) return "–";
  const open = cell.low[i] === null || cell.high[i] === null;
  return `${cell.ratio[i].toFixed(2)} × (${open ? "no interval" : `${cell.low[i].toFixed(2)}–${cell.high[i].toFixed(2)}`})`;
}

// ---- columns of the two tables -------------------------------------------------------------------------------------------------------------

function settingColumns({ data, grid }, pointOf) {
  const scheme = (i) => data.schemes[grid.scheme(pointOf(i))].label;
  return [
    { title: "scheme", left: true, value: scheme, text: scheme },
    ...data.dimensions.map((dimension, d) => ({
      title: dimension.label, value: (i) => grid.position(pointOf(i), d), text: (i) => grid.text(pointOf(i), d),
      left: dimension.scale === "category",
    })),
  ];
}

/** Shows the selected metric, which may change: the cells are read when they are drawn. Columns `also` are saved only. */
function pointColumns(chapter) {
  const { data } = chapter;
  const cell = () => data.cells[chapter.quantity.column];
  const column = (title, name, text) => ({ title, value: (i) => cell()[name][i], text });
  const columns = [
    ...settingColumns(chapter, (i) => i),
    column("n", "n", (i) => number(cell().n[i])),
    column("mean", "mean", (i) => meanText(cell(), i)),
    column("± 95 %", "half", (i) => intervalText(cell(), i)),
  ];
  if (data.baseline !== null) {
    columns.push(
      { ...column("difference", "difference", (i) => differenceText(cell(), i)), also: [column("difference ± 95 %", "differenceHalf")] },
      column("correlation", "correlation", (i) => correlationText(cell(), i)),
      { ...column("ratio", "ratio", (i) => ratioText(cell(), i)), also: [column("ratio low", "low"), column("ratio high", "high")] },
    );
  }
  return data.published ? [...columns, ...printedColumns(chapter)] : columns;
}

/** The printed value of the paper's metric, the first one; other metrics have none. */
function printedColumns(chapter) {
  const { published, publishedRatio, metrics, cells } = chapter.data;
  const cell = cells[metrics[0].column];
  const column = (title, take, text) => {
    const value = (i) => (chapter.metric === 0 && published[i] !== null ? take(i) : null);
    return { title, value, text: (i) => (value(i) === null ? "–" : text(value(i))) };
  };
  return [
    column("printed", (i) => published[i], (value) => number(value, digitsOf(cell))),
    column("off printed", (i) => cell.mean[i] / published[i] - 1, (value) => `${signed(100 * value, 1)} %`),
    column("printed ratio", (i) => publishedRatio[i], (value) => `${value.toFixed(2)} ×`),
  ];
}

function runColumns(chapter, runs) {
  return [
    ...settingColumns(chapter, (i) => runs.point[i]),
    { title: "replication", value: (i) => runs.rep[i], text: (i) => String(runs.rep[i]) },
    ...chapter.data.metrics.map(({ column, label, unit }) => {
      const values = runs.metrics[column];
      return { title: unit ? `${label} (${unit})` : label, value: (i) => values[i], text: (i) => number(values[i]) };
    }),
  ];
}
