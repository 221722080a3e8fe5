import { expect, test } from 'vitest'
import { clusterIsMissing } from '../../packages/server/test/harness/cluster/cluster-servers.ts'
import { seededRandom } from '../../packages/server/test/harness/seeded-random.ts'
import { CountingReceiver } from '../crash/counting-receiver.ts'
import { Load } from '../crash/load.ts'
import { howMany } from '../harness/how-many.ts'
import { FAULTS } from './faults.ts'
import { Cluster } from './nodes.ts'

const RUNS = howMany('HOOKLINE_TEST_FAULTS', 60)
const SEED = Number(process.env['HOOKLINE_TEST_SEED'] ?? Date.now() % 1_000_000)
const NODES = 3
/** Longer than leases and claims last. */
const DRAINED_MS = 120_000

test.skipIf(clusterIsMissing() !== undefined)(
  'under faults of nodes, PostgreSQL and NATS, no call that got a 200 is lost',
  async () => {
    const random = seededRandom(SEED)
    await using receiver = await CountingReceiver.open({ random, failing: 0.02 })
    await using cluster = await Cluster.open(NODES)
    const writeKey = await cluster.createSource([receiver.urlOf('hook')])
    const stop = new AbortController()
    const load = new Load(random, { pauseMs: 20 })
    const sending = cluster.nodes.map((node) => load.run(node.url, writeKey, stop.signal))
    const flows: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const fault = FAULTS[Math.floor(random() * FAULTS.length)]!
      await fault.happen(cluster, random)
      flows.push(await untilMoreArrives(receiver))
    }
    stop.abort()
    await Promise.all(sending)
    await expect
      .poll(() => receiver.missing('hook', load.accepted), { timeout: DRAINED_MS, interval: 200 })
      .toBe(0)
    console.log(
      `seed ${SEED}: ${RUNS} faults, ${load.accepted.size} of ${load.sent} calls got a 200, lost 0, ` +
        `${receiver.duplicates} duplicates, deliveries flow after ${median(flows)} ms, at most ${Math.max(...flows)} ms`,
    )
    expect(load.accepted.size).toBeGreaterThan(RUNS * 10)
  },
)

/** How long it takes until deliveries arrive again, in milliseconds. */
async function untilMoreArrives(receiver: CountingReceiver): Promise<number> {
  const before = receiver.requestsTo('hook')
  const started = performance.now()
  await expect
    .poll(() => receiver.requestsTo('hook'), { timeout: DRAINED_MS, interval: 10 })
    .toBeGreaterThan(before)
  return Math.round(performance.now() - started)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
