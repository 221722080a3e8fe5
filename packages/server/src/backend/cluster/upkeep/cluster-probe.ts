import { sql } from 'kysely'
import { BackendUnavailable } from '../../backend.ts'
import type { Postgres } from '../postgres/postgres.ts'

export interface ClusterProbeOptions {
  readonly postgres: Postgres
  /** Asks the stream of the log; rejects with `BackendUnavailable` where it does not answer. */
  readonly askLog: () => Promise<unknown>
  /** Why this node does not know of the changes of other nodes; `undefined` where it does. */
  readonly staleness: () => unknown
}

/** Finds out whether PostgreSQL takes new data durably, the log answers, and this node knows of the changes of others. */
export class ClusterProbe {
  readonly #options: ClusterProbeOptions
  #running: Promise<void> | undefined

  constructor(options: ClusterProbeOptions) {
    this.#options = options
  }

  /** Calls at the same time share one. @throws {BackendUnavailable} with the reason */
  run(): Promise<void> {
    this.#running ??= this.#probe().finally(() => (this.#running = undefined))
    return this.#running
  }

  async #probe(): Promise<void> {
    const { postgres, askLog, staleness } = this.#options
    await Promise.all([writeRow(postgres), askLog()])
    const cause = staleness()
    if (cause === undefined) return
    const reason = cause instanceof Error ? cause.message : 'the reason is unknown'
    throw new BackendUnavailable(`Changes of other nodes do not arrive: ${reason}`, { cause })
  }
}

/** Adds a row that counts nothing: it goes when the tallies are put together. No node waits for another one. */
async function writeRow(postgres: Postgres): Promise<void> {
  await postgres.write((transaction) =>
    sql`INSERT INTO tallies VALUES (0, 'probe', '', 0, 0)`.execute(transaction),
  )
}
