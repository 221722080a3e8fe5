import { describe, expect, test } from 'vitest'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { halfIfShort } from '@hookline/testing/run/case-count'
import type { ClusterSize } from './cluster.ts'
import { type Effect, faultReport } from './fault-report.ts'
import { FaultRun } from './fault-run.ts'
import { chooseFaults } from './faults/all-faults.ts'
import { LoopDisk } from './loop-disk.ts'
import { SEED } from '@hookline/testing/run/seed'

/** The number of faults: half of them with one NATS server, half with three. */
const FAULTS = Number(process.env['HOOKLINE_TEST_FAULTS'] ?? halfIfShort(240))
/** The maximum number of faults in one cluster. The next ones are injected into a new cluster. */
const MAX_FAULTS_PER_CLUSTER = 60
/**
 * The maximum number of repeated deliveries per fault, on average. Only lanes with unrecorded
 * results repeat deliveries.
 */
const MAX_DUPLICATES = 50
/** The maximum time per fault, on average, including recovery. */
const MAX_MS = 120_000
/** Servers restart quickly, so that many faults fit into a short run. */
const TIMES =
  process.env['HOOKLINE_TEST_LONG_FAULTS'] === '1'
    ? { maxAwayMs: 20_000, beyondLeasesMs: 90_000 }
    : { maxAwayMs: 1_000, beyondLeasesMs: 25_000 }

/** Tests with half of the faults, on clusters with this number of NATS servers. */
export function testFaults(natsServers: ClusterSize['natsServers']): void {
  const effects: Effect[] = []
  describe.skipIf(clusterSkipReason() !== undefined)(`NATS servers: ${natsServers}`, () => {
    test.each(clusters(Math.ceil(FAULTS / 2)))(
      'under $count faults (seed $seed), no call that got a 200 is lost, and every deletion finishes',
      async ({ count, seed }) => {
        const random = seededRandom(seed)
        const canCutPower = LoopDisk.isPossible()
        await using run = await FaultRun.open({ random, natsServers, canCutPower, ...TIMES })
        const only = process.env['HOOKLINE_TEST_ONLY_FAULTS']
        try {
          for (const fault of chooseFaults({ count, natsServers, canCutPower, random, only }))
            await run.survive(fault)
          await run.end()
        } finally {
          effects.push(...run.effects)
          console.log(`seed ${seed}: ${run.summary}`)
          console.log(`NATS servers: ${natsServers}, all so far\n${faultReport(effects)}`)
        }
        expect(run.traffic.accepted.size).toBeGreaterThan(count * 10)
        expect(run.duplicates / count).toBeLessThan(MAX_DUPLICATES)
      },
      MAX_FAULTS_PER_CLUSTER * MAX_MS,
    )
  })
}

/** Divides the faults among clusters, each with its own seed. */
function clusters(count: number): { readonly count: number; readonly seed: number }[] {
  const all = Math.ceil(count / MAX_FAULTS_PER_CLUSTER)
  return Array.from({ length: all }, (_, index) => ({
    count: Math.min(MAX_FAULTS_PER_CLUSTER, count - index * MAX_FAULTS_PER_CLUSTER),
    seed: SEED + index,
  }))
}
