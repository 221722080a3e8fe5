import { describe, expect, test } from 'vitest'
import type { OpenBackendHarness } from './backend-harness.ts'

export function ownKeysConformance(open: OpenBackendHarness): void {
  describe('keys of the service', () => {
    test('are created once, and are the same after a restart', async () => {
      await using harness = await open()
      const key = await harness.backend.ownKeys.keyOf('receipts', () => 'first')
      expect(key).toBe('first')
      await harness.reopen()
      const never = (): string => expect.unreachable('there is a key already')
      expect(await harness.backend.ownKeys.keyOf('receipts', never)).toBe('first')
    })
  })
}
