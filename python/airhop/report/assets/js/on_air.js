// ---- frames on the air: a lane per station, with single frames if they are few -------------------------------------------------------

const FRAMES_APART = 800; // with more visible frames, adjacent frames are drawn as one
const COLLISION_WINDOW_S = 0.004; // shows a collision, the frames before it, and the next attempt
const [BAR, EDGE, HEARD, SENSED] = [0.22, 0.45, 0.12, 0.045]; // in lanes: half a bar, outer edge and heights of strips
const RETRIED = 0.09; // height of the strip below a retransmitted MPDU, in lanes
const [LOST_CODE, RETRIED_CODE] = [1, 2];
const NARROWEST_PX = 3; // narrower MPDUs have no borders
const TELLS = {
  received: "received", captured: "received over a weaker signal", channel: "lost: channel error", unheard: "lost: out of range",
};
const REASON_TELLS = {
  hidden: "neither sender senses the other: hidden terminals", sending: "the addressee was sending itself",
  sensed: "the senders sense each other", unknown: "with a frame that is not here",
};

class OnAir {
  constructor(data, plot, sources) {
    Object.assign(this, data, { plot, sources });
    let ticks = 0;
    this.begin = Float64Array.from(data.start, (step) => (ticks += step) * data.tick);
    this.end = Float64Array.from(data.length, (length, i) => this.begin[i] + length * data.tick);
    this.longest = this.end.reduce((longest, end, i) => Math.max(longest, end - this.begin[i]), 0);
    this.overlaps = data.overlaps.map(([frame, other, lane, start, end, reason, captured]) => ({
      frame, other, lane, start: start * data.tick, end: end * data.tick, group: captured ? "captured" : data.reasons[reason],
    }));
    this.waiting = data.waiting.map(([lane, start, end]) => ({ lane, start: start * data.tick, end: end * data.tick }));
    this.overlapOf = new Map(this.overlaps.map((overlap) => [overlap.frame, overlap]));
    const lanes = data.lanes.length;
    plot.height = data.height;
    plot.y_range.setv({ start: lanes - 0.5, end: -0.5 });
    plot.left[0].ticker.ticks = data.lanes.map((_, lane) => lane);
    plot.left[0].major_label_overrides = new Map(data.lanes.map((label, lane) => [lane, label]));
    const borders = plot.center.find((model) => model.ticker?.name === "borders").ticker;
    borders.ticks = data.lanes.slice(1).map((_, lane) => lane + 0.5);
  }

  /** True if the group with this name in the legend is visible. */
  shows(group) { return this.plot.renderers.find(({ name }) => name === group)?.visible ?? true; }

  /** Indices of the frames on the air between two times, as [first, last + 1]. */
  within(start, end) {
    const first = (t) => {
      let [from, to] = [0, this.begin.length];
      while (from < to) {
        const middle = (from + to) >> 1;
        if (this.begin[middle] < t) from = middle + 1; else to = middle;
      }
      return from;
    };
    return [first(start - this.longest), first(end)];
  }

  /** Start times of the visible kinds of collisions. */
  get collisions() {
    return this.overlaps.filter(({ group }) => group !== "captured" && this.shows(group)).map(({ start }) => start).sort((a, b) => a - b);
  }

  /** Draws the visible frames, and shows their number. */
  draw(time) {
    const [from, to] = this.within(time.start, time.end);
    const drawn = new Drawn(this.sources);
    const inSight = ({ start, end }) => end > time.start && start < time.end;
    const overlaps = this.overlaps.filter(inSight);
    this.pixel = (time.end - time.start) / (this.plot.inner_width || 1000);
    if (to - from > FRAMES_APART) {
      this.drawMany(drawn, from, to, this.pixel);
      for (const overlap of overlaps) if (overlap.group !== "captured") this.drawOverlap(drawn, overlap);
    } else {
      for (let i = from; i < to; i += 1) if (this.shows(this.kinds[this.kind[i]])) this.drawFrame(drawn, i);
      for (const overlap of overlaps) {
        this.drawOverlap(drawn, overlap);
        this.drawCulprit(drawn, overlap);
      }
      for (const { lane, start, end } of this.waiting.filter(inSight)) {
        drawn.add("waiting", "waiting", { left: start, right: end, bottom: lane + BAR, top: lane - BAR });
      }
    }
    drawn.show();
    return this.say(to - from, time);
  }

