import type { Logger } from 'pino'
import { BackendUnavailable } from '../../backend/backend.ts'
import { exponentialBackoffMs, pause } from '../../util/pause.ts'
import type { Clock } from '../../util/clock.ts'

/**
 * Does `work`, again and again with growing pauses while the backend is away: what has happened at a
 * receiver is not undone because its record failed, so there is nothing to do but wait.
 * @returns what it came to, or `undefined` when `signal` aborted first
 * @throws whatever else `work` throws
 */
export async function patiently<T>(
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
