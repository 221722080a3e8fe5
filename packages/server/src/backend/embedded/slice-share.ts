/** Removals per appended event while retention works, so that the data shrinks under any load. */
const REMOVED_EACH = 1.25
/** Other writes wait for removals alone no longer than this many times what their last commit took. */
const ALONE_TIMES = 5
/** After a removal, events that are appended count for this long. */
const COUNTS_FOR_MS = 1_000

/**
 * Shares the commits between the removal of old events and all other writes. They have their commits together, until more is
 * appended than removed. Then the removal has some for itself, so that large batches do not outrun it.
 */
export class SliceShare {
  /** The number of removals that are due. */
  #due = 0
  #removedAt = -Infinity
  #aloneSince: number | undefined
  #sharedTookMs = 0

  /** Whether the next slice has a commit for itself. */
  isAlone(): boolean {
    const now = performance.now()
    this.#aloneSince ??= now
    return this.#due > 0 && now - this.#aloneSince < ALONE_TIMES * this.#sharedTookMs
  }

  /** Call it after each commit. `removed` is absent where it had no slice. */
  committed(commit: {
    readonly wasAlone: boolean
    readonly tookMs: number
    readonly appended: number
    readonly removed: number | undefined
  }): void {
    const { wasAlone, tookMs, appended, removed } = commit
    const now = performance.now()
    if (!wasAlone) {
      this.#aloneSince = undefined
      this.#sharedTookMs = tookMs
    }
    if (removed !== undefined) this.#removedAt = now
    // What finds nothing to remove needs no commits for itself.
    const isPointless = removed === 0 || now - this.#removedAt > COUNTS_FOR_MS
    this.#due = isPointless ? 0 : Math.max(0, this.#due + appended * REMOVED_EACH - (removed ?? 0))
  }
}
