import type { Attempt, Delivery, DeliveryContent, DeliveryState } from '@hookline/protocol'
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../util/time/clock.ts'
import type { Logger } from './logger.ts'
import { continuedFrom, traceContextIn, type TraceHeaders } from './trace-context.ts'

/**
 * Creates spans for calls, deliveries and attempts, and continues the traces of calls. Disposing sends the last spans.
 */
export interface Tracing extends AsyncDisposable {
  /** Call it after authentication. */
  beginCall(request: TracedRequest): CallSpan
  /** @param waitedMs the time since the delivery was read from the log; 0 if it was read from the database */
  beginDelivery(
    delivery: Pick<Delivery, 'id' | 'destinationId'>,
    content: Pick<DeliveryContent, 'id' | 'type' | 'traceContext'>,
    waitedMs: number,
  ): DeliverySpan | undefined
}

/** A request with calls. */
export interface TracedRequest {
  readonly path: string
  readonly route: string
  readonly scheme: string
  readonly headers: IncomingHttpHeaders
  /** When it arrived, in milliseconds since the epoch. */
  readonly startedAt: number
}

export interface CallSpan {
  /** Stored with the events of the request. */
  readonly traceContext: string | undefined
  end(status: number): void
}

/** The span of a delivery while it is in memory: from when it is read from the log or the database until it is recorded. */
export interface DeliverySpan {
  beginAttempt(attempt: TracedAttempt): AttemptSpan
  end(state: DeliveryState): void
}

export interface TracedAttempt extends Pick<Attempt, 'number'> {
  readonly method: string
  /** As configured: filled-in placeholders contain user data. */
  readonly url: string
}

export interface AttemptSpan {
  /** Absent if the request does not continue the trace. */
  readonly headers: TraceHeaders | undefined
  /** `result` is absent if the attempt was aborted. */
  end(result?: Pick<Attempt, 'class' | 'outcome' | 'status'>): void
}

export interface TracingOptions {
  /** Whether requests to webhooks continue the traces of their calls. */
  readonly continuesTraces: boolean
  readonly version: string
  readonly clock: Clock
  readonly logger: Logger
}

const NO_SPAN = { traceContext: undefined, end: ignore }

/** Continues the traces of calls without creating spans. */
export const CONTINUED_TRACES: Tracing = {
  beginCall: ({ headers }) => {
    const traceContext = traceContextIn(headers)
    return traceContext === undefined ? NO_SPAN : unrecordedCall(traceContext)
  },
  beginDelivery: (_delivery, { traceContext }) =>
    traceContext === undefined ? undefined : unrecordedDelivery(traceContext),
  [Symbol.asyncDispose]: async () => undefined,
}

export function unrecordedCall(traceContext: string): CallSpan {
  return { traceContext, end: ignore }
}

function ignore(): void {
  // No span is recorded.
}

/** A delivery without a recorded span, whose attempts continue the trace. */
export function unrecordedDelivery(traceContext: string): DeliverySpan {
  return {
    beginAttempt: () => ({ headers: continuedFrom(traceContext), end: ignore }),
    end: ignore,
  }
}
