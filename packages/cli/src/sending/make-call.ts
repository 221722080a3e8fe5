import type { AnalyticsCalls, EventMap } from '@hookline/client'
import type { EventType } from '@hookline/protocol'

/** A call whose fields are known only when the program runs. */
export interface CallGiven {
  readonly type: EventType
}

/** Makes the call that `type` names. @throws {ValidationError} for what the service would refuse */
export function makeCall(
  analytics: AnalyticsCalls<EventMap>,
  { type, ...fields }: CallGiven,
): void {
  // The library checks the fields itself: their types help who writes them down.
  analytics[type](fields as never)
}
