import {
  COMPUTE_FUNCTIONS,
  type ComputeFunction,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@hookline/protocol'
import type { Notation } from '../../../domain/conditions/draft/notation.ts'
import { nameText } from '../../../domain/conditions/draft/words.ts'
import { textOf } from '../../../domain/conditions/draft/written.ts'
import {
  areEventsComplete,
  type EventsDraft,
  eventsDraftOf,
  eventsOf,
  NEW_EVENTS,
  describeSelection,
  describeWhen,
} from './events-draft.ts'

/** The function of a computed trait being edited. */
export interface ComputeDraft {
  readonly fn: ComputeFunction
  /** '' for `count`. */
  readonly property: string
  readonly events: EventsDraft
}

export const COMPUTES: Notation<ComputeDraft> = {
  newDraft: () => ({ fn: 'count', property: '', events: NEW_EVENTS }),
  draftOf: computeDraftOf,
  jsonOf: computeOf,
  isComplete: isComputeComplete,
  describe: describeCompute,
}

function computeDraftOf(compute: Json): ComputeDraft {
  const json = isJsonObject(compute) ? compute : {}
  return {
    fn: COMPUTE_FUNCTIONS.find((each) => each === json['fn']) ?? 'count',
    property: textOf(json['property']),
    events: eventsDraftOf(json),
  }
}

function computeOf({ fn, property, events }: ComputeDraft): JsonObject {
  return { fn, ...eventsOf(events), ...(fn !== 'count' && property !== '' && { property }) }
}

function isComputeComplete({ fn, property, events }: ComputeDraft): boolean {
  return (fn === 'count' || property !== '') && areEventsComplete(events)
}

export const FUNCTION_WORDS: Readonly<Record<ComputeFunction, string>> = {
  count: 'number of events',
  sum: 'sum',
  avg: 'average',
  min: 'minimum',
  max: 'maximum',
  first: 'first value',
  last: 'last value',
  most_frequent: 'most frequent value',
  unique_list: 'list of unique values',
  unique_count: 'number of unique values',
}

/** `sum of revenue in Order Completed` */
function describeCompute({ fn, property, events }: ComputeDraft): string {
  const of = fn === 'count' ? ': ' : ` of ${nameText(property)} in `
  return `${FUNCTION_WORDS[fn]}${of}${describeSelection(events)}${describeWhen(events)}`
}
