import type { Logger } from '../../telemetry/logger.ts'
import { BackendUnavailableError } from '../../backend/backend.ts'
import { exponentialBackoffMs, sleep } from '../../util/time/sleep.ts'
import type { Clock } from '../../util/time/clock.ts'
import { LogThrottle } from '../../util/limits/log-throttle.ts'

/** In an outage, thousands of records fail: their number is logged every ten seconds. */
const LOG_EVERY_MS = 10_000
const throttles = new WeakMap<Logger, LogThrottle>()

/**
 * Retries `work` with increasing delays while it rejects with `BackendUnavailableError`, because a delivery cannot be
 * undone if recording it fails. Resolves to `undefined` if `signal` aborts first.
 * @throws any other error, and `BackendUnavailableError` after `maxMs`; the work may still be running
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  {
    clock,
    logger,
    signal,
    maxMs = Infinity,
  }: {
    readonly clock: Clock
    readonly logger: Logger
    readonly signal: AbortSignal
    readonly maxMs?: number | undefined
  },
): Promise<{ readonly value: T } | undefined> {
  const startedAt = clock.now()
  for (let failures = 1; ; failures++) {
    try {
      return { value: await inTime(work(), startedAt + maxMs, clock) }
    } catch (error) {
      if (!(error instanceof BackendUnavailableError)) throw error
      report(error, { clock, logger })
      if (signal.aborted) return undefined
      if (clock.now() - startedAt >= maxMs) throw error
      await sleep(clock, exponentialBackoffMs(failures), signal)
    }
  }
}

async function inTime<T>(work: Promise<T>, until: number, clock: Clock): Promise<T> {
  if (until === Infinity) return work
  const late = Promise.withResolvers<never>()
  const error = new BackendUnavailableError('The backend is not responding.')
  const cancel = clock.after(until - clock.now(), () => late.reject(error))
  try {
    return await Promise.race([work, late.promise])
  } finally {
    cancel()
  }
}

function report(
  error: BackendUnavailableError,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): void {
  let throttle = throttles.get(logger)
  if (throttle === undefined)
    throttles.set(logger, (throttle = new LogThrottle(clock, LOG_EVERY_MS)))
  throttle.count(error.message, (failures) =>
    logger.warn({ err: error, failures }, 'backend.unavailable'),
  )
}
