import type { Log } from '../../../src/backend/log.ts'
import { retryWhileUnavailable } from '../../../src/delivery/records/retry-while-unavailable.ts'
import { createLogger } from '../../../src/telemetry/logger.ts'
import { systemClock } from '../../../src/util/time/clock.ts'

const logger = createLogger('silent')

/** Consumes and acks a log until disposed. Like the pipeline, it retries an ack that NATS does not confirm. */
export function consumeAll(log: Log): { readonly ids: string[] } & AsyncDisposable {
  const stop = new AbortController()
  const { signal } = stop
  const ids: string[] = []
  const consuming = (async () => {
    for await (const entries of log.consume({ signal })) {
      ids.push(...entries.flatMap(({ events }) => events.map(({ id }) => id)))
      await retryWhileUnavailable(() => log.ack(entries), { clock: systemClock, logger, signal })
    }
  })()
  return {
    ids,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await consuming
    },
  }
}
