import type { Logger } from 'pino'
import type { Quarantine, QuarantineItem } from '../../backend/quarantine.ts'
import type { Clock } from '../../util/clock.ts'
import { patiently } from './patiently.ts'

/** Something to set aside, with the error where one was thrown: the log has it, the quarantine has words. */
export type Faulty = QuarantineItem & { readonly cause?: unknown }

/**
 * Sets things aside and says so, one line each. Waits while the backend is away.
 * @returns whether it is done; false when `signal` aborted first
 */
export async function setAside(
  faulty: readonly Faulty[],
  context: {
    readonly quarantine: Quarantine
    readonly clock: Clock
    readonly logger: Logger
    readonly signal: AbortSignal
  },
): Promise<boolean> {
  if (faulty.length === 0) return true
  const items = faulty.map(({ cause: _, ...item }) => item)
  const done = await patiently(() => context.quarantine.add(items), context)
  if (done === undefined) return false
  for (const { id, reason, cause } of faulty) {
    context.logger.error({ id, reason, ...(cause !== undefined && { err: cause }) }, 'quarantined')
  }
  return true
}
