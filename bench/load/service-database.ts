import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

const POLL_MS = 50
const DEADLINE_MS = 10 * 60_000

/** Checks in the database of a running service whether its profiles have caught up with the log. */
export class ServiceDatabase implements Disposable {
  readonly #db: DatabaseSync
  readonly #behind: StatementSync

  constructor(dataDir: string) {
    this.#db = new DatabaseSync(join(dataDir, 'hookline.db'), { readOnly: true })
    this.#behind = this.#db.prepare(
      `SELECT (SELECT ifnull(MAX(seq), 0) FROM events) > through
         OR EXISTS (SELECT 1 FROM identities WHERE dirty_since IS NOT NULL) AS isBehind
       FROM cursors WHERE name = 'profiles'`,
    )
  }

  /** Resolves when every event is applied and every profile evaluated, or immediately if there are no profiles. */
  async caughtUp(): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS
    while (this.#behind.get()?.['isBehind'] === 1) {
      if (performance.now() > deadline) throw new Error('Profiles have fallen behind the log.')
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }
}
