import {
  Analytics,
  type AnalyticsCalls,
  type EventMap,
  FlushTimeoutError,
  type ReportedError,
  ValidationError,
} from '@hookline/client'
import type { EventType } from '@hookline/protocol'
import { DEADLINE_MS, unreachable } from '../api/connection-failure.ts'
import { sendingFailure } from './sending-failure.ts'

/** Enough for a restart of the service; the user waits for the command. */
const RETRIES = 2

/** A call whose fields the compiler does not know. The client library checks them. */
export interface UncheckedCall {
  readonly type: EventType
}

/** Sends calls through the client library. @throws {Failure} unless the service accepts all of them */
export async function sendCalls(
  base: URL,
  writeKey: string,
  calls: readonly UncheckedCall[],
): Promise<void> {
  const errors: ReportedError[] = []
  try {
    const analytics = new Analytics(writeKey, {
      endpoint: base.href,
      maxRetries: RETRIES,
      onError: (error) => errors.push(error),
    })
    for (const call of calls) queueCall(analytics, call)
    await analytics.close({ timeoutMs: DEADLINE_MS })
  } catch (error) {
    if (error instanceof ValidationError) throw sendingFailure(error, base)
    if (error instanceof FlushTimeoutError) throw unreachable(base, error)
    throw error
  }
  const [first] = errors
  if (first !== undefined) throw sendingFailure(first, base)
}

/** Queues a call in the client library. @throws {ValidationError} if the service would refuse it */
export function queueCall(
  analytics: AnalyticsCalls<EventMap>,
  { type, ...fields }: UncheckedCall,
): void {
  analytics[type](fields as never)
}
