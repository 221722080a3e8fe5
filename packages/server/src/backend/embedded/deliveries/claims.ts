/** A claim: of the part of a delivery in one lane. */
interface Claim {
  readonly id: string
  readonly lane: number
}

const NO_LANES: readonly number[] = []

/**
 * Which waiting parts are claimed. In memory, because only one process uses the file: its claims end with it.
 */
export class Claims {
  readonly #byLane = new Map<number, Set<string>>()
  /** Lists, because a delivery has a few lanes, and there are many deliveries. */
  readonly #lanesOf = new Map<string, readonly number[]>()

  /** Ids of the deliveries whose part in this lane is claimed. */
  of(lane: number): ReadonlySet<string> {
    return this.#byLane.get(lane) ?? new Set()
  }

  begin({ id, lane }: Claim): void {
    const claimed = this.#byLane.get(lane)
    if (claimed?.has(id)) return
    if (claimed === undefined) this.#byLane.set(lane, new Set([id]))
    else claimed.add(id)
    // A spread would leave room for 16 more lanes.
    this.#lanesOf.set(id, (this.#lanesOf.get(id) ?? NO_LANES).concat(lane))
  }

  /** The claims of a delivery, except those in these lanes. */
  ofDelivery(id: string, except: readonly number[] = NO_LANES): readonly Claim[] {
    const lanes = this.#lanesOf.get(id) ?? NO_LANES
    return lanes.filter((lane) => !except.includes(lane)).map((lane) => ({ id, lane }))
  }

  end(claims: readonly Claim[]): void {
    for (const { id, lane } of claims) {
      const claimed = this.#byLane.get(lane)
      if (!claimed?.delete(id)) continue
      if (claimed.size === 0) this.#byLane.delete(lane)
      const left = this.#lanesOf.get(id)!.filter((each) => each !== lane)
      if (left.length === 0) this.#lanesOf.delete(id)
      else this.#lanesOf.set(id, left)
    }
  }
}
