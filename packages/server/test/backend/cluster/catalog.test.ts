import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { CatalogConflictError } from '../../../src/backend/catalog.ts'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { catalogConformance, keyUsesConformance } from '../conformance/catalog.ts'
import { type ClusterHarness, openClusterHarness } from './open-cluster-harness.ts'

const NEVER_MS = 3_600_000

const source = newSource()
const destination = newDestination({ settings: { sharedSecret: 's3cret-of-a-receiver' } })

describe.skipIf(clusterSkipReason() !== undefined)('on a cluster', () => {
  catalogConformance(openClusterHarness)
  keyUsesConformance(openClusterHarness)

  describe('the catalog of several nodes', () => {
    test('applies a change on every node and notifies its listeners without waiting for the next poll', async () => {
      await using harness = await openClusterHarness()
      await using other = await nodeOn(harness, NEVER_MS)
      let changes = 0
      other.catalog.onChange(() => changes++)
      await harness.backend.catalog.putAll({ sources: [source], destinations: [destination] })
      await expect.poll(() => other.catalog.current.destinations.get('dst_a')).toEqual(destination)
      expect(changes).toBe(1)
      await harness.backend.catalog.removeSource('src_a')
      await expect.poll(() => other.catalog.current.sources.size).toBe(0)
      expect([other.catalog.current.destinations.size, changes]).toEqual([0, 2])
    })

    test('picks up a change on the next poll if its notification was lost', async () => {
      await using harness = await openClusterHarness()
      await harness.backend.catalog.putSource(source)
      await harness.sql(`UPDATE catalog SET document = replace(document, 'Web', 'Store'),
        version = 2, number = 2; UPDATE changes SET number = 2 WHERE kind = 'catalog'`)
      const { catalog } = harness.backend
      await expect.poll(() => catalog.current.sources.get('src_a')?.name).toBe('Store')
    })

    test('accepts one of two concurrent changes, and the other can be retried', async () => {
      await using harness = await openClusterHarness()
      await using other = await nodeOn(harness, NEVER_MS)
      const nodes = [harness.backend, other]
      await harness.backend.catalog.putSource(source)
      await expect.poll(() => other.catalog.current.sources.size).toBe(1)
      for (let round = 0; round < 10; round++) {
        const version = 2 * round + 2
        const results = await Promise.allSettled(
          nodes.map(({ catalog }, node) =>
            catalog.putSource({ ...source, name: `by ${node}`, version }),
          ),
        )
        const lost = results.findIndex(({ status }) => status === 'rejected')
        expect(results[lost]).toMatchObject({ reason: expect.any(CatalogConflictError) as unknown })
        const { catalog } = nodes[lost]!
        const kept = catalog.current.sources.get('src_a')!
        expect(kept).toMatchObject({ name: `by ${1 - lost}`, version })
        await catalog.putSource({ ...kept, version: version + 1 })
        await expect
          .poll(() => nodes.map((each) => each.catalog.current.sources.get('src_a')?.version))
          .toEqual([version + 1, version + 1])
      }
    })

    test('removes destinations of a source that another node has just added', async () => {
      await using harness = await openClusterHarness()
      await using other = await nodeOn(harness, NEVER_MS)
      await harness.backend.catalog.putSource(source)
      await other.catalog.putDestination(destination)
      await harness.backend.catalog.removeSource('src_a')
      expect(harness.backend.catalog.current.destinations.size).toBe(0)
      await expect.poll(() => other.catalog.current.destinations.size).toBe(0)
    })

    test('reuses unchanged objects', async () => {
      await using harness = await openClusterHarness()
      await using other = await nodeOn(harness, NEVER_MS)
      await harness.backend.catalog.putDestination(destination)
      await expect.poll(() => other.catalog.current.destinations.size).toBe(1)
      const before = other.catalog.current.destinations.get('dst_a')
      await harness.backend.catalog.putSource(source)
      await expect.poll(() => other.catalog.current.sources.size).toBe(1)
      expect(other.catalog.current.destinations.get('dst_a')).toBe(before)
    })

    test('is reloaded after the database was restored to an earlier state', async () => {
      await using harness = await openClusterHarness()
      const { catalog } = harness.backend
      await catalog.putSource(source)
      await catalog.putSource({ ...source, name: 'Lost', version: 2 })
      await harness.sql(`UPDATE catalog SET document = replace(document, 'Lost', 'Web'),
        version = 1, number = 1; UPDATE changes SET number = 1 WHERE kind = 'catalog'`)
      await expect.poll(() => catalog.current.sources.get('src_a')?.name).toBe('Web')
    })

    test('shows the changes made on its node although another record is unreadable', async () => {
      await using harness = await openClusterHarness()
      const { catalog } = harness.backend
      await catalog.putDestination(destination)
      await harness.sql(`INSERT INTO catalog SELECT kind, 'dst_b', 1, 9, source_id,
        replace(document, 'dst_a', 'dst_b') FROM catalog`)
      await catalog.putSource(source)
      expect(catalog.current.sources.get('src_a')).toEqual(source)
    })

    test('stores no secret of a destination in plain text', async () => {
      await using harness = await openClusterHarness()
      await harness.backend.catalog.putDestination(destination)
      const rows = await harness.sql('SELECT catalog::text AS row FROM catalog')
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toMatch(/s3cret|example\.com/)
    })
  })

  test('every node gets the times at which other nodes used a write key', async () => {
    await using harness = await openClusterHarness()
    await using other = await nodeOn(harness, NEVER_MS)
    await harness.backend.keyUses.mark('wk_a', NOON + 5)
    await expect.poll(() => other.keyUses.lastUsedAt('wk_a')).toBe(NOON + 5)
    await other.keyUses.mark('wk_a', NOON)
    expect(other.keyUses.lastUsedAt('wk_a')).toBe(NOON)
    await other.keyUses.mark('wk_b', NOON)
    await expect.poll(() => harness.backend.keyUses.lastUsedAt('wk_b')).toBe(NOON)
    expect(harness.backend.keyUses.lastUsedAt('wk_a')).toBe(NOON + 5)
  })
})

/** Opens another node of the same cluster. */
function nodeOn({ options }: ClusterHarness, pollMs: number): Promise<Backend> {
  return openClusterBackend({ ...options, pollMs })
}
