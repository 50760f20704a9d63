// ---- the page: its chapters, and when it is ready ---------------------------------------------------------------------------------------

const chapters = [];
globalThis.chapters = chapters; // for whoever wants to read or change the page from a console

/** Says so, for whoever waits, once every chapter has begun. */
function ready() {
  if (all(".chapter:not([data-ready])").length) return;
  root.dataset.ready = "";
  takeWhenIdle();
}

for (const element of all(".chapter")) chapters.push(new Chapter(element));
