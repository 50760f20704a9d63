// ---- figures: Bokeh documents, created on demand in the page's colours ----------------------------------------------------------

const figures = new Set(); // figures of the existing documents

/** Draws a template into elements, by the name of each figure, and returns its document. */
async function embed(template, places) {
  const { doc, roots } = await unpack(template);
  const docid = `${template}-${(embedded += 1)}`;
  const wanted = Object.keys(roots).filter((name) => name in places);
  const named = { ...doc, title: docid, roots: doc.roots.filter(({ id }) => wanted.some((name) => roots[name] === id)) };
  const elements = Object.fromEntries(wanted.map((name) => [roots[name], places[name]]));
  await Bokeh.embed.embed_items({ [docid]: named }, [{ docid, roots: elements, root_ids: wanted.map((name) => roots[name]) }]);
  const made = Bokeh.documents.findLast((document) => document.title() === docid);
  figures.add(made);
  paintDocument(made);
  return made;
}
let embedded = 0;

/** The figure of this name. */
const plotOf = (made, name) => made.roots().find((model) => model.name === name);

/** The sources of a document by name. */
const sourcesOf = (made) => new Map([...made.all_models].filter((model) => model.type === "ColumnDataSource").map((source) => [source.name, source]));

/** Removes a document's figures from the page. */
function discard(made) {
  figures.delete(made);
  made.clear();
}

// ---- theme: the page's colours for the figures' text and axes -------------------------------------------------------------------
const dark = matchMedia("(prefers-color-scheme: dark)");
let chosen = null; // the reader's choice; null: as in the system
const theme = () => chosen ?? (dark.matches ? "dark" : "light");

function paintDocument(made) {
  const css = getComputedStyle(root);
  const [label, axis] = ["--label", "--axis"].map((name) => css.getPropertyValue(name).trim());
  for (const model of made.all_models) {
    if (!("major_label_text_color" in model.properties)) continue;
    model.setv({ major_label_text_color: label });
    if ("axis_line_color" in model.properties) {
      model.setv({ axis_label_text_color: label, axis_line_color: axis, major_tick_line_color: axis, minor_tick_line_color: axis });
    }
  }
}
function paint() {
  root.dataset.theme = theme();
  for (const made of figures) paintDocument(made);
}
dark.addEventListener("change", paint);
addEventListener("beforeprint", () => { root.dataset.theme = "light"; });
addEventListener("afterprint", () => { root.dataset.theme = theme(); });
one("#theme").addEventListener("click", () => {
  chosen = theme() === "dark" ? "light" : "dark";
  paint();
});
root.dataset.theme = theme();

// ---- words below an axis --------------------------------------------------------------------------------------------------------
const worded = new WeakMap(); // words by figure
const pen = document.createElement("canvas").getContext("2d");

/** Shows a word at each whole number from 0, also after a change of the figure's width. */
function showWords(plot, texts) {
  if (!worded.has(plot)) plot.properties.inner_width.change.connect(() => fitWords(plot));
  worded.set(plot, texts);
  plot.below[0].ticker.ticks = texts.map((_, i) => i);
  fitWords(plot);
}

/** Breaks the words below an axis where they would touch; turns them if a part of a word is too long. */
function fitWords(plot) {
  const [axis, texts] = [plot.below[0], worded.get(plot)];
  pen.font = `${axis.major_label_text_font_size} ${axis.major_label_text_font}`;
  const room = plot.inner_width / texts.length - pen.measureText("00").width;
  const width = (text) => pen.measureText(text).width;
  const broken = texts.map((text) => lines(text, (line) => width(line) <= room));
  const fits = !plot.inner_width || broken.flat().every((line) => width(line) <= room);
  const shown = fits ? broken.map((parts) => parts.join("\n")) : texts;
  axis.setv({
    major_label_overrides: new Map(shown.map((text, i) => [i, text])),
    major_label_orientation: fits ? "horizontal" : "vertical",
  });
}

/** Breaks `drop-tail(packets=100)` after a space, comma, hyphen or equals sign and before a parenthesis, into lines that fit. */
function lines(text, fits) {
  const found = [];
  for (const part of text.split(/(?<=[ ,=]|[a-z]-)|(?=\()/)) {
    const longer = (found.at(-1) ?? "") + part;
    if (found.length && fits(longer.trimEnd())) found[found.length - 1] = longer;
    else found.push(part);
  }
  return found.map((line) => line.trimEnd());
}

// ---- moving along an axis, by buttons and keys ----------------------------------------------------------------------------------

/** Shows the range between two values, within `bounds`; on a logarithmic axis if `log`. */
function show(range, start, end, bounds, log = false) {
  const [to, from] = log ? [Math.log10, (v) => 10 ** v] : [(v) => v, (v) => v];
  const [first, last] = bounds.map(to);
  const span = Math.min(to(end) - to(start), last - first);
  const begin = Math.min(Math.max(to(start), first), last - span);
  range.setv({ start: from(begin), end: from(begin + span) });
}

const MOVES = { // shifts of the ends, in spans
  left: [-0.25, -0.25], right: [0.25, 0.25], in: [0.25, -0.25], out: [-0.5, 0.5],
};
function move(range, name, bounds, log = false) {
  if (name === "all") return show(range, ...bounds, bounds, log);
  const [to, from] = log ? [Math.log10, (v) => 10 ** v] : [(v) => v, (v) => v];
  const [start, end] = [to(range.start), to(range.end)];
  const [a, b] = MOVES[name].map((part) => part * (end - start));
  show(range, from(start + a), from(end + b), bounds, log);
}
const KEYS = { ArrowLeft: "left", ArrowRight: "right", "+": "in", "=": "in", "-": "out", 0: "all" };

/** Lets keys move a focused figure. */
function keyboard(figure, keys, act) {
  figure.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (!action || event.target !== figure || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(action);
  });
}
