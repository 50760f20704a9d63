// ---- the page: its chapters, and when it is ready ---------------------------------------------------------------------------------------

const chapters = [];
globalThis.chapters = chapters; // for whoever wants to read or change the page from a console

/** Says so, for whoever waits, once every chapter has begun. */
function ready() {
  if (all(".chapter[data-chapter]:not([data-ready])").length) return;
  root.dataset.ready = "";
  takeWhenIdle();
}

// A chapter without data, such as that of a calculation, stands as it is.
for (const element of all(".chapter[data-chapter]")) chapters.push(new Chapter(element));
if (!chapters.length) ready();
