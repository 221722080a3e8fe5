/** Longer than a request can be on its way to the inspector. */
const REMEMBERED_MS = 60_000

/** The users whose events were removed in the last minute: a request of theirs may still be on its way. */
export class RecentPurges {
  readonly #purges: { readonly ids: ReadonlySet<string>; readonly at: number }[] = []

  /** @param at milliseconds since the epoch */
  add(ids: ReadonlySet<string>, at: number): void {
    this.forget(at)
    this.#purges.push({ ids, at })
  }

  /** Whether an event of this user that was received at `bornAt` is removed. */
  has(id: string, bornAt: number): boolean {
    return this.#purges.some(({ ids, at }) => bornAt <= at && ids.has(id))
  }

  /** Forgets those of more than a minute ago. */
  forget(now: number): void {
    while (this.#purges.length > 0 && Math.abs(now - this.#purges[0]!.at) > REMEMBERED_MS)
      this.#purges.shift()
  }
}
