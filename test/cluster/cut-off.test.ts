import { expect, test } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { Arrivals } from './arrivals.ts'
import { Cluster } from './cluster.ts'
import { Traffic } from './traffic.ts'

const CALLS = 60
/**
 * The time limit for the takeover. The cut-off node still reports progress to NATS, so the other node
 * gets its entries only after the cut-off node has released them.
 */
const TAKEN_OVER_MS = 25_000

test.skipIf(clusterSkipReason() !== undefined)(
  'entries that a node has taken from the log, but cannot archive while it is cut off from PostgreSQL, are delivered by another node',
  async () => {
    const random = seededRandom(1)
    // Accepts every first attempt: a delivery with a failed attempt has begun, and would stay with its node.
    await using arrivals = await Arrivals.open(() => 1)
    await using cluster = await Cluster.open({ nodes: 2, natsServers: 1 })
    const sources = await cluster.createSources((number) => arrivals.urlOf(String(number)))
    const traffic = new Traffic(sources, random)
    const [cutOff, other] = cluster.nodes
    await traffic.probe(other!, AbortSignal.timeout(TAKEN_OVER_MS))
    cutOff!.links.postgres.cut('both')
    for (let call = 0; call < CALLS; call++)
      await traffic.probe(other!, AbortSignal.timeout(TAKEN_OVER_MS))
    const missing = (): number => arrivals.missing(traffic.accepted.keys()).length
    expect(missing()).toBeGreaterThan(0)
    await expect.poll(missing, { timeout: TAKEN_OVER_MS, interval: 100 }).toBe(0)
    cutOff!.links.postgres.repair()
  },
)
