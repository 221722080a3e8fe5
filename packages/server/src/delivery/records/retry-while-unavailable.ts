import type { Logger } from '../../telemetry/logger.ts'
import { BackendUnavailable } from '../../backend/backend.ts'
import { exponentialBackoffMs, pause } from '../../util/time/pause.ts'
import type { Clock } from '../../util/time/clock.ts'
import { LogThrottle } from '../../util/limits/log-throttle.ts'

/** An outage fails thousands of records: the log has a line every ten seconds, with their number. */
const LOG_EVERY_MS = 10_000
const throttles = new WeakMap<Logger, LogThrottle>()

/**
 * Runs `work`, and again after growing pauses while it rejects with `BackendUnavailable`. A delivery that a receiver
 * has taken cannot be undone when its record fails, so its record waits until the backend is back.
 * @returns the result of `work`, or `undefined` when `signal` aborted first
 * @throws every other error that `work` rejects with, and the last one when it has tried for `mostMs`
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  {
    clock,
    logger,
    signal,
    mostMs = Infinity,
  }: {
    readonly clock: Clock
    readonly logger: Logger
    readonly signal: AbortSignal
    readonly mostMs?: number | undefined
  },
): Promise<{ readonly value: T } | undefined> {
  const startedAt = clock.now()
  for (let failures = 1; ; failures++) {
    try {
      return { value: await work() }
    } catch (error) {
      if (!(error instanceof BackendUnavailable)) throw error
      report(error, { clock, logger })
      if (signal.aborted) return undefined
      if (clock.now() - startedAt >= mostMs) throw error
      await pause(clock, exponentialBackoffMs(failures), signal)
    }
  }
}

function report(
  error: BackendUnavailable,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): void {
  let throttle = throttles.get(logger)
  if (throttle === undefined)
    throttles.set(logger, (throttle = new LogThrottle(clock, LOG_EVERY_MS)))
  const failures = throttle.count(error.message)
  if (failures > 0) logger.warn({ err: error, failures }, 'backend.unavailable')
}
