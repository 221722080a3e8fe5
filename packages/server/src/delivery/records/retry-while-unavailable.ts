import type { Logger } from 'pino'
import { BackendUnavailable } from '../../backend/backend.ts'
import { exponentialBackoffMs, pause } from '../../util/pause.ts'
import type { Clock } from '../../util/clock.ts'

/**
 * Runs `work`, and again after growing pauses while it rejects with `BackendUnavailable`. A delivery that a receiver
 * has taken cannot be undone when its record fails, so its record waits until the backend is back.
 * @returns the result of `work`, or `undefined` when `signal` aborted first
 * @throws every other error that `work` rejects with
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  {
    clock,
    logger,
    signal,
  }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<{ readonly value: T } | undefined> {
  for (let failures = 1; ; failures++) {
    try {
      return { value: await work() }
    } catch (error) {
      if (!(error instanceof BackendUnavailable)) throw error
      logger.warn({ err: error, failures }, 'backend.unavailable')
      if (signal.aborted) return undefined
      await pause(clock, exponentialBackoffMs(failures), signal)
    }
  }
}
