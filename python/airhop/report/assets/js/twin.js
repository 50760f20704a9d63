// ---- an emulation beside its twin: figures with their data, and buttons that show and hide a run or a cause of loss ------------

class Twin {
  constructor(element) {
    this.element = element;
    this.buttons = all(".events button", element);
    for (const button of this.buttons) {
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
        this.draw();
      });
    }
    whenNear(one(".twins", element), () => this.make());
  }

  async make() {
    const hosts = all(".twins figure", this.element);
    const places = Object.fromEntries(hosts.map((host) => [host.dataset.plot, one(".place", host).id]));
    this.made = await embed(`${this.element.id}-drawn`, places);
    const time = this.made.get_model_by_name("time");
    const bounds = [time.start, time.end];
    for (const host of hosts) {
      host.addEventListener("dblclick", () => move(time, "all", bounds));
      keyboard(host, KEYS, (action) => move(time, action, bounds));
    }
    this.element.dataset.drawn = "";
  }

  /** Shows everything that no button hides. */
  draw() {
    if (!this.made) return;
    const off = this.buttons.filter((button) => button.getAttribute("aria-pressed") !== "true").map((button) => button.dataset.group);
    for (const plot of this.made.roots()) {
      for (const renderer of plot.renderers) renderer.visible = !renderer.tags.some((tag) => off.includes(tag));
    }
  }
}

for (const element of all(".twin")) new Twin(element);
