import { Analytics, FlushTimeoutError, type ReportedError, ValidationError } from '@hookline/client'
import { deliveryFailure } from './delivery-failure.ts'
import { hooklineFetch } from './hookline-fetch.ts'
import { type CallGiven, makeCall } from './make-call.ts'
import { DEADLINE_MS, unreachable } from '../api/unreachable.ts'

/** Enough for a service that is being restarted; someone waits for the command. */
const RETRIES = 2

/** Sends calls through the client library. @throws {Failure} unless all were accepted */
export async function sendCalls(
  base: URL,
  writeKey: string,
  calls: readonly CallGiven[],
): Promise<void> {
  const errors: ReportedError[] = []
  try {
    const analytics = new Analytics(writeKey, {
      endpoint: base.href,
      maxRetries: RETRIES,
      fetch: hooklineFetch,
      onError: (error) => errors.push(error),
    })
    for (const call of calls) makeCall(analytics, call)
    await analytics.close({ timeoutMs: DEADLINE_MS })
  } catch (error) {
    if (error instanceof ValidationError) throw deliveryFailure(error, base)
    if (error instanceof FlushTimeoutError) throw unreachable(base, error)
    throw error
  }
  const [first] = errors
  if (first !== undefined) throw deliveryFailure(first, base)
}
