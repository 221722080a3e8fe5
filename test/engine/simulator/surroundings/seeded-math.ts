/**
 * Makes `Math.random` repeatable until it is disposed of: what the engine leaves to chance, such as the
 * jitter of its waits, must be the same when a seed is replayed. A simulation is alone in its process.
 */
export class SeededMath implements Disposable {
  readonly #original = Math.random

  constructor(random: () => number) {
    Math.random = random
  }

  [Symbol.dispose](): void {
    Math.random = this.#original
  }
}
