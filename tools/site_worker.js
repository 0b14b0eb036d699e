// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The site's search is a worker, and a browser starts none for a page that was read from the disk. There a frame, which
// nobody sees, stands in for it. The theme asks for this name.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const say = (target, view, data) => target.dispatchEvent(new view.MessageEvent("message", { data }));
      this.inside.postMessage = (data) => setTimeout(() => say(this, window, data));
      this.inside.importScripts = (...urls) => urls.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve());
      const ready = this.load(url);
      this.postMessage = (data) => ready.then(() => say(this.inside, this.inside, data));
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script");
        Object.assign(script, { src: new URL(url, location.href).href, onload: done, onerror: failed });
        this.inside.document.head.append(script);
      });
    }
  };
  window.Worker = window.IFrameWorker;
}
