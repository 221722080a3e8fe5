import { describe, expect, test } from 'vitest'
import type { OpenBackendHarness } from './backend-harness.ts'

export function ownKeysConformance(open: OpenBackendHarness): void {
  describe('keys of the service', () => {
    test('are created once, and are the same after a restart', async () => {
      await using harness = await open()
      const made = await harness.backend.ownKeys.keyOf('receipts', () => 'first')
      expect(made).toBe('first')
      await harness.reopen()
      const never = (): string => expect.unreachable('there is a key already')
      expect(await harness.backend.ownKeys.keyOf('receipts', never)).toBe('first')
    })
  })
}
