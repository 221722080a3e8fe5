import {
  type AcceptedEvent,
  type Destination,
  type Filter,
  type FilterClause,
  comparisonHolds,
  type Json,
  type JsonObject,
  OPERATOR_TABLE,
  pathOf,
  type Sample,
  valueAt,
  type ValueComparison,
} from '@hookline/protocol'
import { hash } from 'node:crypto'
import { SerialisedEvent } from '../backend/accepted-event.ts'

/** Parses an event only for clauses that need more than its type. */
type Test = (accepted: AcceptedEvent) => boolean

/** Filters are compiled once: a changed destination has a new filter object. */
const compiled = new WeakMap<Filter, Test>()

/** A filter applies to a computed event only if it names the event's type; otherwise, the event passes. */
export function passesFilter(filter: Filter, accepted: AcceptedEvent): boolean {
  if (accepted.origin !== undefined && !namesType(filter, accepted.type)) return true
  return testOf(filter)(accepted)
}

function testOf(filter: Filter): Test {
  let test = compiled.get(filter)
  if (test === undefined) compiled.set(filter, (test = compile(filter)))
  return test
}

function namesType(filter: Filter, type: AcceptedEvent['type']): boolean {
  if ('and' in filter) return filter.and.some((each) => namesType(each, type))
  if ('or' in filter) return filter.or.some((each) => namesType(each, type))
  if ('not' in filter) return namesType(filter.not, type)
  return filter.type === type || (filter.event !== undefined && type === 'track')
}

function compile(filter: Filter): Test {
  if ('and' in filter) {
    const tests = filter.and.map(testOf)
    return (accepted) => tests.every((test) => test(accepted))
  }
  if ('or' in filter) {
    const tests = filter.or.map(testOf)
    return (accepted) => tests.some((test) => test(accepted))
  }
  if ('not' in filter) {
    const test = testOf(filter.not)
    return (accepted) => !test(accepted)
  }
  return compileClause(filter)
}

function compileClause(clause: FilterClause): Test {
  const { event, where = [], type = event === undefined ? undefined : 'track' } = clause
  const isNamed = event === undefined ? undefined : nameTest([event].flat())
  const comparisons = where.map((each) => ({ is: each, read: reader(each) }))
  const dependsOnTime = where.some(({ op }) => op === 'within_last_days')
  return (accepted) => {
    if (type !== undefined && accepted.type !== type) return false
    if (isNamed === undefined && comparisons.length === 0) return true
    const payload = payloadOf(accepted)
    if (isNamed !== undefined && !isNamed(payload['event'] as string)) return false
    const now = dependsOnTime ? Date.parse(payload['timestamp'] as string) : 0
    return comparisons.every(({ is, read }) => comparisonHolds(is, read(accepted), now))
  }
}

/** Has the same fields as the event, except the ids of an alias call and fields that no filter reads. */
function payloadOf(accepted: AcceptedEvent): JsonObject {
  return accepted instanceof SerialisedEvent
    ? accepted.payload
    : (accepted.event as unknown as JsonObject)
}

function nameTest(names: readonly string[]): (name: string) => boolean {
  const exact = new Set(names.filter((name) => !name.endsWith('*')))
  const starts = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  return (name) => exact.has(name) || starts.some((start) => name.startsWith(start))
}

function reader(comparison: ValueComparison): (accepted: AcceptedEvent) => Json | undefined {
  if ('field' in comparison) {
    const { field } = comparison
    return ({ event }) => event[field]
  }
  const path = pathOf(pathIn(comparison))
  if ('property' in comparison) return (accepted) => valueIn(accepted, 'properties', path)
  if ('context' in comparison) return (accepted) => valueIn(accepted, 'context', path)
  const inContext = ['traits', ...path]
  return (accepted) =>
    accepted.type === 'identify' || accepted.type === 'group'
      ? valueIn(accepted, 'traits', path)
      : valueIn(accepted, 'context', inContext)
}

function valueIn(accepted: AcceptedEvent, part: string, path: readonly string[]): Json | undefined {
  return valueAt((payloadOf(accepted)[part] ?? NONE) as JsonObject, path)
}

const NONE: JsonObject = {}

function pathIn(comparison: ValueComparison): string {
  if ('field' in comparison) return comparison.field
  if ('property' in comparison) return comparison.property
  return 'context' in comparison ? comparison.context : comparison.trait
}

/** The clauses that exclude an event, with JSON Pointers and the values that they compare; empty if it passes. */
export function whyExcluded(filter: Filter, accepted: AcceptedEvent): readonly string[] {
  return passesFilter(filter, accepted) ? [] : failures(filter, accepted, '')
}

function failures(filter: Filter, accepted: AcceptedEvent, pointer: string): readonly string[] {
  if (testOf(filter)(accepted)) return []
  const inList = (kind: 'and' | 'or', filters: readonly Filter[]): readonly string[] =>
    filters.flatMap((each, index) => failures(each, accepted, `${pointer}/${kind}/${index}`))
  if ('and' in filter) return inList('and', filter.and)
  if ('or' in filter) return inList('or', filter.or)
  if ('not' in filter) return [`${pointer}/not: the condition matches`]
  return [`${pointer}/${failureOf(filter, accepted)}`]
}

function failureOf(clause: FilterClause, accepted: AcceptedEvent): string {
  const { event, where = [], type } = clause
  const { event: call } = accepted
  if (type !== undefined && call.type !== type) return `type: the type is ${call.type}`
  if (event !== undefined && call.type !== 'track') return `event: the type is ${call.type}`
  const now = Date.parse(call.timestamp)
  const index = where.findIndex((each) => !comparisonHolds(each, reader(each)(accepted), now))
  const failed = where[index]
  if (failed === undefined) return `event: the name is ${valueText(call.event)}`
  const expected = OPERATOR_TABLE[failed.op].takes === 'none' ? '' : ` ${valueText(failed.value)}`
  return `where/${index}: ${pathIn(failed)} is ${valueText(reader(failed)(accepted))}; required: ${failed.op}${expected}`
}

const MAX_SHOWN = 100

function valueText(value: Json | undefined): string {
  if (value === undefined) return 'missing'
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

const HASHES = 2 ** 48

/** Each destination samples different users, and a higher rate only adds users. */
export function isInSample({ rate, by }: Sample, id: string, accepted: AcceptedEvent): boolean {
  if (accepted.origin !== undefined) return true
  const value = accepted[by] ?? accepted.userId ?? accepted.anonymousId ?? accepted.messageId
  const digest = hash('sha256', `${id}\0${value}`, 'buffer')
  return digest.readUIntBE(0, 6) < rate * HASHES
}

/** Why the settings of a destination exclude an event; `undefined` if they do not. */
export function excludedBy(
  { id, settings: { filter, sample } }: Pick<Destination, 'id' | 'settings'>,
  accepted: AcceptedEvent,
): 'filtered' | 'sampled' | undefined {
  if (filter !== undefined && !passesFilter(filter, accepted)) return 'filtered'
  return sample === undefined || isInSample(sample, id, accepted) ? undefined : 'sampled'
}

/** Whether the current settings of a destination select an event; `undefined` if they select all. */
export function selectionOf(
  destination: Pick<Destination, 'id' | 'settings'> | undefined,
): ((accepted: AcceptedEvent) => boolean) | undefined {
  if (destination === undefined) return undefined
  const { filter, sample } = destination.settings
  if (filter === undefined && sample === undefined) return undefined
  return (accepted) => excludedBy(destination, accepted) === undefined
}
