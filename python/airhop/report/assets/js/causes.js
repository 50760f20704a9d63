// ---- loss classifications: the matrices, at the setting of the selected point -------------------------------------------------------

class Matrices {
  constructor(chapter) {
    this.chapter = chapter;
    this.tables = all("[data-matrix]", chapter.element);
    this.draw();
  }

  /** Shows every scheme's losses at the setting of the selected point, or of a point in the middle. */
  draw() {
    const { chapter } = this;
    const { grid, data, hidden } = chapter;
    const at = chapter.selected ?? middle(chapter);
    one("[data-say=causes]", chapter.element).textContent = grid.where(at);
    for (const table of this.tables) {
      const scheme = Number(table.dataset.matrix);
      const point = grid.points.scheme.findIndex((other, i) => other === scheme && grid.sameSetting(i, at));
      table.hidden = hidden.has(scheme) || point < 0;
      if (!table.hidden) this.fill(table, point, data.judged);
    }
  }

  fill(table, point, { counts, right, low, high }) {
    const total = Object.values(counts).reduce((sum, column) => sum + column[point], 0);
    for (const cell of all("[data-cell]", table)) {
      const count = counts[cell.dataset.cell][point];
      const share = total ? count / total : 0;
      cell.textContent = count ? percent(share) : "";
      cell.title = `${number(count)} of ${number(total)} losses`;
      cell.style.setProperty("--share", share.toFixed(3));
    }
    const share = percentInterval(right[point], low[point], high[point]);
    const told = right[point] === null ? `${number(total)} losses, no classification` : `${share} % of ${number(total)} correct`;
    one(".count", table).textContent = total ? told : "no loss detected";
  }
}

/** A share with its interval; the half-width determines the decimals. */
function percentInterval(value, low, high) {
  if (low === null || high === null || low === high) return percent(value);
  const half = 50 * (high - low);
  const digits = half === 0 || half >= 2 ? 0 : half >= 0.2 ? 1 : 2;
  const [mean, from, to] = [value, low, high].map((share) => (100 * share).toFixed(digits));
  return `${mean} (${from}–${to})`;
}

/** A share of 0 to 1 in per cent, with two significant digits of the share or of its difference from 100. */
function percent(share) {
  const hundredths = 100 * share;
  const margin = Math.min(hundredths, 100 - hundredths);
  const digits = margin <= 0 || margin >= 10 ? 0 : Math.min(1 - Math.floor(Math.log10(margin)), 2);
  return hundredths.toFixed(digits);
}
