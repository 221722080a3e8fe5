import type { Json, Operator } from '@hookline/protocol'
import { shownText } from '../../../format/shown-text.ts'
import { type ComparisonDraft, valueOf } from './comparison-draft.ts'
import type { ComputeDraft } from './compute-draft.ts'
import type { ClauseDraft, ConditionTree, CountDraft } from './condition-tree.ts'
import type { EventsDraft, WindowDraft } from './events-draft.ts'

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

export const COUNT_WORDS: Readonly<Record<CountDraft['op'], string>> = {
  '==': 'exactly',
  '!=': 'not exactly',
  '<': 'fewer than',
  '<=': 'at most',
  '>': 'more than',
  '>=': 'at least',
}

export const EVENT_WORDS: Readonly<Record<EventsDraft['type'], string>> = {
  track: 'track event',
  page: 'page',
  screen: 'screen',
  identify: 'identify call',
  group: 'group call',
  alias: 'alias call',
}

export const FUNCTION_WORDS: Readonly<Record<ComputeDraft['fn'], string>> = {
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

/** Looks up the name of an audience. */
export type NameOf = (audienceId: string) => string | undefined

const BLANK = '…'
const MAX_CHARACTERS = 80

/** A condition in words: `trait plan is “pro” and (…)`. */
export function conditionWords(tree: ConditionTree, nameOf: NameOf): string {
  const words = innerWords(tree, nameOf)
  if (tree.nots === 0) return words
  return `${'not '.repeat(tree.nots)}(${words})`
}

function innerWords(tree: ConditionTree, nameOf: NameOf): string {
  if (tree.kind === 'clause') return clauseWords(tree.clause, nameOf)
  if (tree.parts.length === 0) return BLANK
  const parts = tree.parts.map((part) => {
    const words = conditionWords(part, nameOf)
    return part.kind === 'group' && part.nots === 0 && part.parts.length > 1 ? `(${words})` : words
  })
  return parts.join(` ${tree.join} `)
}

/** A clause in words: `Order Completed at least 2 times in the last 30 days`. */
export function clauseWords(clause: ClauseDraft, nameOf: NameOf): string {
  switch (clause.kind) {
    case 'trait':
      return `trait ${named(clause.name)} ${comparisonWords(clause.comparison)}`
    case 'computedTrait':
      return `computed trait ${named(clause.name)} ${comparisonWords(clause.comparison)}`
    case 'audience':
      return `member of ${named(nameOf(clause.audience) ?? clause.audience)}`
    case 'events':
      return `${selectionWords(clause.events)} ${timesWords(clause.count)}${whenWords(clause.events)}`
  }
}

/** The function of a computed trait in words: `sum of revenue in Order Completed`. */
export function computeWords({ fn, property, events }: ComputeDraft): string {
  const of = fn === 'count' ? ': ' : ` of ${named(property)} in `
  return `${FUNCTION_WORDS[fn]}${of}${selectionWords(events)}${whenWords(events)}`
}

function selectionWords({ type, name }: EventsDraft): string {
  if (type === 'track') return named(name)
  return name === '' ? `any ${EVENT_WORDS[type]}` : `${EVENT_WORDS[type]} ${named(name)}`
}

function timesWords(count: CountDraft | null): string {
  if (count === null) return 'at least once'
  const n = count.n.trim() || BLANK
  return `${COUNT_WORDS[count.op]} ${n} ${n === '1' ? 'time' : 'times'}`
}

function whenWords({ window, where }: EventsDraft): string {
  const filters = (where ?? []).map(
    ({ property, comparison }) => `${named(property)} ${comparisonWords(comparison)}`,
  )
  const filtered = filters.length === 0 ? '' : ` where ${filters.join(' and ')}`
  return `${windowWords(window)}${filtered}`
}

function windowWords(window: WindowDraft): string {
  if (window.kind === 'ever') return ''
  if (window.kind === 'between')
    return ` from ${shownText(window.from || BLANK, MAX_CHARACTERS)} to ${shownText(window.to || BLANK, MAX_CHARACTERS)}`
  const n = window.n.trim() || BLANK
  return ` in the last ${n === '1' ? window.unit.slice(0, -1) : `${shownText(n, MAX_CHARACTERS)} ${window.unit}`}`
}

function comparisonWords({ op, value }: ComparisonDraft): string {
  const words = OPERATOR_WORDS[op]
  if (value === null) return words
  const compared = valueOf(value)
  const shown = `${words} ${compared === undefined ? BLANK : valueWords(compared)}`
  return op === 'within_last_days' ? `${shown} ${compared === 1 ? 'day' : 'days'}` : shown
}

/** A value in a sentence. Text is quoted, to distinguish it from numbers. */
export function valueWords(value: Json): string {
  if (typeof value === 'string') return `“${shownText(value, MAX_CHARACTERS)}”`
  if (Array.isArray(value) && value.length > 0)
    return value.map((each: Json) => valueWords(each)).join(', ')
  return shownText(JSON.stringify(value), MAX_CHARACTERS)
}

function named(name: string): string {
  return name === '' ? BLANK : shownText(name, MAX_CHARACTERS)
}
