import { describe, expect, test } from 'vitest'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import type { StoredToken } from '../../../src/backend/tokens.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { tokensConformance } from '../conformance/tokens.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

const token: StoredToken = {
  id: 'tok_a',
  name: 'ci',
  role: 'editor',
  hash: 'ab12',
  createdAt: NOON,
  expiresAt: null,
  lastUsedAt: null,
}

describe.skipIf(clusterSkipReason() !== undefined)('on a cluster', () => {
  tokensConformance(openClusterHarness)

  test('a token added on one node is valid on every node until any node removes it', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend({ ...harness.options, pollMs: 3_600_000 })
    await harness.backend.tokens.add(token)
    await expect.poll(() => other.tokens.current.get('tok_a')).toEqual(token)
    await other.tokens.remove('tok_a')
    await expect.poll(() => harness.backend.tokens.current.size).toBe(0)
  })

  test('if nodes add tokens with the same id, one succeeds, and all nodes have its token', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const nodes = [harness.backend, other]
    const results = await Promise.allSettled(
      nodes.map(({ tokens }, node) => tokens.add({ ...token, name: `by ${node}` })),
    )
    const won = results.findIndex(({ status }) => status === 'fulfilled')
    expect(results[1 - won]!.status).toBe('rejected')
    await expect
      .poll(() => nodes.map(({ tokens }) => tokens.current.get('tok_a')?.name))
      .toEqual([`by ${won}`, `by ${won}`])
  })

  test('every node has the latest time at which any node used a token', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend({ ...harness.options, pollMs: 3_600_000 })
    const lastUses = () =>
      [harness.backend, other].map(({ tokens }) => tokens.current.get('tok_a')?.lastUsedAt)
    await harness.backend.tokens.add(token)
    await expect.poll(lastUses).toEqual([null, null])
    await harness.backend.tokens.markUsed('tok_a', NOON + 5)
    await expect.poll(lastUses).toEqual([NOON + 5, NOON + 5])
    await other.tokens.markUsed('tok_a', NOON)
    await other.tokens.markUsed('tok_a', NOON + 6)
    await expect.poll(lastUses).toEqual([NOON + 6, NOON + 6])
    await other.tokens.markUsed('tok_a', NOON)
    expect(lastUses()).toEqual([NOON + 6, NOON + 6])
    await harness.reopen()
    expect(lastUses()).toEqual([NOON + 6, NOON + 6])
  })
})
