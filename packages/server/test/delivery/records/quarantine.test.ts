import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { acceptedEvent } from '../../harness/accepted-event.ts'
import { TestEngine } from '../../harness/test-engine.ts'
import { openReceiver } from '../../harness/receiver.ts'
import { TemporaryFolder } from '../../harness/temporary-folder.ts'

/** Changes the closed database as a bad disk or a bug would. */
function damage(folder: TemporaryFolder, sql: string, ...values: readonly string[]): void {
  using db = new DatabaseSync(join(folder.path, 'hookline.db'))
  if (db.prepare(sql).run(...values).changes !== 1) throw new Error('Nothing was damaged.')
}

const quarantinedIn = async (engine: TestEngine): Promise<number> =>
  (await engine.backend.upkeep.backlog()).quarantined

const linesOf = (engine: TestEngine) =>
  engine.logged.filter(({ msg }) => msg === 'quarantine.added')

describe('a parked delivery that cannot be read', () => {
  test.for([
    ['its event is gone', 'DELETE FROM events WHERE id = ?', 'event'],
    ['its event is no JSON', "UPDATE events SET body = '{' WHERE id = ?", 'event'],
    ['its event is no object', "UPDATE events SET body = '7' WHERE id = ?", 'event'],
    [
      'its progress is no JSON',
      "UPDATE deliveries SET webhooks = '[' WHERE event_id = ?",
      'progress',
    ],
  ] as const)('is quarantined and does not stop others: %s', async ([, sql, what]) => {
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
    damage(folder, sql, badId)
    receiver.respond = () => 200
    await using engine = await TestEngine.open({}, folder)
    if (sql.startsWith('DELETE')) engine.expectedMissing = 1
    await engine.destination('dst_a', receiver.url, { version: 3 })
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

describe('a task whose attempt fails because of a bug', () => {
  // Hookline stores no such secret. It makes the sender throw.
  const broken = (url: string) => ({
    sharedSecret: 7 as unknown as string,
    webhooks: [{ url, headers: {} }],
    successPolicy: 'any' as const,
  })

  test('is quarantined at once, with the reason, and its log entry is acked', async () => {
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver()
    {
      await using engine = await TestEngine.open({}, folder)
      await engine.destination('dst_bad', receiver.url, { settings: broken(receiver.url) })
      await engine.destination('dst_good', receiver.url)
      await engine.receive(2)
      await expect
        .poll(async () => (await engine.deliveries({})).map(({ state }) => state).toSorted())
        .toEqual(['delivered', 'delivered', 'quarantined', 'quarantined'])
      expect(linesOf(engine)).toHaveLength(2)
      expect(linesOf(engine)[0]).toMatchObject({ err: { type: expect.any(String) } })
    }
    // The entry is acked, so it does not come again after a restart.
    await using engine = await TestEngine.open({}, folder)
    await engine.receive(1)
    await expect.poll(() => engine.deliveries({})).toHaveLength(6)
    expect(receiver.requests).toHaveLength(3)
  })

  test('is tried again on request', async () => {
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open()
    await engine.destination('dst_a', receiver.url, { settings: broken(receiver.url) })
    await engine.receive(1)
    await expect.poll(() => quarantinedIn(engine)).toBe(1)
    const [delivery] = await engine.deliveries({})
    await engine.destination('dst_a', receiver.url, { version: 2 })
    expect(await engine.backend.replays.retry(delivery!.id, Date.now())).toBe(true)
    engine.lanes.wake()
    await expect.poll(() => engine.deliveries({})).toMatchObject([{ state: 'delivered' }])
    expect(await quarantinedIn(engine)).toBe(0)
  })
})

test('an event in the log that cannot be read is quarantined, and the events after it are delivered', async () => {
  using folder = new TemporaryFolder()
  await using receiver = await openReceiver()
  {
    const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 20 }
    await using backend = await openEmbeddedBackend(options)
    await backend.log.append([acceptedEvent(), acceptedEvent(), acceptedEvent()])
  }
  damage(folder, "UPDATE events SET body = 'x' WHERE seq = 2 AND '' = ?", '')
  await using engine = await TestEngine.open({}, folder)
  await engine.destination('dst_a', receiver.url)
  await engine.receive(1)
  await expect.poll(() => quarantinedIn(engine)).toBe(1)
  expect(linesOf(engine)).toHaveLength(1)
  await receiver.waitFor(1)
})
