/** A backup that is being made or downloaded. */
export interface Backup {
  /** Aborts when the copy must go, because it has data that a deletion has removed. */
  readonly outdated: AbortSignal
  /** Removes the copy, and makes room for the next backup. */
  end(): Promise<void>
}

/** The one backup that runs: each needs room on the disk. */
export class Backups {
  #lastAt: number | null = null
  #running: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined

  /** When a download was complete last, in milliseconds since the epoch; `null` for none since the start. */
  get lastAt(): number | null {
    return this.#lastAt
  }

  /** A download is complete. */
  completed(at: number): void {
    this.#lastAt = at
  }

  /** Begins a backup; `undefined` while another one runs. `removeCopy` removes what it has on the disk. */
  begin(removeCopy: () => Promise<void>): Backup | undefined {
    if (this.#running !== undefined) return undefined
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const abort = new AbortController()
    this.#running = { abort, ended }
    return {
      outdated: abort.signal,
      end: async () => {
        try {
          await removeCopy()
        } finally {
          this.#running = undefined
          resolve()
        }
      },
    }
  }

  /** A deletion has erased users: ends the backup that runs, because its copy may have them. Resolves when it is gone. */
  async endOutdated(): Promise<void> {
    this.#running?.abort.abort()
    await this.#running?.ended
  }
}
