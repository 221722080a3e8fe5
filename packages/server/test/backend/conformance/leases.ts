import { describe, expect, test } from 'vitest'
import type { OpenBackendHarness } from './backend-harness.ts'

export function leasesConformance(open: OpenBackendHarness): void {
  describe('leases', () => {
    test('are granted to the first caller, and not lost while they are held', async () => {
      await using harness = await open()
      const stop = new AbortController()
      await using lease = await harness.backend.leases.acquire('retention', stop.signal)
      expect(lease?.lost.aborted).toBe(false)
    })

    test('can be acquired again after a release or a restart', async () => {
      await using harness = await open()
      const { signal } = new AbortController()
      for (let times = 0; times < 2; times++) {
        const lease = await harness.backend.leases.acquire('retention', signal)
        await lease?.[Symbol.asyncDispose]()
      }
      await harness.reopen()
      await using again = await harness.backend.leases.acquire('retention', signal)
      expect(again?.lost.aborted).toBe(false)
    })

    test('are not granted if the signal has already aborted', async () => {
      await using harness = await open()
      expect(await harness.backend.leases.acquire('retention', AbortSignal.abort())).toBeUndefined()
    })
  })
}
