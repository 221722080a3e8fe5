import type { EventType, Json, Operator } from '@hookline/protocol'
import { shownText } from '../../../format/shown-text.ts'
import { type ComparisonDraft, valueOf } from './comparison-draft.ts'

export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is greater than',
  '>=': 'is at least',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  exists: 'has a value',
  not_exists: 'has no value',
  one_of: 'is one of',
  before: 'is before',
  after: 'is after',
  within_last_days: 'is in the last',
}

export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  track: 'track event',
  page: 'page',
  screen: 'screen',
  identify: 'identify call',
  group: 'group call',
  alias: 'alias call',
}

/** A part that is not filled in. */
export const BLANK = '…'
const MAX_CHARACTERS = 80

export function describeComparison({ op, value }: ComparisonDraft): string {
  const words = OPERATOR_WORDS[op]
  if (value === null) return words
  const compared = valueOf(value)
  const shown = `${words} ${compared === undefined ? BLANK : describeValue(compared)}`
  return op === 'within_last_days' ? `${shown} ${compared === 1 ? 'day' : 'days'}` : shown
}

/** A value in a sentence. Text is quoted, to distinguish it from numbers. */
export function describeValue(value: Json): string {
  if (typeof value === 'string') return `“${shownText(value, MAX_CHARACTERS)}”`
  if (Array.isArray(value) && value.length > 0)
    return value.map((each: Json) => describeValue(each)).join(', ')
  return shownText(JSON.stringify(value), MAX_CHARACTERS)
}

export function nameText(name: string): string {
  return name === '' ? BLANK : shownText(name, MAX_CHARACTERS)
}
