import { describe, expect, test } from 'vitest'
import type { OpenBackendHarness } from './backend-harness.ts'

export function leasesConformance(open: OpenBackendHarness): void {
  describe('leases', () => {
    test('are given to whoever asks first, and are not lost while they are held', async () => {
      await using harness = await open()
      const stop = new AbortController()
      await using lease = await harness.backend.leases.acquire('retention', stop.signal)
      expect(lease?.lost.aborted).toBe(false)
    })

    test('can be had again when they were given up, and after a restart', async () => {
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

    test('are not waited for when the signal has aborted', async () => {
      await using harness = await open()
      expect(await harness.backend.leases.acquire('retention', AbortSignal.abort())).toBeUndefined()
    })
  })
}
