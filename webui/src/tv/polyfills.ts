/** What our code and its libraries use and Chromium 68 does not have. */

if (typeof Array.prototype.flatMap !== "function") {
  Object.defineProperty(Array.prototype, "flatMap", {
    configurable: true,
    writable: true,
    value: function flatMap(
      this: unknown[],
      make: (one: unknown, at: number) => unknown,
    ): unknown[] {
      return ([] as unknown[]).concat(...this.map((one, at) => make(one, at)));
    },
  });
}

if (typeof Object.fromEntries !== "function") {
  Object.defineProperty(Object, "fromEntries", {
    configurable: true,
    writable: true,
    value: (pairs: Iterable<readonly [string, unknown]>): Record<string, unknown> => {
      const made: Record<string, unknown> = {};
      for (const [name, value] of pairs) made[name] = value;
      return made;
    },
  });
}

if (typeof window.queueMicrotask !== "function") {
  const done = Promise.resolve();
  window.queueMicrotask = (act) => void done.then(act);
}
