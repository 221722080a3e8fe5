import type { Json, Operator } from '@hookline/protocol'
import { shownText } from '../../../format/shown-text.ts'
import type { ClauseDraft, CountDraft } from './clause-draft.ts'
import type { ComparisonDraft } from './comparison-draft.ts'
import type { ComputeDraft } from './compute-draft.ts'
import type { ConditionTree } from './condition-tree.ts'
import type { EventsDraft, WindowDraft } from './events-draft.ts'
import { valueOf } from './value-draft.ts'

/** Between the name of a trait and the value. */
export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is more than',
  '>=': 'is at least',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'begins with',
  ends_with: 'ends with',
  exists: 'has a value',
  not_exists: 'has no value',
  one_of: 'is one of',
  before: 'is a date before',
  after: 'is a date after',
  within_last_days: 'is a date in the last',
}

/** Before the number of events. */
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
  min: 'least',
  max: 'greatest',
  first: 'first',
  last: 'last',
  most_frequent: 'most frequent',
  unique_list: 'list of different values',
  unique_count: 'number of different values',
}

/** The name of an audience by its id. */
export type NameOf = (audienceId: string) => string | undefined

const BLANK = '…'
const MOST_NAME = 80

/** A condition in a sentence, without its beginning: `trait plan is “pro” and (…)`. */
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

/** How a computed trait is made, in words. */
export function computeWords({ fn, property, events }: ComputeDraft): string {
  const of = fn === 'count' ? '' : ` of ${named(property)}`
  const from = fn === 'count' ? selectionWords(events) : `in ${selectionWords(events)}`
  return `${FUNCTION_WORDS[fn]}${of}${fn === 'count' ? ': ' : ' '}${from}${whenWords(events)}`
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
    return ` from ${shownText(window.from || BLANK, MOST_NAME)} to ${shownText(window.to || BLANK, MOST_NAME)}`
  const n = window.n.trim() || BLANK
  return ` in the last ${n === '1' ? window.unit.slice(0, -1) : `${shownText(n, MOST_NAME)} ${window.unit}`}`
}

function comparisonWords({ op, value }: ComparisonDraft): string {
  const words = OPERATOR_WORDS[op]
  if (value === null) return words
  const given = valueOf(value)
  const shown = given === undefined ? BLANK : valueWords(given)
  return op === 'within_last_days'
    ? `${words} ${shown} ${given === 1 ? 'day' : 'days'}`
    : `${words} ${shown}`
}

/** A value as it is shown in a sentence: a text in quotation marks, so that it is not taken for a number. */
export function valueWords(value: Json): string {
  if (typeof value === 'string') return `“${shownText(value, MOST_NAME)}”`
  if (Array.isArray(value) && value.length > 0)
    return value.map((each: Json) => valueWords(each)).join(', ')
  return shownText(JSON.stringify(value), MOST_NAME)
}

function named(name: string): string {
  return name === '' ? BLANK : shownText(name, MOST_NAME)
}
