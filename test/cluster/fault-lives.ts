import { describe, expect, test } from 'vitest'
import { clusterIsMissing } from '@hookline/testing/cluster/cluster-servers'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { halfIfShort } from '@hookline/testing/run/how-many'
import type { ClusterSize } from './cluster.ts'
import { type Effect, faultReport } from './fault-report.ts'
import { FaultRun } from './fault-run.ts'
import { chooseFaults } from './faults/all-faults.ts'
import { SEED } from '@hookline/testing/run/seed'

/** With one server of NATS and with three, together. */
const FAULTS = Number(process.env['HOOKLINE_TEST_FAULTS'] ?? halfIfShort(240))
/** The next ones happen to a new cluster. */
const MOST_FAULTS_OF_A_CLUSTER = 60
/** Of a fault, on average. At most what was in lanes and not recorded comes again. */
const MOST_DUPLICATES = 50
/** Of a fault, on average, with what comes before and after it. */
const MOST_MS = 120_000
/** What is away comes back soon, so that there are many faults in a short time. */
const TIMES =
  process.env['HOOKLINE_TEST_LONG_FAULTS'] === '1'
    ? { mostAwayMs: 20_000, beyondLeasesMs: 90_000 }
    : { mostAwayMs: 1_000, beyondLeasesMs: 25_000 }

/** Tests of half of the faults, each of a cluster with so many servers of NATS. */
export function testFaults(natsServers: ClusterSize['natsServers']): void {
  const effects: Effect[] = []
  describe.skipIf(clusterIsMissing() !== undefined)(`NATS servers: ${natsServers}`, () => {
    test.each(clusters(Math.ceil(FAULTS / 2)))(
      'under $count faults (seed $seed), no call that got a 200 is lost, and deletions end',
      async ({ count, seed }) => {
        const random = seededRandom(seed)
        await using run = await FaultRun.open({ random, natsServers, ...TIMES })
        const only = process.env['HOOKLINE_TEST_ONLY_FAULTS']
        try {
          for (const fault of chooseFaults({ count, natsServers, random, only }))
            await run.survive(fault)
          await run.end()
        } finally {
          effects.push(...run.effects)
          console.log(`seed ${seed}: ${run.summary}`)
          console.log(`NATS servers: ${natsServers}, all so far\n${faultReport(effects)}`)
        }
        expect(run.traffic.accepted.size).toBeGreaterThan(count * 10)
        expect(run.duplicates / count).toBeLessThan(MOST_DUPLICATES)
      },
      MOST_FAULTS_OF_A_CLUSTER * MOST_MS,
    )
  })
}

/** So many faults, divided among clusters, each with a seed of its own. */
function clusters(count: number): { readonly count: number; readonly seed: number }[] {
  const all = Math.ceil(count / MOST_FAULTS_OF_A_CLUSTER)
  return Array.from({ length: all }, (_, index) => ({
    count: Math.min(MOST_FAULTS_OF_A_CLUSTER, count - index * MOST_FAULTS_OF_A_CLUSTER),
    seed: SEED + index,
  }))
}
