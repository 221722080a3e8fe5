import type { AcceptedEvent } from '@hookline/protocol'
import type { Archiving } from '../../events.ts'
import { StoredEvents } from '../../store/events.ts'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { PostgresReads } from '../postgres/postgres-store.ts'
import { archiveNew } from './archive-new.ts'
import { decideArchive } from './decide-archive.ts'
import { knownEvents } from './known-events.ts'
import { purgesOf } from './purges-of.ts'
import { writeArchive } from './write-archive.ts'

interface ArchiveOptions {
  readonly postgres: Postgres
  readonly dedupeWindowMs: number
  /** The position of an event in the log. */
  readonly positionOf: (event: AcceptedEvent) => number
  /** A purge covers these events: they are not archived, and nothing may be sent of them. */
  readonly onRefused: (events: readonly AcceptedEvent[]) => void
}

export interface PostgresEventsOptions extends ArchiveOptions {
  /** Called with the seq of the last event, after new ones were archived. */
  readonly onArchived: (seq: number) => void
}

/** The archive of events. */
export class PostgresEvents extends StoredEvents {
  readonly #options: PostgresEventsOptions

  constructor(options: PostgresEventsOptions) {
    super(new PostgresReads(options.postgres))
    this.#options = options
  }

  async archive(entries: readonly Archiving[]): Promise<ReadonlySet<string>> {
    if (entries.length === 0) return new Set()
    const { duplicates, seq } = await archive(entries, this.#options)
    if (seq !== undefined) this.#options.onArchived(seq)
    return duplicates
  }
}

/** The ids of the duplicates, and the seq of the last event of the archive; `undefined` where there is nothing new. */
interface Archived {
  readonly duplicates: ReadonlySet<string>
  readonly seq: number | undefined
}

const NO_DUPLICATES: ReadonlySet<string> = new Set()

/**
 * Archives events. One call at a time on all nodes: what is a duplicate of what is decided exactly, and the order of seq is that
 * of the commits, so that whoever follows the archive misses nothing. Events that are all new take one round trip.
 */
async function archive(entries: readonly Archiving[], options: ArchiveOptions): Promise<Archived> {
  const seq = await archiveNew(entries, options)
  return seq === undefined ? archiveAny(entries, options) : { duplicates: NO_DUPLICATES, seq }
}

function archiveAny(
  entries: readonly Archiving[],
  { postgres, dedupeWindowMs, positionOf, onRefused }: ArchiveOptions,
): Promise<Archived> {
  const events = entries.map(({ event }) => event)
  return postgres.write(async (transaction) => {
    await lock(transaction, 'archive')
    const known = await knownEvents(transaction, events, dedupeWindowMs)
    const isPurged = await purgesOf(transaction, events, positionOf)
    onRefused(events.filter(isPurged))
    const decisions = decideArchive(entries, { known, isPurged, dedupeWindowMs })
    const { news, countedIds, decided, duplicates } = decisions
    if (news.length + countedIds.length + decided.length === 0)
      return { duplicates, seq: undefined }
    const seq = await writeArchive(transaction, decisions, positionOf)
    return { duplicates, seq: news.length === 0 ? undefined : seq }
  })
}
