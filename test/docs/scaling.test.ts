import { describe, expect, it } from 'vitest'
import { median } from '../../bench/benchmarks/benchmark.ts'
import {
  costIn,
  maxRateOn,
  MAX_POSTGRES_CORES,
  needsOf,
  PLANNED_SHARE,
} from '../../bench/report/cluster-needs.ts'
import { readResult } from '../../bench/report/results.ts'

const result = readResult('cluster')!
const cost = costIn(result)

// generated-pages.test.ts checks that docs/explanation/scaling.md has these numbers.
describe('the resources for a rate', () => {
  it('are based on costs that match the measured rate', () => {
    const measured = median(
      result.figures.find(({ name }) => name === 'from call to receiver, 1 node')!.values,
    )
    const cores = Number.parseInt(result.machine, 10)
    const max = maxRateOn(cores, cost)
    // The load and the receiver share the cores, but are not part of the cost.
    expect(measured).toBeLessThan(max)
    expect(measured).toBeGreaterThan(max / 4)
  })

  it('never decrease with the rate, and stay within the planned share of each part', () => {
    const rates = [1, 100, 1_000, 10_000, 30_000, 100_000, 1_000_000, 3_000_000]
    const all = rates.map((rate) => needsOf(rate, cost))
    for (const [index, needs] of all.entries()) {
      const { rate, nodes, clusters, postgresCores, natsCores } = needs
      const share = (micros: number, cores: number): number => (rate * micros) / 1e6 / cores
      expect(share(cost.nodeMicros, nodes)).toBeLessThanOrEqual(PLANNED_SHARE)
      expect(share(cost.archiveMicros, clusters)).toBeLessThanOrEqual(PLANNED_SHARE)
      expect(share(cost.postgresMicros, clusters * postgresCores)).toBeLessThanOrEqual(
        PLANNED_SHARE,
      )
      expect(share(cost.natsMicros, clusters * natsCores)).toBeLessThanOrEqual(PLANNED_SHARE)
      expect(postgresCores).toBeLessThanOrEqual(MAX_POSTGRES_CORES)
      const before = all[index - 1]
      if (before === undefined) continue
      expect(nodes).toBeGreaterThanOrEqual(before.nodes)
      expect(clusters).toBeGreaterThanOrEqual(before.clusters)
    }
  })

  it('are at least one node, one cluster and one core each, however low the rate', () => {
    const little = {
      nodeMicros: 100,
      natsMicros: 10,
      postgresMicros: 100,
      archiveMicros: 50,
      bytes: 2_000,
    }
    expect(needsOf(1_000, little)).toEqual({
      rate: 1_000,
      nodes: 1,
      clusters: 1,
      postgresCores: 1,
      natsCores: 1,
      bytesPerDay: 172_800_000_000,
    })
    expect(needsOf(100_000, little)).toMatchObject({ nodes: 20, clusters: 10, postgresCores: 2 })
  })
})
