// ---- views: data of each figure of a chapter for the reader's choices -------------------------------------------------------------------

const VIEWS = {
  means: (chapter, shown) => drawCurves(chapter, shown, "means", chapter.quantity, (cell, i) => [cell.mean[i], cell.half[i]]),
  differences: (chapter, shown) =>
    drawCurves(chapter, shown, "differences", chapter.quantity, (cell, i) => [cell.difference[i], cell.differenceHalf[i]]),
  fairness: (chapter, shown) =>
    drawCurves(chapter, shown, "fairness", chapter.fairness, (cell, i) => [cell.mean[i], cell.half[i]]),
  distribution: drawDistribution,
  map: drawMap,
};

function drawCurves(chapter, { plot, sources }, name, quantity, take) {
  const { data, grid, axis, slice } = chapter;
  const cell = data.cells[quantity.column];
  const limits = chapter.asPrinted ? data.frame.limits : null;
  const inside = (point) => !limits || (grid.value(point, axis) >= limits[0] && grid.value(point, axis) <= limits[1]);
  const [xs, ys] = [[], name === "differences" ? [0] : []];
  // No lines between words, or between only two points.
  const dimension = data.dimensions[axis];
  const isTrend = Boolean(dimension) && dimension.scale !== "category" && dimension.values.length > 2;
  data.schemes.forEach((_, scheme) => {
    const points = grid.along(scheme, slice, axis).filter((i) => inside(i) && take(cell, i)[0] !== null);
    const [y, half] = [points.map((i) => take(cell, i)[0]), points.map((i) => take(cell, i)[1] ?? 0)];
    const most = quantity.most ?? Infinity;
    const ends = y.map((value, i) => {
      if (name === "differences") return [value - half[i], value + half[i]];
      const [low, high] = endsOf(value, half[i]);
      return [low, Math.min(high, most)];
    });
    const columns = {
      x: points.map((i) => grid.position(i, axis)), y,
      joined: isTrend ? y : y.map(() => NaN),
      low: ends.map(([low]) => low), high: ends.map(([, high]) => high),
      where: points.map((i) => grid.where(i)), metric: points.map(() => quantity.label), unit: points.map(() => quantity.unit),
      value: points.map((i) => valueText(cell, i)),
      reps: points.map((i) => cell.n[i]), difference: points.map((i) => differenceText(cell, i)),
      correlation: points.map((i) => correlationText(cell, i)), ratio: points.map((i) => ratioText(cell, i)), point: points,
    };
    sources.get(`data:${scheme}`).data = columns;
    drawPublished(chapter, sources.get(`published:${scheme}`), points, axis);
    if (chapter.hidden.has(scheme)) return;
    xs.push(...columns.x);
    ys.push(...columns.low, ...columns.high);
  });
  if (!xs.length) return;
  fitX(chapter, plot, name, xs, limits);
  const printed = name === "means" && chapter.asPrinted;
  const [low, high] = printed ? [data.frame.ticks[0], data.frame.ticks.at(-1)] : heights(ys, name !== "fairness");
  plot.y_range.setv({ start: low, end: high });
  plot.left[0].axis_label = name === "differences" ? `Difference${quantity.unit ? ` (${quantity.unit})` : ""}` : title(quantity);
}

/** Draws the paper's numbers as open marks while the paper's metric is shown. */
function drawPublished({ data, asPrinted, grid }, source, points, axis) {
  if (!source) return;
  const known = asPrinted ? points.filter((i) => data.published[i] !== null) : [];
  source.data = { x: known.map((i) => grid.position(i, axis)), y: known.map((i) => data.published[i]) };
}

function fitX(chapter, plot, name, xs, limits) {
  const dimension = chapter.data.dimensions[chapter.axis];
  plot.below[0].axis_label = dimension?.label ?? "";
  let ends;
  if (!dimension || dimension.scale === "category") {
    const texts = dimension?.texts ?? ["the one setting"];
    ends = [-0.5, texts.length - 0.5];
    showWords(plot, texts);
  } else {
    const [low, high] = limits ?? [Math.min(...xs), Math.max(...xs)];
    const log = dimension.scale === "log";
    if (!log) plot.below[0].ticker = ticker(dimension);
    const by = log ? (high / low) ** PAD : (high - low || Math.abs(high) || 1) * PAD;
    ends = log ? [low / Math.max(by, 1.08), high * Math.max(by, 1.08)] : [low - by, high + by];
  }
  chapter.bounds = { ...chapter.bounds, [name]: ends };
  plot.x_range.setv({ start: ends[0], end: ends[1] });
}

