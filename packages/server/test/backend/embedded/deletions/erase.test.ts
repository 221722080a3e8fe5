import { type AcceptedEvent, type Delivery, newId } from '@hookline/protocol'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { deliveryId } from '../../../../src/delivery/sending/webhook-request.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { plantNames } from '../../conformance/planted-names.ts'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const PLANTED = 'PLANTED-VALUE'
const maxWaitingBytes = 2 ** 26
const NEVER = new AbortController().signal

/** Events, some with the planted value wherever a client, or a receiver's response, can put it. */
function someEvents(count: number, random: () => number): AcceptedEvent[] {
  return Array.from({ length: count }, () => {
    const isMine = random() < 0.05
    const text = `${isMine ? PLANTED : ''}${'x'.repeat(random() * (random() < 0.05 ? 9000 : 700))}`
    // Not from `random`: two of its thousands of 32-bit numbers could be equal, which would make duplicates.
    const id = randomUUID()
    return acceptedEvent({
      messageId: `${id}${isMine ? PLANTED : ''}`,
      userId: isMine ? 'u1' : `${id}-other`,
      anonymousId: `${id}${isMine ? PLANTED : ''}`,
      properties: { text },
    })
  })
}

/** Records a delivery that failed once, with a response that echoes the request. */
async function failOnce({ deliveries }: Backend, event: AcceptedEvent): Promise<void> {
  const delivery: Delivery = {
    id: deliveryId(event.id, 'dst_a'),
    eventId: event.id,
    destinationId: 'dst_a',
    state: 'pending',
    attemptCount: 1,
    firstDueAt: NOON,
    dueAt: NOON,
    webhooks: [],
  }
  const attempt = {
    id: newId('att', NOON),
    round: 1,
    number: 1,
    url: 'https://example.com/',
    startedAt: NOON,
    durationMs: 1,
    outcome: 'retry',
    class: 'http_5xx',
    body: JSON.stringify(event.event),
  } as const
  await deliveries.record([{ delivery, attempts: [attempt] }])
}

async function fill(backend: Backend, count: number, random: () => number): Promise<void> {
  for (let left = count; left > 0; left -= 500) {
    const events = someEvents(500, random)
    await backend.log.append(events)
    await Promise.all(events.filter(() => random() < 0.3).map((event) => failOnce(backend, event)))
  }
}

async function purge({ deletions }: Backend): Promise<void> {
  const id = newId('del', NOON)
  const request = { id, createdAt: NOON, sourceIds: null, suppress: false, users: 1 }
  await deletions.create(request, { userIds: ['u1'] })
  const slice = { deletionId: id, userIds: ['u1'], sourceIds: null }
  await purgeAll(deletions, slice)
}

test('no data about a purged user is left in any file, and none reappears with later writes', async () => {
  using folder = new TemporaryFolder()
  const random = seededRandom(7)
  const backend = await openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes })
  await using stack = new AsyncDisposableStack()
  stack.use(backend)
  await plantNames(backend, PLANTED)
  await fill(backend, 8000, random)
  expect(filesWith(folder.path, PLANTED)).toContain('hookline.db')
  await purge(backend)
  await backend.deletions.erase(NEVER)
  expect(filesWith(folder.path, PLANTED)).toEqual([])

  // If the writer still had old pages in memory, these writes would restore them.
  const others = (await backend.events.list({}, { limit: 200 })).data
  await backend.log.append(
    others.map(({ event, sourceId }) => acceptedEvent({ ...event, sourceId })),
  )
  await Promise.all(others.map((event) => failOnce(backend, event)))
  await stack.disposeAsync()
  expect(filesWith(folder.path, PLANTED)).toEqual([])
  using db = new DatabaseSync(join(folder.path, 'hookline.db'))
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

test('copies made by migrations, rebuilds and restores are removed, but not copies made by an operator', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes })
  const kept = ['.schema-2.backup', '.corrupted', '.corrupted-wal', '.before-restore']
  // Left by killed commands.
  const unfinished = ['.restored', '.restored.partial', '.rebuilt', '.before-restore.partial']
  for (const end of [...kept, ...unfinished])
    writeFileSync(join(folder.path, `hookline.db${end}`), PLANTED)
  const own = ['hookline.db.before-restore-2026', 'hookline.db.corrupted.copy', 'mine.backup']
  for (const name of own) writeFileSync(join(folder.path, name), PLANTED)
  await backend.deletions.erase(NEVER)
  expect(filesWith(folder.path, PLANTED).toSorted()).toEqual(own)
})

test('erasing rejects with a reason while a long read is in progress', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes })
  await backend.log.append([acceptedEvent()])
  {
    using reader = new DatabaseSync(join(folder.path, 'hookline.db'), { readOnly: true })
    reader.exec('BEGIN; SELECT COUNT(*) FROM events')
    await backend.log.append([acceptedEvent()])
    await expect(backend.deletions.erase(NEVER)).rejects.toThrow(/in use by a long read/)
  }
  await backend.deletions.erase(NEVER)
  expect(readFileSync(join(folder.path, 'hookline.db-wal'))).toHaveLength(0)
})

test('erasing stops when the service stops, and reports that it has not finished', async () => {
  using folder = new TemporaryFolder()
  await using backend = await openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes })
  expect(await backend.deletions.erase(AbortSignal.abort())).toBe(false)
  expect(await backend.deletions.erase(NEVER)).toBe(true)
})