  say(count, time) {
    const last = this.begin.at(-1) ?? 0;
    const left = [];
    if (this.begin.length < this.total) left.push(`the first ${number(this.begin.length)} of ${number(this.total)} frames, up to ${last.toFixed(3)} s`);
    if (this.lanes.length < this.stations) left.push(`the ${this.lanes.length} busiest of ${number(this.stations)} stations`);
    const many = count > FRAMES_APART ? ": zoom in to see each of them" : "";
    return `${number(count)} frames in sight${many}.${left.length ? ` The page has ${left.join(" and ")}.` : ""}`;
  }

  drawFrame(drawn, i) {
    const [begin, end, lane, to] = [this.begin[i], this.end[i], this.lane[i], this.to[i]];
    const kind = this.kinds[this.kind[i]];
    drawn.add("bars", kind, {
      left: begin, right: end, bottom: lane + BAR, top: lane - BAR, from: this.lanes[lane], to: this.lanes[to] ?? "all", tells: this.tells(i),
    });
    for (const [group, others, height] of [["heard", this.hearers, HEARD], ["only-sensed", this.sensers, SENSED]]) {
      for (const other of others[lane]) {
        const side = lane < other ? -1 : 1;
        drawn.add("strips", group, { left: begin, right: end, bottom: other + side * EDGE, top: other + side * (EDGE - height) });
      }
    }
    if (i in this.mpdus) this.drawMpdus(drawn, i, lane);
    if (to >= 0) this.drawArrow(drawn, kind, end, lane, to, this.outcomes[this.outcome[i]]);
  }

  /** MPDUs of an A-MPDU, each with its subframe's bytes and its code. */
  mpdusOf(i) {
    const cells = [];
    const runs = this.mpdus[i] ?? [];
    for (let run = 0; run < runs.length; run += 3) {
      for (let n = 0; n < runs[run]; n += 1) cells.push({ bytes: runs[run + 1], code: runs[run + 2] });
    }
    return cells;
  }

  /** Draws the MPDUs in the bar of an A-MPDU, whose airtime they share by bytes. */
  drawMpdus(drawn, i, lane) {
    const [begin, end] = [this.begin[i], this.end[i]];
    const cells = this.mpdusOf(i);
    const perByte = (end - begin) / cells.reduce((sum, { bytes }) => sum + bytes, 0);
    const narrowest = NARROWEST_PX * this.pixel;
    const box = { bottom: lane + BAR, top: lane - BAR };
    let left = begin;
    for (const { bytes, code } of cells) {
      const right = left + bytes * perByte;
      if (left > begin && right - left >= narrowest) drawn.add("borders", "a-mpdu", { x0: left, y0: box.bottom, x1: left, y1: box.top });
      if (code & LOST_CODE) drawn.add("cells", "lost-mpdu", { left, right, ...box });
      if (code & RETRIED_CODE) drawn.add("cells", "retried-mpdu", { left, right, bottom: box.bottom, top: box.bottom - RETRIED });
      left = right;
    }
  }

  drawArrow(drawn, kind, x, lane, to, outcome) {
    const [side, received] = [lane < to ? 1 : -1, outcome === "received"];
    const tip = to - (received ? side * (BAR + 0.05) : 0);
    drawn.add("stems", kind, { x0: x, y0: lane + side * BAR, x1: x, y1: tip });
    if (received) drawn.add("tips", kind, { x, y: tip, marker: side > 0 ? "inverted_triangle" : "triangle" });
    else if (outcome !== "collision") drawn.add("marks", outcome, { x, y: to });
  }