/** Sets a tick at each of a few whole numbers, because the axis has no values between them. */
function ticker({ ticks }) {
  const [Fixed, Basic] = ["FixedTicker", "BasicTicker"].map((name) => Bokeh.Models.get(name));
  return ticks ? new Fixed({ ticks }) : new Basic();
}

/** The ends of a vertical axis: from zero, unless values are close together and `zero` is not required. */
function heights(values, zero) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  const by = (high - low || Math.abs(high) || 1) * 0.06;
  return [low < 0 || !zero ? low - by : low, high + by];
}

async function drawDistribution(chapter, { plot, sources }) {
  const { data, grid, quantity } = chapter;
  const runs = await chapter.loadRuns();
  const at = chapter.selected ?? middle(chapter);
  const xs = [];
  data.schemes.forEach((_, scheme) => {
    const point = runs.of.findIndex((_rows, i) => grid.scheme(i) === scheme && grid.sameSetting(i, at));
    const rows = point < 0 ? [] : runs.of[point].filter((row) => runs.metrics[quantity.column][row] !== null);
    const values = runs.metrics[quantity.column];
    rows.sort((a, b) => values[a] - values[b]);
    const x = rows.map((row) => values[row]);
    const y = rows.map((_row, i) => (i + 1) / rows.length);
    sources.get(`steps:${scheme}`).data = { x: [...x.slice(0, 1), ...x], y: [...y.slice(0, 1).map(() => 0), ...y] };
    sources.get(`data:${scheme}`).data = {
      x, y, value: x.map((value) => number(value)), unit: x.map(() => quantity.unit),
      rep: rows.map((row) => runs.rep[row]), point: rows.map(() => point),
    };
    if (!chapter.hidden.has(scheme)) xs.push(...x);
  });
  for (const place of all("[data-say=distribution]", chapter.element)) {
    place.textContent = `${quantity.label} of single replications at ${grid.where(at)}`;
  }
  plot.below[0].axis_label = title(quantity);
  if (!xs.length) return;
  const [start, end] = heights(xs, false);
  chapter.bounds = { ...chapter.bounds, distribution: [start, end] };
  plot.x_range.setv({ start, end });
}

/** A point in the middle of the slice, used while no point is selected. */
function middle({ grid, slice, axis }) {
  const points = grid.along(grid.scheme(0), slice, axis);
  return points[Math.floor(points.length / 2)] ?? 0;
}

function drawMap(chapter, { plot, sources, document: made }) {
  const { data, grid, slice, quantity } = chapter;
  const [across, up] = data.plane;
  const [scheme, what] = ["scheme", "what"].map((name) => one(`[data-map=${name}]`, chapter.element)?.value ?? "");
  const cell = data.cells[quantity.column];
  const values = what === "ratio" ? cell.ratio : cell.mean;
  const points = grid.along(Number(scheme), slice, across, up).filter((i) => values[i] !== null);
  const shown = points.map((i) => values[i]);
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const few = data.dimensions[across].values.length <= 14 && data.dimensions[up].values.length <= 20;
  const text = (i) => (what === "ratio" ? values[i].toFixed(2) : meanText(cell, i));
  plot.x_range.factors = data.dimensions[across].texts;
  plot.y_range.factors = data.dimensions[up].texts;
  plot.below[0].axis_label = data.dimensions[across].label;
  plot.left[0].axis_label = data.dimensions[up].label;
  made.get_model_by_name("colours").setv({ low, high: high > low ? high : low + 1 });
  sources.get("data:0").data = {
    x: points.map((i) => grid.text(i, across)), y: points.map((i) => grid.text(i, up)), z: shown,
    text: points.map((i) => (few ? text(i) : "")), ink: shown.map((z) => ((z - low) / (high - low || 1) > 0.55 ? "#14171c" : "#ffffff")),
    where: points.map((i) => `${data.schemes[grid.scheme(i)].label} at ${grid.where(i)}`),
    value: points.map((i) => (what === "ratio" ? ratioText(cell, i) : `${valueText(cell, i)} ${quantity.unit}`)),
    reps: points.map((i) => cell.n[i]), point: points,
  };
}
