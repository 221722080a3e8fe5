import type { Logger } from '../../telemetry/logger.ts'
import type { Quarantine, QuarantineItem } from '../../backend/quarantine.ts'
import type { Clock } from '../../util/time/clock.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'

/** `cause`: the thrown error, if any; it is logged, not stored. */
type QuarantineRequest = Omit<QuarantineItem, 'at'> & { readonly cause?: unknown }

/**
 * Quarantines items and logs each. Waits while the backend is unavailable. Returns false if `signal` aborts first.
 * @throws {BackendUnavailableError} after `maxMs`
 */
export async function quarantineAll(
  faulty: readonly QuarantineRequest[],
  context: {
    readonly quarantine: Quarantine
    readonly clock: Clock
    readonly logger: Logger
    readonly signal: AbortSignal
    readonly maxMs?: number | undefined
  },
): Promise<boolean> {
  if (faulty.length === 0) return true
  const at = context.clock.wall()
  const items = faulty.map(({ cause: _, ...item }) => ({ ...item, at }))
  const done = await retryWhileUnavailable(() => context.quarantine.add(items), context)
  if (done === undefined) return false
  for (const { id, reason, cause } of faulty) {
    const details = { id, reason, ...(cause !== undefined && { err: cause }) }
    context.logger.error(details, 'quarantine.added')
  }
  return true
}
