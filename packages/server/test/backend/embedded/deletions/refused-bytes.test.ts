import { newId } from '@hookline/protocol'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { purgeAll } from '@hookline/testing/engine/purge-all'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { WRITES } from '../../conformance/deletions/refused-after-purge.ts'

const PLANTED = 'PLANTED-VALUE'

/** A backend whose `isPurged` misses every purge. */
function withoutPurges(backend: Backend): Backend {
  const deletions = Object.create(backend.deletions) as Backend['deletions']
  return { ...backend, deletions: Object.assign(deletions, { isPurged: () => false }) }
}

/** Purges and erases u1. */
async function purge({ deletions }: Backend): Promise<void> {
  const id = newId('del', NOON)
  const request = { id, createdAt: NOON, sourceIds: null, suppress: false, users: 1 }
  await deletions.create(request, { userIds: ['u1'] })
  await purgeAll(deletions, { deletionId: id, userIds: ['u1'], sourceIds: null })
  await deletions.erase(new AbortController().signal)
}

test('no data about a purged user reappears from an attempt in flight or a lane, even if isPurged misses the purge', async () => {
  const { promise: opened, resolve: answer } = Promise.withResolvers<void>()
  await using receiver = await openReceiver({
    respond: ({ body }) => opened.then(() => ({ status: 500, body: body.toString() })),
  })
  using folder = new TemporaryFolder()
  {
    await using engine = await TestEngine.open(
      { limits: { maxConcurrencyPerWebhook: 1 }, through: withoutPurges },
      folder,
    )
    await engine.destination('dst_a', receiver.url)
    const properties = { it: PLANTED }
    const mine = Array.from({ length: 3 }, () => acceptedEvent({ properties, at: Date.now() }))
    await engine.backend.log.append(mine)
    await receiver.waitFor(1)
    await expect.poll(() => engine.lanes.current.inMemory).toBe(3)

    await purge(engine.backend)
    expect(filesWith(folder.path, PLANTED)).toEqual([])

    answer()
    await expect.poll(() => engine.lanes.current.inMemory).toBe(0)
    await engine.settled()
    expect(await engine.deliveries({})).toEqual([])
    expect(filesWith(folder.path, PLANTED)).toEqual([])
  }
  expect(filesWith(folder.path, PLANTED)).toEqual([])
})

test.each(WRITES)('not even the id of a purged event reappears with %s', async (_, write) => {
  using folder = new TemporaryFolder()
  const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 20 }
  const [mine, other] = [acceptedEvent(), acceptedEvent({ userId: 'u2' })]
  {
    await using backend = await openEmbeddedBackend(options)
    await backend.log.append([mine, other])
    await purge(backend)
    await write(backend, mine)
    expect(filesWith(folder.path, mine.id)).toEqual([])
    expect(filesWith(folder.path, other.id)).not.toEqual([])
  }
  await using backend = await openEmbeddedBackend(options)
  await write(backend, mine)
  expect(filesWith(folder.path, mine.id)).toEqual([])
})
