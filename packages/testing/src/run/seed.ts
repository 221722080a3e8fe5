/** The seed of a run. Set HOOKLINE_TEST_SEED to repeat a run. */
export const SEED = Number(process.env['HOOKLINE_TEST_SEED'] ?? Date.now() % 1_000_000)

/**
 * Replaces `Math.random` until it is disposed of, so that a seed also repeats the random choices of the engine, such as
 * jitter. Only one simulation may run in a process at a time.
 */
export class SeededMathRandom implements Disposable {
  readonly #original = Math.random

  constructor(random: () => number) {
    Math.random = random
  }

  [Symbol.dispose](): void {
    Math.random = this.#original
  }
}
