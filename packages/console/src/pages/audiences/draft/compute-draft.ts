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
} from './events-draft.ts'
import { textOf } from './written.ts'

/** The function of a computed trait being edited. */
export interface ComputeDraft {
  readonly fn: ComputeFunction
  /** '' for `count`. */
  readonly property: string
  readonly events: EventsDraft
}

export const NEW_COMPUTE: ComputeDraft = { fn: 'count', property: '', events: NEW_EVENTS }

/** Parses a `compute`. Invalid parts get defaults. */
export function computeDraftOf(compute: Json): ComputeDraft {
  const json = isJsonObject(compute) ? compute : {}
  return {
    fn: COMPUTE_FUNCTIONS.find((each) => each === json['fn']) ?? 'count',
    property: textOf(json['property']),
    events: eventsDraftOf(json),
  }
}

export function computeOf({ fn, property, events }: ComputeDraft): JsonObject {
  return { fn, ...eventsOf(events), ...(fn !== 'count' && property !== '' && { property }) }
}

export function isComputeComplete({ fn, property, events }: ComputeDraft): boolean {
  return (fn === 'count' || property !== '') && areEventsComplete(events)
}
