import { describe, expect, test } from 'vitest'
import { NOON } from '../../harness/accepted-event.ts'
import type { OpenBackendHarness } from './backend-harness.ts'

export function keyUsesConformance(open: OpenBackendHarness): void {
  describe('uses of write keys', () => {
    test('are said at once, and kept across a restart', async () => {
      await using harness = await open()
      const kept = harness.backend.keyUses.mark('wk_a', NOON)
      expect(harness.backend.keyUses.lastUsedAt('wk_a')).toBe(NOON)
      await kept
      await harness.backend.keyUses.mark('wk_a', NOON + 1)
      await harness.reopen()
      expect(harness.backend.keyUses.lastUsedAt('wk_a')).toBe(NOON + 1)
      expect(harness.backend.keyUses.lastUsedAt('wk_b')).toBeUndefined()
    })
  })
}