  drawOverlap(drawn, { frame, other, lane, start, end, group }) {
    if (other < 0) return;
    const met = `${this.names(frame)} and ${this.names(other)}`;
    const tells = `${met} overlap for ${Math.round((end - start) * 1e6)} µs at ${this.lanes[lane]}: ${group === "captured" ? "the stronger was received" : REASON_TELLS[group]}`;
    drawn.add("overlaps", group, { left: start, right: end, bottom: lane + EDGE, top: lane - EDGE, tells });
  }

  /** Marks lost frames, with a line from the interfering frame to the overlap. */
  drawCulprit(drawn, { frame, other, lane, start, end, group }) {
    if (group !== "captured") drawn.add("marks", group, { x: this.end[frame], y: lane });
    if (other < 0 || group === "sending") return;
    const [x, from] = [(start + end) / 2, this.lane[other]];
    const side = from < lane ? 1 : -1;
    drawn.add("lines", group, { x0: x, y0: from + side * BAR, x1: x, y1: lane - side * EDGE });
  }

  /** Draws frames of a lane that touch at this scale as one box. */
  drawMany(drawn, from, to, pixel) {
    const open = this.lanes.map(() => null);
    const close = (lane) => {
      if (open[lane]) drawn.add("bars", "many", { left: open[lane][0], right: open[lane][1], bottom: lane + BAR, top: lane - BAR });
    };
    for (let i = from; i < to; i += 1) {
      if (!this.shows(this.kinds[this.kind[i]])) continue;
      const [lane, begin, end] = [this.lane[i], this.begin[i], this.end[i]];
      if (open[lane] && begin - open[lane][1] < pixel) open[lane][1] = end;
      else {
        close(lane);
        open[lane] = [begin, end];
      }
    }
    this.lanes.forEach((_, lane) => close(lane));
  }

  names(i) { return `${this.lanes[this.lane[i]]} → ${this.lanes[this.to[i]] ?? "all"}`; }

  tells(i) {
    const overlap = this.overlapOf.get(i);
    const outcome = this.outcomes[this.outcome[i]];
    const became = outcome === "collision" ? `lost in a collision: ${REASON_TELLS[overlap?.group ?? "unknown"]}` : TELLS[outcome];
    const length = ((this.end[i] - this.begin[i]) * 1e6).toFixed(1);
    const packet = `${this.flows[this.flow[i]]} ${number(this.seq[i])}`.trim();
    const attempt = i in this.mpdus ? this.tellsMpdus(i) : `attempt ${this.attempt[i]}`;
    return `${this.bytes[i]} B, ${length} µs; ${packet}, ${attempt}; ${became}`;
  }

  /** Counts of an A-MPDU's MPDUs. */
  tellsMpdus(i) {
    const cells = this.mpdusOf(i);
    const withCode = (wanted) => cells.filter(({ code }) => code & wanted).length;
    const [lost, retried] = [LOST_CODE, RETRIED_CODE].map(withCode);
    return `${cells.length} MPDUs${lost ? `, ${lost} lost` : ""}${retried ? `, ${retried} retransmitted` : ""}`;
  }
}

/** Columns of every source, collected row by row. */
class Drawn {
  constructor(sources) {
    this.sources = sources;
    this.columns = new Map([...sources].map(([name, source]) => [name, Object.fromEntries(Object.keys(source.data).map((column) => [column, []]))]));
  }

  add(role, group, row) {
    const columns = this.columns.get(`${role}:${group}`);
    for (const name in row) columns[name].push(row[name]);
  }

  show() {
    for (const [name, source] of this.sources) {
      const columns = this.columns.get(name);
      const [before, now] = [source.data, columns].map((data) => Object.values(data)[0].length);
      if (before || now) source.data = columns;
    }
  }
}
