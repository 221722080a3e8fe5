import { seededRandom } from '@hookline/testing/run/seeded-random'

/** Random choices. The same seed always makes the same ones. */
export class Chance {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  /** True in this share of the cases. */
  is(share: number): boolean {
    return this.#random() < share
  }

  /** A whole number, both ends included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1))
  }

  pick<T>(values: readonly T[]): T {
    return values[this.integer(0, values.length - 1)]!
  }

  /** The values in any order. */
  shuffled<T>(values: readonly T[]): readonly T[] {
    const placed = values.map((value) => [this.#random(), value] as const)
    return placed.toSorted(([a], [b]) => a - b).map(([, value]) => value)
  }

  /** Some of the values, in their order. */
  some<T>(values: readonly T[]): readonly T[] {
    return values.filter(() => this.is(0.5))
  }
}
