import type { AcceptedEvent } from '@hookline/protocol'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

/** Appends five events, acks the first four, and stores the cursors of followers. */
async function fill(
  { log }: Backend,
  folder: TemporaryFolder,
  cursors: Readonly<Record<string, number>>,
): Promise<readonly AcceptedEvent[]> {
  const events = Array.from({ length: 5 }, () => acceptedEvent())
  for (const event of events) await log.append([event])
  for await (const entries of log.consume({ signal: new AbortController().signal })) {
    await log.ack(entries.slice(0, 4))
    break
  }
  using db = new DatabaseSync(join(folder.path, 'hookline.db'))
  const insert = db.prepare('INSERT INTO cursors VALUES (?, ?)')
  for (const [name, through] of Object.entries(cursors)) insert.run(name, through)
  return events
}

/** Removes slice by slice, because a slice can end after its first event on a busy machine. */
async function removeAll({ upkeep }: Backend, slice: { before?: number }): Promise<number> {
  let removed = 0
  for (let cursor: string | null | undefined; cursor !== null;) {
    const removal = await upkeep.removeOldest({ ...slice, ...(cursor && { cursor }) })
    removed += removal.removed
    cursor = removal.cursor
  }
  return removed
}

test.each<[string, Readonly<Record<string, number>>, left: number]>([
  ['is unacked', {}, 1],
  ['is unacked, even with a cursor after it', { profiles: 5 }, 1],
  ['is after the slowest cursor', { profiles: 4, other: 2 }, 3],
  ['is after a cursor at the beginning', { profiles: 0 }, 5],
])('retention by age or by size removes no event that %s', async (_, cursors, left) => {
  for (const slice of [{ before: NOON + 1 }, {}]) {
    using folder = new TemporaryFolder()
    await using backend = await openEmbeddedBackend({
      dataDir: folder.path,
      maxWaitingBytes: 2 ** 20,
    })
    const events = await fill(backend, folder, cursors)
    expect(await removeAll(backend, slice)).toBe(5 - left)
    const { data } = await backend.events.list({}, { limit: 9 })
    const expected = events.slice(5 - left).map(({ id }) => id)
    expect(data.map(({ id }) => id)).toEqual(expected.toReversed())
  }
})
