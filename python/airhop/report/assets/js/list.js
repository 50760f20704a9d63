// ---- a table of any length: the page contains only the visible rows ----------------------------------------------------------------

const ROW_PX = 30;
const SPARE_ROWS = 12; // above and below the visible rows
const WIDTH_SAMPLE = 400; // rows that are measured for the width of a column

class List {
  /**
   * Columns are { title, value(i), text(i), left }: `value` sorts, `text` is shown. `choose(i)` is called when the reader
   * picks a row, and `isChosen(i)` tells which ones are marked.
   */
  constructor(host, columns, count, { choose, isChosen }) {
    Object.assign(this, { host, columns, count, choose, isChosen });
    this.order = Uint32Array.from({ length: count }, (_, i) => i);
    this.active = 0; // index in the order
    this.sorted = null; // { column, descending }
    this.head = make("div", { role: "row", class: "list-row list-head" });
    this.body = make("div", { class: "list-body", role: "rowgroup" });
    this.body.style.height = `${count * ROW_PX}px`;
    host.replaceChildren(make("div", { role: "rowgroup", class: "list-top" }, this.head), this.body);
    host.setAttribute("aria-rowcount", String(count + 1));
    this.heads = columns.map((column, place) => this.makeHead(column, place));
    host.style.setProperty("--columns", columns.map((column) => `${this.width(column)}ch`).join(" "));
    host.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(host);
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("[data-row]");
      if (row) this.pick(Number(row.dataset.row));
    });
    host.addEventListener("keydown", (event) => this.key(event));
  }

  makeHead(column, place) {
    const button = make("button", { type: "button" }, column.title);
    const head = make("div", { role: "columnheader", "aria-sort": "none", class: column.left ? "left" : "" }, button);
    button.addEventListener("click", () => this.sort(place));
    this.head.append(head);
    return head;
  }

  width(column) {
    const step = Math.max(1, Math.floor(this.count / WIDTH_SAMPLE));
    let longest = column.title.length + 2;
    for (let i = 0; i < this.count; i += step) longest = Math.max(longest, column.text(i).length);
    return longest + 2;
  }

  /** Sorts by a column; a second call reverses the order. Missing values come last. */
  sort(place) {
    const descending = this.sorted?.column === place ? !this.sorted.descending : !this.columns[place].left;
    this.sorted = { column: place, descending };
    const { value } = this.columns[place];
    const keys = Array.from({ length: this.count }, (_, i) => value(i));
    const sign = descending ? -1 : 1;
    this.order = this.order.map((_, i) => i).sort((a, b) => {
      const [x, y] = [keys[a], keys[b]];
      if (x === y) return a - b;
      if (x === null || y === null) return x === null ? 1 : -1;
      return (x < y ? -1 : 1) * sign;
    });
    this.heads.forEach((head, i) => {
      head.setAttribute("aria-sort", i !== place ? "none" : descending ? "descending" : "ascending");
    });
    this.active = 0;
    this.host.scrollTop = 0;
    this.draw();
  }

  draw() {
    const { scrollTop, clientHeight } = this.host;
    const first = Math.max(0, Math.floor(scrollTop / ROW_PX) - SPARE_ROWS);
    const last = Math.min(this.count, Math.ceil((scrollTop + clientHeight) / ROW_PX) + SPARE_ROWS);
    const rows = [];
    for (let place = first; place < last; place += 1) rows.push(this.row(place));
    this.body.replaceChildren(...rows);
    this.host.setAttribute("aria-activedescendant", `${this.host.id}-${this.active}`);
  }

  row(place) {
    const i = this.order[place];
    const row = make("div", {
      role: "row", class: "list-row", id: `${this.host.id}-${place}`, "data-row": place,
      "aria-rowindex": place + 2, "aria-selected": String(this.isChosen(i)),
    });
    row.style.top = `${place * ROW_PX}px`;
    row.classList.toggle("active", place === this.active);
    for (const column of this.columns) {
      const cell = make("div", { role: "gridcell", class: column.left ? "left" : "" }, column.text(i));
      row.append(cell);
    }
    return row;
  }

  pick(place) {
    this.active = place;
    this.choose(this.order[place]);
    this.draw();
  }

  key(event) {
    if (event.target !== this.host || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.host.clientHeight / ROW_PX) - 2);
    const step = {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity,
    }[event.key];
    if (step !== undefined) {
      this.active = Math.min(Math.max(this.active + step, 0), this.count - 1);
      const [top, height] = [this.active * ROW_PX, this.host.clientHeight - 2 * ROW_PX];
      if (top < this.host.scrollTop) this.host.scrollTop = top;
      else if (top > this.host.scrollTop + height) this.host.scrollTop = top - height;
      this.draw();
    } else if (event.key === "Enter" || event.key === " ") {
      this.pick(this.active);
    } else {
      return;
    }
    event.preventDefault();
  }
}
