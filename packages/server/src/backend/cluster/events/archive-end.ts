import { sql } from 'kysely'
import type { Clock } from '../../../util/time/clock.ts'
import type { Postgres } from '../postgres/postgres.ts'

/** Tells the nodes of what one of them has archived. What it tells may get lost. */
interface ArchiveSignal {
  send(seq: number): void
  /** Calls `listener` with what any node has sent. */
  onReceived(listener: (seq: number) => void): void
}

export interface ArchiveEndOptions {
  readonly postgres: Postgres
  readonly signal: ArchiveSignal
  readonly clock: Clock
  readonly pollMs: number
}

/** How far the archive reaches, for those who wait for more: told by the node that archives, and looked for beneath. */
export class ArchiveEnd {
  readonly #options: ArchiveEndOptions
  readonly #waiting = new Set<() => void>()
  #last = 0

  constructor(options: ArchiveEndOptions) {
    this.#options = options
    options.signal.onReceived((seq) => this.#moveTo(seq))
  }

  /** This node has archived something. */
  archived(seq: number): void {
    this.#moveTo(seq)
    this.#options.signal.send(seq)
  }

  /** Resolves when the archive reaches beyond the position, or `signal` aborts. */
  async beyond(position: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#last <= position) {
      const changed = this.#changed(signal)
      this.#moveTo(await this.#read())
      if (this.#last > position) return
      await changed
    }
  }

  async #changed(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    const cancel = this.#options.clock.after(this.#options.pollMs, wake)
    this.#waiting.add(wake)
    signal.addEventListener('abort', wake, { once: true })
    await promise
    cancel()
    this.#waiting.delete(wake)
    signal.removeEventListener('abort', wake)
  }

  async #read(): Promise<number> {
    const [row] = await this.#options.postgres.run(
      sql<{ readonly seq: number }>`SELECT seq FROM archive`,
    )
    return row!.seq
  }

  #moveTo(seq: number): void {
    if (seq <= this.#last) return
    this.#last = seq
    for (const wake of this.#waiting) wake()
  }
}
