import type { ArchivedEvent, Archiving, EventFilter, Events, ListedEvent } from '../../events.ts'
import type { Page, PageRequest } from '../../page.ts'
import { archive, type ArchiveOptions } from './archive.ts'
import { archivedEvents } from './archived-events.ts'
import { destinationsOf } from './event-outcomes.ts'
import { listEvents } from './list-events.ts'

export interface PostgresEventsOptions extends ArchiveOptions {
  /** Called with the seq of the last event, after new ones were archived. */
  readonly onArchived: (seq: number) => void
}

/** The archive of events. */
export class PostgresEvents implements Events {
  readonly #options: PostgresEventsOptions

  constructor(options: PostgresEventsOptions) {
    this.#options = options
  }

  async archive(entries: readonly Archiving[]): Promise<ReadonlySet<string>> {
    if (entries.length === 0) return new Set()
    const { duplicates, seq } = await archive(entries, this.#options)
    if (seq !== undefined) this.#options.onArchived(seq)
    return duplicates
  }

  standingOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    return this.#options.postgres.read((db) => destinationsOf(db, eventIds))
  }

  find(id: string): Promise<ArchivedEvent | undefined> {
    return this.#options.postgres.read(async (db) => (await archivedEvents(db, [id])).get(id))
  }

  list(filter: EventFilter, page: PageRequest): Promise<Page<ListedEvent>> {
    return this.#options.postgres.read((db) => listEvents(db, filter, page))
  }
}
