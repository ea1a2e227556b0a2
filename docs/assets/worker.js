// Pages that are opened from a directory (file:) may not start workers, and the search runs in one.
// There, a hidden frame does the work: what is posted to it before its script is loaded waits.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = (this.inside = frame.contentWindow);
      const load = (source) =>
        new Promise((done, failed) => {
          const script = inside.document.createElement("script");
          Object.assign(script, { src: source, onload: done, onerror: failed });
          inside.document.body.appendChild(script);
        });
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...sources) => Promise.all(sources.map(load));
      load(new URL(address, location.href).href).then(() => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      });
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
    }
  };
