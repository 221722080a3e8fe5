import { describe, expect, test } from 'vitest'
import { CatalogConflictError } from '../../../src/backend/catalog.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newAudience, newDestination, newSource } from '@hookline/testing/records/catalog-records'
import type { OpenBackendHarness } from './backend-harness.ts'

const source = newSource({ name: 'Shop', writeKeys: [{ key: 'wk_a', createdAt: NOON }] })

const destination = newDestination({
  settings: {
    sharedSecret: 's3cret',
    webhooks: [{ url: 'https://example.com/', headers: { 'x-key': 'v' } }],
  },
})

const compute = { fn: 'count', event: 'Order Completed', within: { days: 30 } } as const

export function catalogConformance(open: OpenBackendHarness): void {
  describe('the catalog', () => {
    test('stores sources and destinations, and finds them by id, write key and source', async () => {
      await using harness = await open()
      await harness.backend.catalog.putSource(source)
      await harness.backend.catalog.putDestination(destination)
      await harness.reopen()
      const { current } = harness.backend.catalog
      expect(current.sources.get('src_a')).toEqual(source)
      expect(current.sourceByWriteKey.get('wk_a')).toEqual(source)
      expect(current.destinations.get('dst_a')).toEqual(destination)
      expect(current.destinationsBySource.get('src_a')).toEqual([destination])
    })

    test('shows a change when the put resolves, without altering earlier snapshots', async () => {
      await using harness = await open()
      const { catalog } = harness.backend
      await catalog.putSource(source)
      const before = catalog.current
      await catalog.putSource({ ...source, name: 'Store', version: 2 })
      expect(catalog.current.sources.get('src_a')?.name).toBe('Store')
      expect(before.sources.get('src_a')?.name).toBe('Shop')
    })

    test('refuses a change based on an outdated version', async () => {
      await using harness = await open()
      const { catalog } = harness.backend
      await catalog.putDestination(destination)
      await catalog.putDestination({ ...destination, name: 'First', version: 2 })
      const late = catalog.putDestination({ ...destination, name: 'Second', version: 2 })
      await expect(late).rejects.toBeInstanceOf(CatalogConflictError)
      await expect(catalog.putDestination(destination)).rejects.toBeInstanceOf(CatalogConflictError)
      expect(catalog.current.destinations.get('dst_a')?.name).toBe('First')
    })

    test('accepts only one of two concurrent changes based on the same version', async () => {
      await using harness = await open()
      const { catalog } = harness.backend
      await catalog.putSource(source)
      const results = await Promise.allSettled(
        ['One', 'Two'].map((name) => catalog.putSource({ ...source, name, version: 2 })),
      )
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    })

    test('puts many records at once, or none of them', async () => {
      await using harness = await open()
      const { catalog } = harness.backend
      await catalog.putSource(source)
      let changes = 0
      catalog.onChange(() => changes++)
      const late = catalog.putAll({ sources: [source], destinations: [destination] })
      await expect(late).rejects.toBeInstanceOf(CatalogConflictError)
      expect([catalog.current.destinations.size, changes]).toEqual([0, 0])
      const renamed = { ...source, name: 'Store', version: 2 }
      await catalog.putAll({ sources: [renamed], destinations: [destination] })
      expect(changes).toBe(1)
      await harness.reopen()
      const { current } = harness.backend.catalog
      expect([...current.sources.values()]).toEqual([renamed])
      expect([...current.destinations.values()]).toEqual([destination])
    })

    test('removes a source with its destinations, and accepts the removal of unknown ids', async () => {
      await using harness = await open()
      const { catalog } = harness.backend
      await catalog.putSource(source)
      await catalog.putDestination(destination)
      await catalog.removeSource('src_a')
      await catalog.removeSource('src_a')
      await catalog.removeDestination('dst_a')
      await harness.reopen()
      const { current } = harness.backend.catalog
      expect([current.sources.size, current.destinations.size]).toEqual([0, 0])
      expect(current.sourceByWriteKey.size).toBe(0)
    })

    test('stores audiences and computed traits, oldest first, and finds them by id', async () => {
      await using harness = await open()
      const { catalog } = harness.backend
      const audience = newAudience({ id: 'aud_b' })
      const { kind: _kind, condition: _condition, ...record } = newAudience({ id: 'trt_c' })
      const trait = { ...record, kind: 'trait', key: 'orders', compute } as const
      await catalog.putComputation(trait)
      await catalog.putComputation(audience)
      const older = newAudience({ id: 'aud_a', key: 'older' })
      await catalog.putAll({ sources: [], destinations: [], computations: [older] })
      const kept = [older, audience, trait]
      expect([...catalog.current.computations.values()]).toEqual(kept)
      await harness.reopen()
      const { computations } = harness.backend.catalog.current
      expect([...computations.values()]).toEqual(kept)
      expect(computations.get('trt_c')).toEqual(trait)
    })

    test('refuses a change to an audience based on an outdated version', async () => {
      await using harness = await open()
      const { catalog } = harness.backend
      const audience = newAudience()
      await catalog.putComputation(audience)
      const before = catalog.current
      await catalog.putComputation({ ...audience, name: 'First', version: 2 })
      const late = catalog.putComputation({ ...audience, name: 'Second', version: 2 })
      await expect(late).rejects.toBeInstanceOf(CatalogConflictError)
      await expect(catalog.putComputation(audience)).rejects.toBeInstanceOf(CatalogConflictError)
      expect(catalog.current.computations.get('aud_a')?.name).toBe('First')
      expect(before.computations.get('aud_a')?.name).toBe('Big spenders')
    })

    test('removes an audience, accepts the removal of unknown ids, and notifies listeners', async () => {
      await using harness = await open()
      const { catalog } = harness.backend
      await catalog.putAll({ sources: [source], destinations: [destination] })
      let changes = 0
      catalog.onChange(() => changes++)
      await catalog.putComputation(newAudience())
      await catalog.putComputation(newAudience({ id: 'aud_b' }))
      await catalog.removeComputation('aud_a')
      expect(changes).toBe(3)
      await catalog.removeComputation('aud_a')
      await harness.reopen()
      const { current } = harness.backend.catalog
      expect([...current.computations.keys()]).toEqual(['aud_b'])
      expect([current.sources.size, current.destinations.size]).toEqual([1, 1])
    })

    test('keeps audiences when sources and destinations are removed', async () => {
      await using harness = await open()
      const { catalog } = harness.backend
      await catalog.putAll({ sources: [source], destinations: [destination] })
      await catalog.putComputation(newAudience())
      await catalog.removeSource('src_a')
      await catalog.removeDestination('dst_a')
      await catalog.putSource(newSource({ id: 'src_b' }))
      await harness.reopen()
      expect([...harness.backend.catalog.current.computations.values()]).toEqual([newAudience()])
    })

    test('calls its listeners after each change until they stop listening', async () => {
      await using harness = await open()
      const { catalog } = harness.backend
      let changes = 0
      const stop = catalog.onChange(() => changes++)
      await catalog.putSource(source)
      await catalog.putDestination(destination)
      await catalog.removeDestination('dst_a')
      expect(changes).toBe(3)
      stop()
      await catalog.removeSource('src_a')
      expect(changes).toBe(3)
    })
  })
}

export function keyUsesConformance(open: OpenBackendHarness): void {
  describe('uses of write keys', () => {
    test('are visible immediately, and after a restart', async () => {
      await using harness = await open()
      const kept = harness.backend.keyUses.mark('wk_a', NOON)
      expect(harness.backend.keyUses.lastUsedAt('wk_a')).toBe(NOON)
      await kept
      await harness.backend.keyUses.mark('wk_a', NOON + 1)
      await harness.reopen()
      expect(harness.backend.keyUses.lastUsedAt('wk_a')).toBe(NOON + 1)
      expect(harness.backend.keyUses.lastUsedAt('wk_b')).toBeUndefined()
    })

    test('keep the latest time, unless the clock has since been set back by more than an hour', async () => {
      await using harness = await open()
      const { keyUses } = harness.backend
      for (const [key, ahead] of [['wk_a', 1_000] as const, ['wk_b', 2 * 3_600_000] as const]) {
        await keyUses.mark(key, NOON + ahead)
        await keyUses.mark(key, NOON)
      }
      await harness.reopen()
      const kept = ['wk_a', 'wk_b'].map((key) => harness.backend.keyUses.lastUsedAt(key))
      expect(kept).toEqual([NOON + 1_000, NOON])
    })
  })
}
