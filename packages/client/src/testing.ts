import { CALL_LIMITS, type EventType, type JsonObject } from '@hookline/protocol'
import { AnalyticsCalls, type Message } from './calls/analytics-calls.ts'
import type { EventMap } from './calls/call.ts'
import { systemClock } from './clock.ts'
import { ClientClosedError } from './errors.ts'
import type { FlushResult } from './sending/flushes.ts'

/** A call as the service would receive it. */
export interface RecordedCall {
  readonly type: EventType
  readonly messageId: string
  readonly timestamp: string
  readonly context: JsonObject
  readonly userId?: string
  readonly anonymousId?: string
  readonly event?: string
  readonly name?: string
  readonly category?: string
  readonly properties?: JsonObject
  readonly traits?: JsonObject
  readonly groupId?: string
  readonly previousId?: string
  readonly integrations?: JsonObject
}

/**
 * Replaces `Analytics` in tests: validates and serialises calls the same way and throws the same errors, but keeps the
 * calls instead of sending them.
 */
export class Recorder<Events extends EventMap = EventMap>
  extends AnalyticsCalls<Events>
  implements AsyncDisposable
{
  readonly calls: RecordedCall[] = []
  #isClosed = false

  constructor() {
    super(CALL_LIMITS.messageBytes, systemClock)
  }

  /** The track calls with this event name. */
  tracked(event: keyof Events & string): RecordedCall[] {
    return this.calls.filter((call) => call.type === 'track' && call.event === event)
  }

  clear(): void {
    this.calls.length = 0
  }

  /** Every recorded call counts as delivered. */
  async flush(): Promise<FlushResult> {
    return { delivered: this.calls.length, failed: 0, pending: 0 }
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  protected override take({ text }: Message): void {
    if (this.#isClosed) throw new ClientClosedError()
    this.calls.push(JSON.parse(text) as RecordedCall)
  }
}
