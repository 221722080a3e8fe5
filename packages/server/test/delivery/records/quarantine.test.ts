import type { AcceptedEvent } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { openDatabaseOfRunningService } from '@hookline/testing/service/running-database'
import { withParsedFields } from '../../../src/backend/accepted-event.ts'
import type { Backend } from '../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

/** Changes the database, as disk corruption or a bug would. */
function corrupt(folder: TemporaryFolder, sql: string, ...values: readonly string[]): void {
  using db = openDatabaseOfRunningService(folder.path)
  if (db.prepare(sql).run(...values).changes !== 1) throw new Error('Nothing was corrupted.')
}

const quarantinedIn = async (engine: TestEngine): Promise<number> =>
  (await engine.backend.upkeep.backlog()).quarantined

const linesOf = (engine: TestEngine) =>
  engine.logged.filter(({ msg }) => msg === 'quarantine.added')

describe('an unreadable parked delivery', () => {
  test.for([
    ['its event is missing', 'DELETE FROM events WHERE id = ?', 'event'],
    ['its event is not JSON', "UPDATE events SET body = '{' WHERE id = ?", 'event'],
    ['its event is not an object', "UPDATE events SET body = '7' WHERE id = ?", 'event'],
    [
      'its state is not JSON',
      "UPDATE deliveries SET webhooks = '[' WHERE event_id = ?",
      'stored state',
    ],
  ] as const)('is quarantined and does not block others: %s', async ([, sql, what]) => {
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver()
    const destination = { enabled: false }
    let badId = ''
    {
      await using engine = await TestEngine.open({ retryDelaysMs: [50] }, folder)
      receiver.respond = () => 500
      await engine.destination('dst_a', receiver.url)
      const events = await engine.receive(3)
      badId = events[1]!.id
      await expect.poll(() => engine.deliveries({})).toHaveLength(3)
      await engine.destination('dst_a', receiver.url, { ...destination, version: 2 })
    }
    receiver.respond = () => 200
    await using engine = await TestEngine.open({}, folder)
    // Corrupted after the start, because the next start would quarantine the delivery.
    corrupt(folder, sql, badId)
    if (sql.startsWith('DELETE')) engine.expectedMissing = 1
    await engine.destination('dst_a', receiver.url, { version: 3 })
    // A delivery with unreadable parts waits like one without parts.
    engine.engine.wake()
    await expect
      .poll(async () => (await engine.deliveries({})).map(({ state }) => state).toSorted())
      .toEqual(['delivered', 'delivered', 'quarantined'])
    const [bad] = await engine.deliveries({ eventId: badId })
    expect(bad?.quarantine?.reason).toContain(what)
    expect(linesOf(engine)).toHaveLength(1)
    expect(await quarantinedIn(engine)).toBe(1)
    await engine.receive(1)
    await expect.poll(() => engine.deliveries({})).toHaveLength(4)
    expect(linesOf(engine)).toHaveLength(1)
  })
})

describe('a delivery stopped by a bug outside of an attempt', () => {
  /** The backend, with a bug that affects the first turn in a slot. */
  function withBug(backend: Backend): Backend {
    const { deletions } = backend
    let calls = 0
    const isPurged: Backend['deletions']['isPurged'] = (event) => {
      // The first call comes from the pipeline.
      if (++calls === 2) throw new TypeError('simulated bug')
      return deletions.isPurged(event)
    }
    return { ...backend, deletions: Object.assign(Object.create(deletions), { isPurged }) }
  }

  test('is quarantined immediately, with the reason, and can be retried on request', async () => {
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver()
    {
      await using engine = await TestEngine.open({ through: withBug }, folder)
      await engine.destination('dst_a', receiver.url)
      await engine.receive(1)
      await expect.poll(() => engine.deliveries({})).toMatchObject([{ state: 'quarantined' }])
      expect(linesOf(engine)).toMatchObject([{ err: { type: 'TypeError' } }])
    }
    // The entry is acked, so it is not redelivered after a restart.
    await using engine = await TestEngine.open({}, folder)
    await engine.receive(1)
    await receiver.waitFor(1)
    await engine.settled()
    expect(receiver.requests).toHaveLength(1)
    const quarantined = (await engine.deliveries({})).find(({ state }) => state === 'quarantined')
    expect(await engine.backend.replays.retry(quarantined!.id, Date.now())).toBe(true)
    engine.engine.wake()
    await receiver.waitFor(2)
    await expect.poll(() => quarantinedIn(engine)).toBe(0)
  })
})

test('an unreadable event in the log is quarantined, and later events are delivered', async () => {
  using folder = new TemporaryFolder()
  await using receiver = await openReceiver()
  {
    const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 20 }
    await using backend = await openEmbeddedBackend(options)
    await backend.log.append([acceptedEvent(), acceptedEvent(), acceptedEvent()])
  }
  corrupt(folder, "UPDATE events SET body = 'x' WHERE seq = 2 AND '' = ?", '')
  await using engine = await TestEngine.open({}, folder)
  await engine.destination('dst_a', receiver.url)
  await engine.receive(1)
  await expect.poll(() => quarantinedIn(engine)).toBe(1)
  expect(linesOf(engine)).toHaveLength(1)
  await receiver.waitFor(1)
})

test('an event that makes the pipeline throw is quarantined, and its neighbours are delivered', async () => {
  await using receiver = await openReceiver()
  await using engine = await TestEngine.open()
  await engine.destination('dst_a', receiver.url)
  const [first, bad, last] = [acceptedEvent(), acceptedEvent(), acceptedEvent()]
  const broken = { ...withParsedFields(bad), origin: {} } as unknown as AcceptedEvent
  await engine.backend.log.append([first, broken, last])
  await receiver.waitFor(2)
  await expect.poll(() => quarantinedIn(engine)).toBe(1)
  expect(linesOf(engine)).toMatchObject([{ id: bad.id, err: { type: 'TypeError' } }])
  await expect.poll(() => engine.deliveries({})).toHaveLength(2)
  await engine.receive(1)
  await receiver.waitFor(3)
  expect(engine.logged).toHaveLength(1)
})
