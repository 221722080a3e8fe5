import { describe, expect, test } from 'vitest'
import type { StoredToken } from '../../../src/backend/tokens.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { OpenBackendHarness } from './backend-harness.ts'

const token: StoredToken = {
  id: 'tok_a',
  name: 'ci',
  role: 'editor',
  hash: 'ab12',
  createdAt: NOON,
  expiresAt: NOON + 1,
  lastUsedAt: null,
}

export function tokensConformance(open: OpenBackendHarness): void {
  describe('tokens', () => {
    test('are stored unchanged, oldest first, across a restart', async () => {
      await using harness = await open()
      await harness.backend.tokens.add(token)
      await harness.backend.tokens.add({ ...token, id: 'tok_b', expiresAt: null })
      await harness.reopen()
      const { current } = harness.backend.tokens
      expect([...current.values()]).toEqual([token, { ...token, id: 'tok_b', expiresAt: null }])
    })

    test('keep the last use with which they were added', async () => {
      await using harness = await open()
      const used = { ...token, lastUsedAt: NOON }
      await harness.backend.tokens.add(used)
      expect([...harness.backend.tokens.current.values()]).toEqual([used])
      await harness.reopen()
      expect([...harness.backend.tokens.current.values()]).toEqual([used])
    })

    test('from the same millisecond are kept in the order of their creation', async () => {
      await using harness = await open()
      for (const id of ['tok_b', 'tok_a']) await harness.backend.tokens.add({ ...token, id })
      expect([...harness.backend.tokens.current.keys()]).toEqual(['tok_b', 'tok_a'])
    })

    test('store their last use', async () => {
      await using harness = await open()
      await harness.backend.tokens.add(token)
      await harness.backend.tokens.markUsed('tok_a', NOON + 5)
      await harness.backend.tokens.markUsed('tok_none', NOON + 5)
      expect(harness.backend.tokens.current.get('tok_a')?.lastUsedAt).toBe(NOON + 5)
      await harness.reopen()
      expect([...harness.backend.tokens.current.values()]).toEqual([
        { ...token, lastUsedAt: NOON + 5 },
      ])
    })

    test('can be removed, without altering earlier snapshots', async () => {
      await using harness = await open()
      await harness.backend.tokens.add(token)
      const before = harness.backend.tokens.current
      await harness.backend.tokens.remove('tok_a')
      await harness.backend.tokens.remove('tok_a')
      expect(harness.backend.tokens.current.size).toBe(0)
      expect(before.size).toBe(1)
      await harness.reopen()
      expect(harness.backend.tokens.current.size).toBe(0)
    })
  })
}
