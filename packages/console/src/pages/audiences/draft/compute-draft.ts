import {
  COMPUTE_FUNCTIONS,
  type ComputeFunction,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@hookline/protocol'
import {
  areEventsComplete,
  type EventsDraft,
  eventsDraftOf,
  eventsOf,
  NEW_EVENTS,
  textIn,
} from './events-draft.ts'

/** How a computed trait is made, as a person writes it. */
export interface ComputeDraft {
  readonly fn: ComputeFunction
  /** '' for none: `count` has none. */
  readonly property: string
  readonly events: EventsDraft
}

export const NEW_COMPUTE: ComputeDraft = { fn: 'count', property: '', events: NEW_EVENTS }

/** The draft of a `compute`. What is not as it must be gets a default. */
export function computeDraftOf(compute: Json | undefined): ComputeDraft {
  const json = isJsonObject(compute) ? compute : {}
  return {
    fn: COMPUTE_FUNCTIONS.find((each) => each === json['fn']) ?? 'count',
    property: textIn(json, 'property'),
    events: eventsDraftOf(json),
  }
}

export function computeOf({ fn, property, events }: ComputeDraft): JsonObject {
  return { fn, ...eventsOf(events), ...(fn !== 'count' && property !== '' && { property }) }
}

/** 1 where something is missing. */
export function unfinishedInCompute({ fn, property, events }: ComputeDraft): number {
  return (fn === 'count' || property !== '') && areEventsComplete(events) ? 0 : 1
}
