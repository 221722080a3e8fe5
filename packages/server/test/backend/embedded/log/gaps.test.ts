import { type AcceptedEvent, newId } from '@hookline/protocol'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { SEGMENT_EVENTS } from '../../../../src/backend/store/event-order.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const S = SEGMENT_EVENTS
/**
 * Seqs at the ends of segments, with large gaps between them, as if retention had left only waiting
 * events.
 */
const PLACES = [1, 2, S - 1, S, S + 1, 7 * S - 1, 7 * S, 11_000 * S + 5, 11_001 * S]

/** Opens a backend with one event at each seq: from u1, from u2, and an alias of u1 to u2, in turn. */
async function openWithGaps(
  folder: TemporaryFolder,
): Promise<{ readonly backend: Backend; readonly events: readonly AcceptedEvent[] }> {
  const open = (): Promise<Backend> =>
    openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes: 2 ** 20 })
  const events = PLACES.map((_, index) =>
    acceptedEvent(
      [
        { userId: 'u1', messageId: 'm', sourceId: `src_${index}` },
        { userId: 'u2', messageId: 'm', sourceId: `src_${index}` },
        { type: 'alias', userId: 'u2', previousId: 'u1' } as const,
      ][index % 3],
    ),
  )
  {
    await using backend = await open()
    await backend.log.append(events)
  }
  {
    using db = new DatabaseSync(join(folder.path, 'hookline.db'))
    const move = db.prepare('UPDATE events SET seq = ? WHERE id = ?')
    for (const [index, { id }] of [...events.entries()].toReversed()) move.run(PLACES[index]!, id)
  }
  return { backend: await open(), events }
}

/** The ids of all pages and the number of pages. */
async function listed(
  { events }: Backend,
  filter: Parameters<Backend['events']['list']>[0],
  limit: number,
): Promise<{ readonly ids: readonly string[]; readonly pages: number }> {
  const ids: string[] = []
  let pages = 0
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const page = await events.list(filter, { limit, ...(cursor && { cursor }) })
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.nextCursor
  }
  return { ids, pages }
}

test.each([1, 2, 3, 100])(
  'lists by user and by messageId in pages of %d cross gaps of any size',
  async (limit) => {
    using folder = new TemporaryFolder()
    const { backend, events } = await openWithGaps(folder)
    await using _closing = backend
    const idsOf = (isMeant: (index: number) => boolean): string[] =>
      events
        .filter((_, index) => isMeant(index))
        .map(({ id }) => id)
        .toReversed()
    const u1 = await listed(backend, { userId: 'u1' }, limit)
    expect(u1.ids).toEqual(idsOf((index) => index % 3 === 0))
    expect((await listed(backend, { userId: 'u2' }, limit)).ids).toEqual(
      idsOf((index) => index % 3 !== 0),
    )
    expect((await listed(backend, { messageId: 'm' }, limit)).ids).toEqual(
      idsOf((index) => index % 3 !== 2),
    )
    expect((await listed(backend, { messageId: 'm', userId: 'u1' }, limit)).ids).toEqual(u1.ids)
    // A page scans a limited number of segments, so a gap of 11,000 segments takes several pages.
    expect(u1.pages).toBeLessThan(10)
  },
)

test('a purge finds a user on both sides of every gap, as userId and as previousId', async () => {
  using folder = new TemporaryFolder()
  const { backend, events } = await openWithGaps(folder)
  await using _closing = backend
  const { deletions } = backend
  const deletionId = newId('del', NOON)
  const request = { id: deletionId, createdAt: NOON, sourceIds: null, suppress: false, users: 2 }
  await deletions.create(request, { userIds: ['u0', 'u1'] })
  await purgeAll(deletions, { deletionId, userIds: ['u0', 'u1'], sourceIds: null })
  const left = events.filter((_, index) => index % 3 === 1).map(({ id }) => id)
  expect((await listed(backend, {}, 100)).ids).toEqual(left.toReversed())
  expect(await deletions.find(deletionId)).toMatchObject({
    purged: { events: events.length - left.length },
  })
  using db = new DatabaseSync(join(folder.path, 'hookline.db'), { readOnly: true })
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})
