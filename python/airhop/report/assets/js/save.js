// ---- saving: figures as SVG and PNG, tables as CSV; the browser gets a file that this page makes ---------------------------------

const SAVED = { svg: "image/svg+xml", png: "image/png", csv: "text/csv" };
const PIXELS = 2; // pixels of a PNG per pixel of the page
const [SIDE_PX, LINE_PX, FONT_PX] = [12, 20, 13]; // pixels
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";

/** Makes a group with a button per kind of file; `file(kind)` returns the name without its ending, and the content. */
function saving(label, kinds, file) {
  const group = make("p", { class: "save", role: "group", "aria-label": `Download ${label}` });
  for (const kind of kinds) {
    const button = make("button", { type: "button", "data-save": kind, title: `Download as ${kind.toUpperCase()}` }, kind.toUpperCase());
    button.addEventListener("click", async () => {
      const [name, content] = await file(kind);
      const address = URL.createObjectURL(new Blob([content], { type: SAVED[kind] }));
      make("a", { href: address, download: `${slug(name)}.${kind}` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    });
    group.append(button);
  }
  return group;
}
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 80).replace(/^-|-$/g, "") || "airhop";

/** The name of the chapter around an element, and a name within it. */
const nameWithin = (element, name) => `${element.closest(".chapter").id.replace(/^study-/, "")} ${name}`;

// -- figures -------------------------------------------------------------------------------------------------------------------

const XML = new XMLSerializer();
const markup = (text) => text.replace(/[&<>]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[character]);

/** The text of a figure's caption, with the chosen options of its menus. */
function captionOf(figure) {
  const caption = one("figcaption", figure)?.cloneNode(true);
  if (!caption) return figure.getAttribute("aria-label") ?? "";
  const chosen = all("figcaption select", figure).map((select) => select.selectedOptions[0].textContent);
  all("select", caption).forEach((select, i) => select.replaceWith(`${chosen[i]} `));
  return caption.textContent.replace(/\s+/g, " ").trim();
}

/** The buttons of the legend whose curves and events a figure shows. */
function legendOf(figure) {
  if (figure.dataset.view === "map") return [];
  const legend = one(".legend.events", figure) ?? one(".figures .legend", figure.closest(".chapter"));
  return legend && one(".place", figure) ? all('button[aria-pressed="true"]', legend) : [];
}

/** An SVG of this page with the properties that its style sheet sets. */
const DRAWN = ["fill", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-size", "font-weight", "text-anchor", "paint-order"];
function styled(svg) {
  const copy = svg.cloneNode(true);
  const { width, height } = svg.getBoundingClientRect();
  const places = [svg, ...all("*", svg)];
  [copy, ...all("*", copy)].forEach((element, i) => {
    const style = getComputedStyle(places[i]);
    for (const name of DRAWN) element.style.setProperty(name, style.getPropertyValue(name));
  });
  copy.setAttribute("font-family", FONT);
  return { svg: sized(copy, 0, 0, width, height), width, height };
}

function sized(svg, x, y, width, height) {
  for (const [name, value] of Object.entries({ x, y, width, height })) svg.setAttribute(name, value);
  return XML.serializeToString(svg);
}

/** What a figure shows, as SVG: a figure of Bokeh, or an SVG of the page. */
function shownIn(figure) {
  const view = Object.values(Bokeh.index.roots ?? Bokeh.index).find(({ el }) => figure.contains(el));
  if (!view) return styled(one("svg:not(.symbol)", figure));
  const { width, height } = view.bbox;
  return { svg: view.export("svg", false).ctx.get_serialized_svg(true), width, height };
}

/** Breaks words into lines of a width in pixels. */
function broken(words, width) {
  const context = make("canvas").getContext("2d");
  context.font = `${FONT_PX}px ${FONT}`;
  const lines = [];
  for (const word of words.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return { lines, widthOf: (text) => context.measureText(text).width };
}

/** A figure with its caption and legend as one SVG, in the light theme, as a page is printed. */
function pictureOf(figure) {
  root.dataset.theme = "light";
  for (const made of figures) paintDocument(made);
  try {
    const { svg, width, height } = shownIn(figure);
    const { lines, widthOf } = broken(captionOf(figure), width);
    const css = getComputedStyle(root);
    const [page, ink] = ["--page", "--ink"].map((name) => css.getPropertyValue(name).trim());
    const parts = lines.map((line, i) => `<text x="0" y="${(i + 0.8) * LINE_PX}">${markup(line)}</text>`);
    let [x, y] = [0, lines.length * LINE_PX];
    for (const button of legendOf(figure)) {
      const text = button.textContent.replace(/\s+/g, " ").trim();
      const wide = 20 + widthOf(text) + 18;
      if (x && x + wide > width) [x, y] = [0, y + LINE_PX];
      parts.push(sized(one("svg", button).cloneNode(true), x, y + 3, 15, 15), `<text x="${x + 20}" y="${y + 0.8 * LINE_PX}">${markup(text)}</text>`);
      x += wide;
    }
    if (x) y += LINE_PX;
    const [w, h] = [width + 2 * SIDE_PX, y + 8 + height + 2 * SIDE_PX];
    return {
      width: w, height: h,
      text: `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">`
        + `<rect width="100%" height="100%" fill="${page}"/><g transform="translate(${SIDE_PX} ${SIDE_PX})" font-family="${FONT}" font-size="${FONT_PX}" fill="${ink}">`
        + `${parts.join("")}<g transform="translate(0 ${y + 8})">${svg}</g></g></svg>`,
    };
  } finally {
    paint();
  }
}

/** Draws an SVG, which contains everything it needs, as PNG. */
async function rastered({ text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = make("canvas", { width: Math.round(PIXELS * width), height: Math.round(PIXELS * height) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

for (const figure of all("figure:not(.print)")) {
  figure.append(saving("this figure", ["svg", "png"], async (kind) => {
    const picture = pictureOf(figure);
    return [nameWithin(figure, captionOf(figure)), kind === "svg" ? picture.text : await rastered(picture)];
  }));
}

// -- tables --------------------------------------------------------------------------------------------------------------------

const csvCell = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
const csvOf = (rows) => rows.map((row) => `${row.map((value) => csvCell(String(value ?? ""))).join(",")}\n`).join("");

/** The text of a cell; a number without its signs and separators. */
function plain(cell) {
  const text = cell.textContent.replace(/\s+/g, " ").trim();
  const found = text.match(/^(?:± )?([−-]?[\d,]+(?:\.\d+)?)(?: ×)?$/);
  return found ? found[1].replaceAll(",", "").replace("−", "-") : text === "–" ? "" : text;
}

/** The rows of a table, its heads first. A head over several columns names each: `data-parts` are their parts. */
function rowsOf(table) {
  const named = ({ textContent, dataset }) => (dataset.parts ?? "").split("|").map((part) => `${textContent} ${part}`.replace(/\s+/g, " ").trim());
  const heads = all("tr", table.tHead).at(-1);
  return [[...heads.cells].flatMap(named), ...all("tbody tr", table).map((row) => [...row.cells].map(plain))];
}

for (const table of all(".scroll > table")) {
  const region = table.parentElement;
  const name = document.getElementById(region.getAttribute("aria-labelledby"))?.textContent ?? region.getAttribute("aria-label");
  region.append(saving("this table", ["csv"], () => [nameWithin(table, name), csvOf(rowsOf(table))]));
}
for (const matrices of all(".matrices")) {
  matrices.after(saving("these tables", ["csv"], () => {
    const tables = all(".matrix", matrices).map((table) => [one("caption", table).firstElementChild.nextSibling.textContent.trim(), rowsOf(table)]);
    const [[, [head]]] = tables;
    const rows = tables.flatMap(([scheme, [, ...cells]]) => cells.map((row) => [scheme, ...row]));
    return [nameWithin(matrices, one("[data-say=causes]", matrices.parentElement).textContent), csvOf([["scheme", ...head], ...rows])];
  }));
}

/** The rows of a list, in its order: numbers in full, words as they are shown. */
function saveList({ host, columns, order }, name) {
  const shown = columns.flatMap((column) => [column, ...(column.also ?? [])]);
  return [nameWithin(host, name), csvOf([shown.map(({ title }) => title), ...Array.from(order, (i) => shown.map(({ left, text, value }) => (left ? text(i) : value(i))))])];
}
