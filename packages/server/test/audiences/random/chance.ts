import { seededRandom } from '@hookline/testing/run/seeded-random'

/** Random choices, the same for the same seed. */
export class Chance {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  /** True with this probability. */
  is(share: number): boolean {
    return this.#random() < share
  }

  /** An integer between both ends, inclusive. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.#random() * (max - min + 1))
  }

  pick<T>(values: readonly T[]): T {
    return values[this.integer(0, values.length - 1)]!
  }

  /** The values in random order. */
  shuffled<T>(values: readonly T[]): readonly T[] {
    const placed = values.map((value) => [this.#random(), value] as const)
    return placed.toSorted(([a], [b]) => a - b).map(([, value]) => value)
  }

  /** Some of the values, in their original order. */
  some<T>(values: readonly T[]): readonly T[] {
    return values.filter(() => this.is(0.5))
  }
}
