import {
  Analytics,
  type AnalyticsCalls,
  type EventMap,
  FlushTimeoutError,
  type ReportedError,
  ValidationError,
} from '@hookline/client'
import type { EventType } from '@hookline/protocol'
import { DEADLINE_MS, unreachableFailure } from '../api/connection-failure.ts'
import { sendingFailure } from './sending-failure.ts'

/** Few, because the user is waiting. */
const RETRIES = 2

/** A call whose fields are checked by the client library, not the compiler. */
export interface UncheckedCall {
  readonly type: EventType
}

/** @throws {Failure} unless the service accepts all calls */
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
    if (error instanceof FlushTimeoutError) throw unreachableFailure(base, error)
    throw error
  }
  const [first] = errors
  if (first !== undefined) throw sendingFailure(first, base)
}

/** @throws {ValidationError} if the service would reject the call */
export function queueCall(
  analytics: AnalyticsCalls<EventMap>,
  { type, ...fields }: UncheckedCall,
): void {
  analytics[type](fields as never)
}
