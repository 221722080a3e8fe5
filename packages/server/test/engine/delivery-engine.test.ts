import { describe, expect, test } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import type { Events } from '../../src/backend/events.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { TestEngine } from '@hookline/testing/engine/test-engine'

/** Longer than the longest delay before a worker is restarted. */
const RESTART_MS = 12_500

/** A backend whose `archive` throws while `fails` returns true, as a bug would. */
const withFaultyArchive =
  (fails: () => boolean) =>
  (backend: Backend): Backend => {
    const { events } = backend
    const faulty: Events = {
      archive: async (entries) => {
        if (fails()) throw new TypeError('simulated bug')
        return events.archive(entries)
      },
      findAll: (ids) => events.findAll(ids),
      decidedDestinations: (ids) => events.decidedDestinations(ids),
      find: (id) => events.find(id),
      list: (filter, page) => events.list(filter, page),
    }
    return { ...backend, events: faulty }
  }

const workerFailures = ({ logged }: TestEngine): readonly unknown[] =>
  logged.filter(({ msg }) => msg === 'worker.failed').map(({ worker }) => worker)

/** The ids of the received deliveries, in order of arrival. */
const idsAt = ({ requests }: Receiver): readonly unknown[] =>
  requests.map(({ headers }) => headers['webhook-id'])

describe('a pipeline that fails', () => {
  test('is restarted and delivers everything once: deliveries in the lanes are not delivered again', async () => {
    const clock = new ManualClock()
    const answers: (() => void)[] = []
    const respond = (): Promise<number> =>
      new Promise((resolve) => answers.push(() => resolve(200)))
    await using receiver = await openReceiver({ respond })
    let isFaulty = false
    await using engine = await TestEngine.open({
      clock,
      through: withFaultyArchive(() => isFaulty),
    })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(20)
    await receiver.waitFor(20)
    isFaulty = true
    await engine.receive(20)
    await expect.poll(() => workerFailures(engine)).toEqual(['pipeline'])
    expect([...(await engine.engine.status()).failing]).toEqual([['pipeline', 'TypeError']])
    isFaulty = false
    clock.advance(RESTART_MS)
    await receiver.waitFor(40)
    for (const answer of answers) answer()
    await expect.poll(() => engine.deliveries({})).toHaveLength(40)
    expect(new Set(idsAt(receiver)).size).toBe(40)
    expect(receiver.requests).toHaveLength(40)
    clock.advance(10_000)
    expect((await engine.engine.status()).failing.size).toBe(0)
    expect((await engine.metrics.workerFailures.get()).values).toMatchObject([
      { labels: { worker: 'pipeline' }, value: 1 },
    ])
  })

  test('five times within a minute is not restarted, and the last log line reports it', async () => {
    const clock = new ManualClock()
    await using engine = await TestEngine.open({ clock, through: withFaultyArchive(() => true) })
    await engine.receive(1)
    for (let failures = 1; failures < 5; failures++) {
      await expect.poll(() => workerFailures(engine)).toHaveLength(failures)
      clock.advance(RESTART_MS)
    }
    await expect
      .poll(() => engine.failedPermanently)
      .toMatchObject([{ worker: 'pipeline', failures: 5 }])
    expect(engine.logged.at(-1)).toMatchObject({
      msg: 'worker.failed_permanently',
      worker: 'pipeline',
    })
  })
})

test('a failure in one worker does not affect the others', async () => {
  const clock = new ManualClock()
  await using receiver = await openReceiver()
  await using engine = await TestEngine.open({
    clock,
    through: (backend) => {
      const { replays } = backend
      return {
        ...backend,
        replays: {
          ...replays,
          list: () => Promise.reject(new TypeError('simulated bug')),
        },
      }
    },
  })
  await expect.poll(() => workerFailures(engine)).toEqual(['replays'])
  await engine.destination('dst_a', receiver.url)
  await engine.receive(3)
  await receiver.waitFor(3)
})
