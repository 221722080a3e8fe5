/**
 * Which pending deliveries are claimed. In memory, because only one process uses the file: its claims end
 * with it.
 */
export class Claims {
  readonly #byDestination = new Map<string, Set<string>>()
  readonly #destinationOf = new Map<string, string>()

  /** Ids of the claimed deliveries of a destination. */
  of(destinationId: string): ReadonlySet<string> {
    return this.#byDestination.get(destinationId) ?? new Set()
  }

  begin(id: string, destinationId: string): void {
    const claimed = this.#byDestination.get(destinationId) ?? new Set()
    this.#byDestination.set(destinationId, claimed.add(id))
    this.#destinationOf.set(id, destinationId)
  }

  /** The ids that are claimed now. */
  among(ids: readonly string[]): readonly string[] {
    return ids.filter((id) => this.#destinationOf.has(id))
  }

  end(ids: readonly string[]): void {
    for (const id of ids) {
      const destinationId = this.#destinationOf.get(id)
      if (destinationId === undefined) continue
      this.#destinationOf.delete(id)
      const claimed = this.#byDestination.get(destinationId)!
      claimed.delete(id)
      if (claimed.size === 0) this.#byDestination.delete(destinationId)
    }
  }
}
