import { JetStreamApiError } from '@nats-io/jetstream'
import { TimeoutError } from '@nats-io/transport-node'
import type { Clock } from '../../../util/time/clock.ts'

/** Longer than servers that have just started need to elect the one that makes streams, on a busy machine. */
const READY_MS = 30_000
const PAUSE_MS = 500
/** Until then, they do not answer, answer that they are unavailable, or know too few of each other. */
const UNAVAILABLE = 503
const TOO_FEW_SERVERS = 10_005

/** Does what needs JetStream, again and again while its servers are not ready yet. Rejects with the last error. */
export async function whenReady(work: () => Promise<void>, clock: Clock): Promise<void> {
  const deadline = clock.now() + READY_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isOfStart(error) || clock.now() >= deadline) throw error
      await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))
    }
  }
}

function isOfStart(error: unknown): boolean {
  if (error instanceof TimeoutError) return true
  if (!(error instanceof JetStreamApiError)) return false
  return error.status === UNAVAILABLE || error.code === TOO_FEW_SERVERS
}
