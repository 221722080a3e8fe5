import type { Clock } from './clock.ts'

/** Resolves after `ms`, or as soon as `signal` aborts. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
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
 * How long to wait after so many failures in a row, in milliseconds: `firstMs` after the first, then twice as long each
 * time, up to 10 s. It varies by 25 %, so that many callers do not try again at the same moment.
 */
export function exponentialBackoffMs(failures: number, firstMs = 100): number {
  return Math.min(10_000, firstMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 2)
}
