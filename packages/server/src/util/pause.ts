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
