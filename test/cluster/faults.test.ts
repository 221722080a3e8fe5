import { expect, test } from 'vitest'
import { clusterIsMissing } from '../../packages/server/test/harness/cluster/cluster-servers.ts'
import { seededRandom } from '../../packages/server/test/harness/seeded-random.ts'
import { howMany } from '../harness/how-many.ts'
import { FaultRun } from './fault-run.ts'
import { chooseFaults } from './faults/all-faults.ts'

const FULL = 100
const FAULTS = howMany('HOOKLINE_TEST_FAULTS', FULL)
const SEED = Number(process.env['HOOKLINE_TEST_SEED'] ?? Date.now() % 1_000_000)
const SERVERS = process.env['HOOKLINE_TEST_NATS_SERVERS'] === '1' ? 1 : 3
/** Of a fault, on average. At most what was in lanes and not recorded comes again. */
const MOST_DUPLICATES = 50
/** Of a fault, on average, with what comes before and after it. */
const MOST_MS = 120_000
/** What is away comes back soon, so that there are many faults; with more faults than CI has, later. */
const TIMES =
  FAULTS <= FULL
    ? { mostAwayMs: 1_000, beyondLeasesMs: 25_000 }
    : { mostAwayMs: 20_000, beyondLeasesMs: 90_000 }

test.skipIf(clusterIsMissing() !== undefined)(
  'under faults of nodes, PostgreSQL, NATS and the network, no call that got a 200 is lost, and deletions end',
  async () => {
    const random = seededRandom(SEED)
    console.log(`seed ${SEED}: ${FAULTS} faults, ${SERVERS} NATS servers`)
    await using run = await FaultRun.open({ random, natsServers: SERVERS, ...TIMES })
    const only = process.env['HOOKLINE_TEST_ONLY_FAULTS']
    for (const fault of chooseFaults({ count: FAULTS, natsServers: SERVERS, random, only }))
      await run.survive(fault)
    await run.end()
    console.log(`seed ${SEED}: ${run.summary}\n${run.report}`)
    expect(run.traffic.accepted.size).toBeGreaterThan(FAULTS * 10)
    expect(run.duplicates / FAULTS).toBeLessThan(MOST_DUPLICATES)
  },
  FAULTS * MOST_MS,
)
