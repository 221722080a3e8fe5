import { expect, test } from 'vitest'
import { type Backend, BackendUnavailableError } from '../../../src/backend/backend.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TestEngine } from '@hookline/testing/engine/test-engine'

const HOUR = 60 * 60 * 1000

/** Which of the engine's calls fail. */
type Outage = 'none' | 'claims' | 'everything'

/** The backend, whose queue is unavailable to the engine during the outage. */
function failing(outage: () => Outage) {
  return (backend: Backend): Backend => {
    const { deliveries } = backend
    const unavailable = (): Promise<never> =>
      Promise.reject(new BackendUnavailableError('simulated outage'))
    return {
      ...backend,
      deliveries: {
        record: (records) => deliveries.record(records),
        claim: (lane, request) =>
          outage() === 'none' ? deliveries.claim(lane, request) : unavailable(),
        claimUnsplit: (limit) => deliveries.claimUnsplit(limit),
        release: (ids, lane) => deliveries.release(ids, lane),
        waiting: () => (outage() === 'everything' ? unavailable() : deliveries.waiting()),
        find: (id) => deliveries.find(id),
        list: (filter, page) => deliveries.list(filter, page),
      },
    }
  }
}

test.for(['claims', 'everything'] as const)(
  'a manual retry during a database outage is attempted afterwards (unavailable: %s)',
  async (kind) => {
    let outage: Outage = 'none'
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: 500 })
    await using engine = await TestEngine.open({
      retryDelaysMs: [HOUR],
      retryWindowMs: 4 * HOUR,
      clock,
      through: failing(() => outage),
    })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(3)
    const attemptCounts = async (): Promise<number[]> =>
      (await engine.deliveries({})).map((each) => each.attemptCount)
    await expect.poll(attemptCounts).toEqual([1, 1, 1])
    const [delivery] = await engine.deliveries({})
    receiver.respond = () => 200
    outage = kind
    await engine.lanes.command({
      command: 'retryNow',
      webhooks: [{ destinationId: 'dst_a', url: delivery!.webhooks[0]!.url }],
    })
    const line = kind === 'claims' ? 'backlog.read_failed' : 'worker.waiting'
    await expect.poll(() => engine.logged.map(({ msg }) => msg)).toContain(line)
    // The other lanes continue, so the feed itself fails only if all reads do.
    if (kind === 'claims')
      expect(engine.logged.map(({ msg }) => msg)).not.toContain('worker.waiting')
    outage = 'none'
    await expect
      .poll(() => {
        clock.advance(1_000)
        return receiver.requests.length
      })
      .toBe(6)
  },
)
