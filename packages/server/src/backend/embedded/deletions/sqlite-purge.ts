import type { DeliveryContent } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import { BackendUnavailableError } from '../../backend.ts'
import type { PurgeEngine } from '../../store/deletions.ts'
import { addPurgedIds } from '../../store/purged-users.ts'
import { Statements } from '../database/statements.ts'
import type { RecentEvents } from '../log/sqlite-followed-log.ts'
import type { Duplicates } from '../log/sqlite-log.ts'
import { removeCopies } from '../migrations/migrate.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'
import type { ScrubResult } from './scrub.ts'
import { lastSeq, purgeProfiles } from './purge-events.ts'

const BUSY_TRIES = 50

interface SqlitePurgeOptions {
  readonly databaseFile: string
  readonly writer: Writer
  readonly reader: DatabaseSync
  readonly readers: Readers
  readonly duplicates: Duplicates
  readonly recent: RecentEvents
}

export function sqlitePurge(options: SqlitePurgeOptions): PurgeEngine {
  const { writer, reader, readers, duplicates, recent } = options
  const storedPositionOf = positionFinder(reader)
  return {
    lastPosition: () => writer.write(lastSeq, undefined),
    positionOf: (content) => (duplicates.has(content.id) ? undefined : storedPositionOf(content)),
    isRefused: () => false,
    refuse: (added) => writer.write(addPurgedIds, added),
    removeProfiles: (purge) => writer.write(purgeProfiles, purge),
    find: (events, after) =>
      readers.run('findPurged', { ...events, after: (after ?? 0) as number }),
    removeEvents: ({ deletionId }, events, at) =>
      recent.whileRemoving(() => writer.run('purgeEvents', { deletionId, events, at })),
    erase: (signal) => erase(options, signal),
  }
}

async function erase(
  { databaseFile, writer, readers }: SqlitePurgeOptions,
  signal: AbortSignal,
): Promise<boolean> {
  removeCopies(databaseFile)
  for (let page: number | null = 0, tries = 0; page !== null;) {
    if (signal.aborted) return false
    const from: number = page
    const run = (): Promise<ScrubResult> => writer.run('scrub', from)
    // If a reader prevented the scrub, long reads are paused.
    const scrubbed = await (tries === 0 ? run() : readers.whilePaused(run))
    if (scrubbed !== 'busy') {
      tries = 0
      page = scrubbed.nextPage
    } else if (++tries === BUSY_TRIES) {
      throw new BackendUnavailableError('The database is in use by a long read, such as a backup.')
    }
  }
  return true
}

/**
 * Prepares the lookup of an event's position: 0 if the event was removed; `undefined` if the table
 * is unreadable.
 */
export function positionFinder(
  reader: DatabaseSync,
): (content: DeliveryContent) => number | undefined {
  const statements = new Statements(reader)
  return ({ id }) => {
    try {
      const [row] = statements.all('SELECT seq FROM events WHERE id = ?', [id])
      return row === undefined ? 0 : Number(row['seq'])
    } catch {
      return undefined
    }
  }
}
