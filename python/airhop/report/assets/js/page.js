// ---- the page: its chapters, and when it is ready ---------------------------------------------------------------------------------------

const chapters = [];
globalThis.chapters = chapters; // for use from the browser's console

/** Sets a flag, for tests, when every chapter has started. */
function ready() {
  if (all(".chapter[data-chapter]:not([data-ready])").length) return;
  root.dataset.ready = "";
  takeWhenIdle();
}

// A chapter without data, such as a calculation's, needs no script.
for (const element of all(".chapter[data-chapter]")) chapters.push(new Chapter(element));
if (!chapters.length) ready();
