import type { Destination } from '@hookline/protocol'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import type { Catalog } from '../../src/backend/catalog.ts'
import { Accounting } from '../../src/upkeep/upkeep.ts'
import { systemClock } from '../../src/util/time/clock.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { TestEngine } from '@hookline/testing/engine/test-engine'

/** Runs a statement on the database of a running engine, as a bug or another program would. */
function change(folder: TemporaryFolder, sql: string): void {
  using db = new DatabaseSync(join(folder.path, 'hookline.db'), { timeout: 5_000 })
  db.exec(sql)
}

/** The value of `hookline_accounting_imbalance`, and the reported losses. */
async function imbalanceOf(engine: TestEngine): Promise<{ metric: number; lost: object[] }> {
  const lines: string[] = []
  const logger = createLogger('error', { write: (line) => void lines.push(line) })
  const { metrics, backend } = engine
  const { upkeep } = backend
  await new Accounting({
    upkeep,
    engine: engine.engine,
    metrics,
    logger,
    clock: systemClock,
  }).check()
  const text = await metrics.scrape()
  const metric = Number(/^hookline_accounting_imbalance (\S+)$/m.exec(text)?.[1])
  const lost = lines.map((line) => {
    const { msg, pipeline, lanes, events, decisions, deliveries } = JSON.parse(line)
    return { msg, pipeline, lanes, events, decisions, deliveries }
  })
  return { metric, lost }
}

const NOTHING_LOST = {
  msg: 'accounting.imbalance',
  pipeline: 0,
  lanes: 0,
  events: 0,
  decisions: 0,
  deliveries: 0,
}

describe('the accounting balances', () => {
  test('while deliveries wait, complete, and are removed by retention', async () => {
    await using receiver = await openReceiver({ respond: [500, 200] })
    await using engine = await TestEngine.open({ retryDelaysMs: [50] })
    await engine.destination('dst_a', receiver.url)
    await engine.destination('dst_off', receiver.url, { enabled: false })
    await engine.receive(20)
    expect(await imbalanceOf(engine)).toEqual({ metric: 0, lost: [] })
    const states = async (): Promise<Set<string>> =>
      new Set((await engine.deliveries({})).map(({ state }) => state))
    await expect.poll(states).toEqual(new Set(['delivered']))
    await engine.settled()
    expect(await imbalanceOf(engine)).toEqual({ metric: 0, lost: [] })
    const { removed } = await engine.backend.upkeep.removeOldest({})
    expect(removed).toBeGreaterThan(0)
    expect(await imbalanceOf(engine)).toEqual({ metric: 0, lost: [] })
  })
})

test('a failed ack that is repeated with later ones is not a loss', async () => {
  using folder = new TemporaryFolder()
  await using receiver = await openReceiver()
  await using engine = await TestEngine.open({}, folder)
  await engine.destination('dst_a', receiver.url)
  change(
    folder,
    "CREATE TRIGGER stuck BEFORE UPDATE OF acked ON log_position BEGIN SELECT RAISE(ABORT, 'by the test'); END",
  )
  await engine.receive(5)
  await expect.poll(() => engine.logged.map(({ msg }) => msg)).toContain('ack.failed')
  change(folder, 'DROP TRIGGER stuck')
  await engine.receive(5)
  // Only acked events can be removed.
  let removed = 0
  const remove = async (): Promise<number> =>
    (removed += (await engine.backend.upkeep.removeOldest({})).removed)
  await expect.poll(remove).toBe(10)
  expect(await imbalanceOf(engine)).toEqual({ metric: 0, lost: [] })
})

