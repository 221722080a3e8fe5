import type { Archiving } from '../../events.ts'
import { StoredEvents } from '../../store/events.ts'
import type { Reads } from '../../store/store.ts'
import type { Duplicates } from '../log/sqlite-log.ts'
import type { Writer } from '../writer.ts'
import type { DeclinedRow } from './write-archive.ts'

/** The archive on the table `events`, which the log has filled already. */
export class SqliteEvents extends StoredEvents {
  readonly #writer: Writer
  readonly #duplicates: Duplicates

  constructor(writer: Writer, reads: Reads, duplicates: Duplicates) {
    super(reads)
    this.#writer = writer
    this.#duplicates = duplicates
  }

  /** Appending has archived the event already: only declined destinations are written here. */
  async archive(entries: readonly Archiving[]): Promise<ReadonlySet<string>> {
    const duplicates = new Set<string>()
    const rows: DeclinedRow[] = []
    for (const { event, declined } of entries) {
      if (this.#duplicates.has(event.id)) duplicates.add(event.id)
      else
        for (const { destinationId, reason, since = null } of declined)
          rows.push([event.id, destinationId, reason, since])
    }
    if (rows.length > 0) await this.#writer.run('keepDeclined', rows)
    return duplicates
  }
}
