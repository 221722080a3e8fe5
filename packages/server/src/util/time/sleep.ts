import type { Clock } from './clock.ts'

export async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = (): void => resolve()
  const cancel = clock.after(ms, end)
  signal.addEventListener('abort', end, { once: true })
  await promise
  cancel()
  signal.removeEventListener('abort', end)
}

/**
 * The delay after this many failures in a row: doubles from `firstMs` up to 10 s, ±25% so that callers do not retry
 * together.
 */
export function exponentialBackoffMs(failures: number, firstMs = 100): number {
  return Math.min(10_000, firstMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 2)
}