describe('the metric and the log report a planted loss', () => {
  test('of an event in the log', async () => {
    using folder = new TemporaryFolder()
    {
      await using engine = await TestEngine.open({}, folder)
      await engine.receive(3)
      await engine.settled()
    }
    change(folder, 'UPDATE log_position SET acked = 0; DELETE FROM events WHERE seq = 2')
    await using engine = await TestEngine.open({}, folder)
    await engine.settled()
    const lost = [{ ...NOTHING_LOST, events: 1 }]
    expect(await imbalanceOf(engine)).toEqual({ metric: 1, lost })
    engine.expectedMissing = 1
  })

  test('of an event that the log never hands to the pipeline', async () => {
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open({}, folder)
    await engine.destination('dst_a', receiver.url)
    // Inserted without the log, which assigns seqs from 1 on.
    change(
      folder,
      `INSERT INTO events (seq, id, source_id, message_id, type, received_at, warnings, body, rest, checksum)
       VALUES (-1, 'evt_lost', 'src_a', 'm', 'track', 0, '{}', '{}', '{}', 0); UPDATE log_position SET acked = -2`,
    )
    await engine.receive(1)
    await receiver.waitFor(1)
    await expect.poll(() => engine.missing()).toBe(1)
    expect(await imbalanceOf(engine)).toEqual({ metric: 1, lost: [{ ...NOTHING_LOST, events: 1 }] })
    engine.expectedMissing = 1
  })

  test('of a destination that the pipeline skips', async () => {
    await using receiver = await openReceiver()
    const engine = await TestEngine.open({ through: skippingLastDestination })
    await engine.destination('dst_a', receiver.url)
    await engine.destination('dst_b', receiver.url)
    await engine.receive(2)
    await receiver.waitFor(2)
    await engine.settled()
    const lost = [{ ...NOTHING_LOST, pipeline: 2 }]
    expect(await imbalanceOf(engine)).toEqual({ metric: 2, lost })
    await expect(engine[Symbol.asyncDispose]()).rejects.toThrow('"pipeline":2')
  })

  test.for(['pending', 'delivered'] as const)('of a %s delivery in the table', async (state) => {
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver({ respond: state === 'pending' ? 500 : 200 })
    await using engine = await TestEngine.open({ retryDelaysMs: [50_000] }, folder)
    await engine.destination('dst_a', receiver.url)
    await engine.receive(3)
    await expect
      .poll(
        async () => (await engine.deliveries({})).filter((each) => each.attemptCount === 1).length,
      )
      .toBe(3)
    expect(await imbalanceOf(engine)).toEqual({ metric: 0, lost: [] })
    change(folder, 'DELETE FROM deliveries WHERE id = (SELECT MIN(id) FROM deliveries)')
    const lost = [{ ...NOTHING_LOST, deliveries: 1 }]
    expect(await imbalanceOf(engine)).toEqual({ metric: 1, lost })
    engine.expectedMissing = 1
  })

  test('of a reason not to deliver', async () => {
    using folder = new TemporaryFolder()
    await using engine = await TestEngine.open({}, folder)
    await engine.destination('dst_off', 'http://127.0.0.1:9/', { enabled: false })
    const [event] = await engine.receive(1)
    await expect
      .poll(async () => (await engine.backend.events.find(event!.id))?.declined)
      .toHaveLength(1)
    change(folder, 'DELETE FROM declined')
    const lost = [{ ...NOTHING_LOST, decisions: 1 }]
    expect(await imbalanceOf(engine)).toEqual({ metric: 1, lost })
    engine.expectedMissing = 1
  })

  test('of a delivery that is never written although its record resolves', async () => {
    using folder = new TemporaryFolder()
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open({}, folder)
    change(
      folder,
      'CREATE TRIGGER forgets BEFORE INSERT ON deliveries BEGIN SELECT RAISE(IGNORE); END',
    )
    await engine.destination('dst_a', receiver.url)
    await engine.receive(1)
    await expect.poll(() => engine.missing()).toBe(1)
    engine.expectedMissing = 1
  })
})

/** The backend with a catalog whose lists of destinations skip the last one when iterated. */
function skippingLastDestination(backend: Backend): Backend {
  const { catalog } = backend
  const shorter = (all: readonly Destination[]): readonly Destination[] =>
    Object.assign([...all], {
      [Symbol.iterator]: () => all.slice(0, -1)[Symbol.iterator](),
    })
  const current = (): Catalog['current'] => ({
    ...catalog.current,
    destinationsBySource: new Map(
      [...catalog.current.destinationsBySource].map(([id, all]) => [id, shorter(all)]),
    ),
  })
  const port = new Proxy(catalog, {
    get: (target, name) => {
      if (name === 'current') return current()
      const value = Reflect.get(target, name) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...backend, catalog: port }
}
