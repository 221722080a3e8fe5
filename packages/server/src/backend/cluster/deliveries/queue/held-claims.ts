/** A claim of this node: of the part of a delivery in one lane. `fence` tells it from earlier and later claims of the part. */
export interface HeldClaim {
  readonly id: string
  readonly lane: number
  readonly fence: number
}

/**
 * The claims that this node has made and not ended. It may have lost some of them meanwhile: the database finds out by the
 * fence.
 */
export class HeldClaims {
  readonly #byId = new Map<string, readonly HeldClaim[]>()

  /** The claims of these deliveries; with `lane`, only those of the parts in that lane. */
  of(ids: Iterable<string>, lane?: number): readonly HeldClaim[] {
    const claims: HeldClaim[] = []
    for (const id of ids)
      for (const claim of this.#byId.get(id) ?? [])
        if (lane === undefined || claim.lane === lane) claims.push(claim)
    return claims
  }

  get all(): readonly HeldClaim[] {
    return [...this.#byId.values()].flat()
  }

  begin(claims: readonly HeldClaim[]): void {
    for (const claim of claims) {
      const others = (this.#byId.get(claim.id) ?? []).filter(({ lane }) => lane !== claim.lane)
      this.#byId.set(claim.id, [...others, claim])
    }
  }

  /** A claim of the same part that was made later does not end. */
  end(claims: readonly HeldClaim[]): void {
    for (const { id, lane, fence } of claims) {
      const left = (this.#byId.get(id) ?? []).filter(
        (each) => each.lane !== lane || each.fence !== fence,
      )
      if (left.length === 0) this.#byId.delete(id)
      else this.#byId.set(id, left)
    }
  }
}
