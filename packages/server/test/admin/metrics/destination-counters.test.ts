import { expect, test } from 'vitest'
import { setCounters, setInfo } from '../../../src/admin/destination-metrics.ts'
import { snapshotOf } from '../../../src/backend/catalog.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import { newDestination, newSource } from '@hookline/testing/records/catalog-records'

const url = 'https://example.com/'

/** The series with a `destination` label after a scrape with these destinations, without their common prefix. */
async function seriesOf(
  metrics: Metrics,
  destinations: readonly ReturnType<typeof newDestination>[],
): Promise<string[]> {
  const catalog = snapshotOf([newSource({ name: 'Shop' })], destinations, [])
  setInfo(metrics, catalog, setCounters(metrics, catalog))
  const text = await metrics.registry.metrics()
  return [...text.matchAll(/^hookline_destination_(\w+\{.*)$/gm)].map(([, series]) => series!)
}

test('attempts and completed deliveries are counted by destination from 0, and only one series contains its name', async () => {
  const metrics = new Metrics()
  const { destinationCounts } = metrics
  expect((await seriesOf(metrics, [newDestination()])).slice(1)).toEqual([
    'attempts_total{destination="dst_a",webhook="example.com",outcome="delivered"} 0',
    'attempts_total{destination="dst_a",webhook="example.com",outcome="retry"} 0',
    'attempts_total{destination="dst_a",webhook="example.com",outcome="rejected"} 0',
    'attempts_total{destination="dst_a",webhook="example.com",outcome="declined"} 0',
    'deliveries_ended_total{destination="dst_a",state="delivered"} 0',
    'deliveries_ended_total{destination="dst_a",state="declined"} 0',
    'deliveries_ended_total{destination="dst_a",state="rejected"} 0',
    'deliveries_ended_total{destination="dst_a",state="expired"} 0',
  ])
  for (let count = 0; count < 3; count++) destinationCounts.attempt('dst_a', url, 'retry')
  destinationCounts.attempt('dst_a', url, 'delivered')
  destinationCounts.ended('dst_a', 'delivered')
  const series = await seriesOf(metrics, [newDestination()])
  expect(series.filter((each) => !each.endsWith(' 0'))).toEqual([
    'info{destination="dst_a",name="CRM",source="Shop"} 1',
    'attempts_total{destination="dst_a",webhook="example.com",outcome="delivered"} 1',
    'attempts_total{destination="dst_a",webhook="example.com",outcome="retry"} 3',
    'deliveries_ended_total{destination="dst_a",state="delivered"} 1',
  ])
})

test('a renamed destination keeps its series, and a removed one loses them', async () => {
  const metrics = new Metrics()
  const { destinationCounts } = metrics
  destinationCounts.attempt('dst_a', url, 'delivered')
  destinationCounts.attempt('dst_a', 'https://old.example.com/', 'retry')
  destinationCounts.attempt('dst_b', url, 'delivered')
  const [renamed, other] = [newDestination({ name: 'New name' }), newDestination({ id: 'dst_b' })]
  const series = await seriesOf(metrics, [renamed, other])
  expect(series.filter((each) => !each.endsWith(' 0'))).toEqual([
    'info{destination="dst_a",name="New name",source="Shop"} 1',
    'info{destination="dst_b",name="CRM",source="Shop"} 1',
    'attempts_total{destination="dst_a",webhook="example.com",outcome="delivered"} 1',
    'attempts_total{destination="dst_b",webhook="example.com",outcome="delivered"} 1',
  ])
  expect(series.join()).not.toContain('old.example.com')
  expect((await seriesOf(metrics, [renamed])).join()).not.toContain('dst_b')
})

test('destinations beyond the limit are counted together, and no counter ever decreases', async () => {
  const metrics = new Metrics(2)
  const all = ['dst_a', 'dst_b', 'dst_c', 'dst_d'].map((id) => newDestination({ id }))
  const others = async (destinations: typeof all): Promise<string[]> =>
    (await seriesOf(metrics, destinations)).filter((line) => line.includes('"other"'))
  for (const { id } of all) metrics.destinationCounts.attempt(id, url, 'retry')
  for (const { id } of all) metrics.destinationCounts.ended(id, 'expired')
  const counted = [
    'attempts_total{destination="other",webhook="other",outcome="retry"} 2',
    'deliveries_ended_total{destination="other",state="expired"} 2',
  ]
  expect(await others(all)).toEqual(counted)
  // The oldest of the other destinations takes the free place. Earlier counts are kept in the shared series.
  expect(await others(all.slice(1))).toEqual(counted)
  metrics.destinationCounts.attempt('dst_c', url, 'retry')
  metrics.destinationCounts.attempt('dst_d', url, 'retry')
  expect(await others(all.slice(1))).toEqual([counted[0]!.replace(/2$/, '3'), counted[1]])
  expect(await seriesOf(metrics, all.slice(1))).toContain(
    'attempts_total{destination="dst_c",webhook="example.com",outcome="retry"} 1',
  )
})

test('with a limit of 0, no destination is named', async () => {
  const metrics = new Metrics(0)
  metrics.destinationCounts.attempt('dst_a', url, 'retry')
  expect(await seriesOf(metrics, [newDestination()])).toEqual([
    'attempts_total{destination="other",webhook="other",outcome="retry"} 1',
  ])
})

test('a hostile name cannot break the format', async () => {
  const name = `a"} 1\nhookline_build_info{x="\\<script>${'y'.repeat(10_000)}`
  const [info] = await seriesOf(new Metrics(), [newDestination({ name })])
  expect(info).toBe(
    String.raw`info{destination="dst_a",name="a\"} 1�hookline_build_info{x=\"\\<script>${'y'.repeat(26)}",source="Shop"} 1`,
  )
})
