import type { AcceptedEvent } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type {
  Archiving,
  ArchivedEvent,
  Declined,
  EventFilter,
  Events,
  ListedEvent,
} from '../../events.ts'
import { parsed } from '../../accepted-event.ts'
import type { Page, PageRequest } from '../../page.ts'
import { type Row, timeOrNull } from '../database/rows.ts'
import { acceptedEventOf } from '../log/event-row.ts'
import type { Duplicates } from '../log/sqlite-log.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'
import { type ArchivedRows, findEvent, type ListedRows } from './read-events.ts'
import { findStanding } from './read-standing.ts'
import type { DeclinedRow } from './write-archive.ts'

/** The archive on the table `events`, which the log has filled already. */
export class SqliteEvents implements Events {
  readonly #writer: Writer
  readonly #readers: Readers
  readonly #duplicates: Duplicates
  readonly #find: ReturnType<typeof findEvent>
  readonly #standing: ReturnType<typeof findStanding>

  constructor(writer: Writer, reader: DatabaseSync, readers: Readers, duplicates: Duplicates) {
    this.#writer = writer
    this.#readers = readers
    this.#duplicates = duplicates
    this.#find = findEvent(reader)
    this.#standing = findStanding(reader)
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

  async standingOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    return this.#standing(eventIds)
  }

  async find(id: string): Promise<ArchivedEvent | undefined> {
    const found = this.#find(id)
    return found && archivedEventOf(found)[0]
  }

  async list(filter: EventFilter, page: PageRequest): Promise<Page<ListedEvent>> {
    const { data, nextCursor } = await this.#readers.run('listEvents', { filter, page })
    return { data: data.flatMap(listedEventOf), nextCursor }
  }
}

/** None where the event is damaged: it is in quarantine. */
function archivedEventOf({ event, declined }: ArchivedRows): readonly ArchivedEvent[] {
  const readable = readableEventOf(event)
  if (readable === undefined) return []
  return [
    {
      ...readable,
      duplicates: Number(event['duplicates']),
      lastDuplicateAt: timeOrNull(event['last_duplicate_at']),
      declined: declined.map(declinedOf),
    },
  ]
}

/** The event, parsed; `undefined` if it is damaged. */
function readableEventOf(row: Row): AcceptedEvent | undefined {
  try {
    return parsed(acceptedEventOf(row))
  } catch {
    return undefined
  }
}

function listedEventOf(rows: ListedRows): readonly ListedEvent[] {
  return archivedEventOf(rows).map((event) => ({ ...event, outcomes: rows.outcomes }))
}

function declinedOf({ since, ...decision }: Row): Declined {
  return { ...decision, ...(since !== null && { since }) } as unknown as Declined
}
