import {
  type AcceptedEvent,
  type Compute,
  type ComputeFunction,
  type Computation,
  type Condition,
  type CountOperator,
  type EventSelection,
  isJsonObject,
  type Json,
  type JsonObject,
  type Window,
} from '@hookline/protocol'
import { naivelyHolds } from './naive-operators.ts'

const HOUR_MS = 60 * 60 * 1000

/** A user in the reference: linked ids, as `user u1` and `anonymous a1`. */
interface NaiveProfile {
  readonly ids: ReadonlySet<string>
  readonly values: Map<string, Json>
}

/** A stored value of a user, as the product returns it. */
export interface StoredValue {
  readonly userId: string | null
  readonly value: Json
}

/** The last announcement of a computation for a user. */
export interface LastCall {
  readonly at: number
  readonly value: Json
}

/**
 * Computes all values from the list of events, without facts, dirty marks or rechecks. Between evaluations it
 * remembers only the values of disabled computations, and who had a value of a computed trait.
 */
export class NaiveWorld {
  readonly #events: AcceptedEvent[] = []
  readonly #lists = new Map<string, Set<string>>()
  readonly #everListed = new Set<string>()
  #profiles: readonly NaiveProfile[] = []
  /** The last announced value, by computation, then by userId. */
  readonly announced = new Map<string, Map<string, Json>>()
  /** Each computation after the ones it refers to. */
  computations: readonly Computation[] = []

  add(...events: readonly AcceptedEvent[]): void {
    this.#events.push(...events)
  }

  list(audienceId: string): Set<string> {
    const list = this.#lists.get(audienceId) ?? new Set()
    this.#lists.set(audienceId, list)
    return list
  }

  addToList(audienceId: string, userId: string): void {
    this.list(audienceId).add(userId)
    this.#everListed.add(userId)
  }

  /** Takes over the announcements of computations disabled in a step with several evaluations. */
  receive(calls: ReadonlyMap<string, ReadonlyMap<string, LastCall>>): void {
    for (const { id, enabled } of this.computations) {
      if (enabled) continue
      const values = [...(calls.get(id) ?? [])].map(([user, { value }]) => [user, value] as const)
      this.announced.set(id, new Map(values))
    }
  }

  /** The stored values of a computation, in any order. */
  valuesOf(computationId: string): readonly StoredValue[] {
    return this.#profiles.flatMap(({ ids, values }) => {
      const value = values.get(computationId)
      return value === undefined ? [] : [{ userId: this.#seenUsers(ids)[0] ?? null, value }]
    })
  }

  /**
   * Evaluates all profiles. Returns the expected number of calls for each computation. `stored` returns the product's value, which
   * is used wherever the result depends on the time of earlier evaluations, unless the step is strict.
   */
  evaluate(
    now: number,
    gone: readonly string[],
    {
      stored,
      isStrict,
    }: {
      readonly stored: (computationId: string, userId: string | null) => Json | undefined
      readonly isStrict: boolean
    },
  ): ReadonlyMap<string, number> {
    const formerly = this.#profiles
    this.#profiles = this.#components().map((ids) => ({ ids, values: new Map<string, Json>() }))
    const calls = new Map<string, number>()
    for (const profile of this.#profiles) {
      const events = this.#events
        .filter((event) => profile.ids.has(ownIdOf(event)))
        .toSorted((a, b) => timeOf(a) - timeOf(b))
      const user = { profile, events, traits: traitsOf(events), now }
      const users = this.#seenUsers(profile.ids)
      const former = formerly.filter(({ ids }) => isFormer(ids, profile.ids))
      for (const computation of this.computations) {
        const { id } = computation
        const had = former.map(({ values }) => values.get(id)).filter((each) => each !== undefined)
        const kept = stored(id, users[0] ?? null)
        // If profiles merge while a computation is disabled, either value may remain.
        const isOneOf = kept !== undefined && had.some((each) => isSame(each, kept))
        const before = isStrict && !isOneOf ? had[0] : kept
        const isGone = gone.includes(id)
        const value = isGone ? undefined : this.#valueFor(computation, user, before)
        if (value !== undefined) profile.values.set(id, value)
        if (!computation.enabled && !isGone) continue
        const announced = users.filter((userId) => this.#announce(computation, userId, value))
        calls.set(id, (calls.get(id) ?? 0) + announced.length)
      }
    }
    return calls
  }

  #valueFor(computation: Computation, user: NaiveUser, had: Json | undefined): Json | undefined {
    if (!computation.enabled) return had
    if (computation.kind === 'trait')
      return valueOf(computation.compute, user.events, had !== undefined, user.now)
    return this.#isMember(computation.condition, computation.id, user) || undefined
  }

  #announce({ id, kind }: Computation, userId: string, value: Json | undefined): boolean {
    const none = kind === 'audience' ? false : null
    const announced = this.announced.get(id) ?? new Map<string, Json>()
    this.announced.set(id, announced)
    const last = announced.get(userId) ?? none
    if (JSON.stringify(last) === JSON.stringify(value ?? none)) return false
    announced.set(userId, value ?? none)
    return true
  }

  #isMember(condition: Condition | null, id: string, user: NaiveUser): boolean {
    if (condition === null)
      return this.#seenUsers(user.profile.ids).some((userId) => this.list(id).has(userId))
    const each = (part: Condition): boolean => this.#isMember(part, id, user)
    if ('and' in condition) return condition.and.every(each)
    if ('or' in condition) return condition.or.some(each)
    if ('not' in condition) return !each(condition.not)
    if ('audience' in condition) return user.profile.values.get(condition.audience) === true
    if ('trait' in condition)
      return naivelyHolds(condition, at(user.traits, condition.trait), user.now)
    if ('computedTrait' in condition) {
      const key = condition.computedTrait
      const named = this.computations.find((one) => one.kind === 'trait' && one.key === key)
      return naivelyHolds(condition, user.profile.values.get(named?.id ?? ''), user.now)
    }
    const { op, n } = condition.count ?? { op: '>=', n: 1 }
    const count = user.events.filter((event) => isCounted(condition, event, user.now)).length
    return COUNTS[op](count, n)
  }

  #seenUsers(ids: ReadonlySet<string>): readonly string[] {
    const named = this.#events.flatMap(({ event }) => event.userId ?? [])
    const seen = new Set([...named, ...this.#everListed])
    return [...seen].filter((userId) => ids.has(`user ${userId}`)).toSorted()
  }

  /** Linked ids: users joined by aliases, each with the anonymousIds that they claimed first. */
  #components(): readonly ReadonlySet<string>[] {
    const groups = new Map<string, Set<string>>()
    const groupOf = (id: string): Set<string> => {
      const group = groups.get(id) ?? new Set([id])
      groups.set(id, group)
      return group
    }
    for (const userId of this.#everListed) groupOf(`user ${userId}`)
    for (const accepted of this.#events) {
      const { type, userId, previousId } = accepted.event
      const own = groupOf(ownIdOf(accepted))
      if (type !== 'alias' || userId === undefined) continue
      for (const id of groupOf(`user ${previousId}`)) groups.set(id, own.add(id))
    }
    const claimed = new Set<string>()
    for (const accepted of this.#events.toSorted(byClaim))
      for (const id of claimsOf(accepted)) {
        if (claimed.has(id)) continue
        claimed.add(id)
        groups.set(id, groupOf(ownIdOf(accepted)).add(id))
      }
    return [...new Set(groups.values())]
  }
}

/** Whether a former profile is part of this one now. */
function isFormer(ids: ReadonlySet<string>, now: ReadonlySet<string>): boolean {
  const users = [...ids].filter((id) => id.startsWith('user '))
  return (users.length > 0 ? users : [...ids]).some((id) => now.has(id))
}

function claimsOf({ event }: AcceptedEvent): readonly string[] {
  const { type, userId, anonymousId, previousId } = event
  if (userId === undefined) return []
  const ids = [anonymousId, type === 'alias' ? previousId : undefined]
  return ids.filter((id) => id !== undefined).map((id) => `anonymous ${id}`)
}

function byClaim(a: AcceptedEvent, b: AcceptedEvent): number {
  return (
    timeOf(a) - timeOf(b) ||
    Date.parse(a.event.receivedAt) - Date.parse(b.event.receivedAt) ||
    (a.event.messageId < b.event.messageId ? -1 : 1)
  )
}

interface NaiveUser {
  readonly profile: NaiveProfile
  readonly events: readonly AcceptedEvent[]
  readonly traits: JsonObject
  readonly now: number
}

function ownIdOf({ event: { userId, anonymousId } }: AcceptedEvent): string {
  return userId === undefined ? `anonymous ${anonymousId}` : `user ${userId}`
}

/** An event cannot happen after it was received. */
function timeOf({ event }: AcceptedEvent): number {
  return Math.min(Date.parse(event.timestamp), Date.parse(event.receivedAt))
}

/** The newest value of each trait: events are ordered by time, and among equal times the last received wins. */
function traitsOf(events: readonly AcceptedEvent[]): JsonObject {
  // Without a prototype, so that a trait may be named __proto__.
  const traits = Object.create(null) as Record<string, Json>
  const inOrder = events.toSorted(
    (a, b) =>
      timeOf(a) - timeOf(b) ||
      Date.parse(a.event.receivedAt) - Date.parse(b.event.receivedAt) ||
      (a.id < b.id ? -1 : 1),
  )
  for (const { event } of inOrder)
    if (event.type === 'identify') Object.assign(traits, event.traits)
  return traits
}

function isSame(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** A dot inside a name is escaped by a backslash. */
function at(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object
  for (const step of path.split(/(?<!\\)\./)) {
    const name = step.replace('\\.', '.')
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

const COUNTS: Readonly<Record<CountOperator, (count: number, n: number) => boolean>> = {
  '==': (count, n) => count === n,
  '!=': (count, n) => count !== n,
  '<': (count, n) => count < n,
  '<=': (count, n) => count <= n,
  '>': (count, n) => count > n,
  '>=': (count, n) => count >= n,
}

function isCounted(wanted: EventSelection & Window, accepted: AcceptedEvent, now: number): boolean {
  const { type, event, name, traits, properties } = accepted.event
  const isKind = type === (wanted.type ?? 'track') && (wanted.event ?? event) === event
  if (!isKind || (wanted.name ?? name) !== name) return false
  const fields = (type === 'identify' || type === 'group' ? traits : properties) ?? {}
  const time = timeOf(accepted)
  return (
    isInWindow(wanted, time, now) &&
    (wanted.where ?? []).every((filter) => naivelyHolds(filter, at(fields, filter.property), time))
  )
}

function isInWindow({ within, between }: Window, time: number, now: number): boolean {
  if (within !== undefined) return time > now - within.hours! * HOUR_MS
  return between === undefined || (time >= Date.parse(between[0]) && time < Date.parse(between[1]))
}

/** The value of a computed trait. `events` are ordered by time, then by log position. */
function valueOf(
  { fn, property, ...wanted }: Compute,
  events: readonly AcceptedEvent[],
  had: boolean,
  now: number,
): Json | undefined {
  const counted = events.filter((event) => isCounted(wanted, event, now))
  if (fn === 'count') return counted.length > 0 || had ? counted.length : undefined
  const [isUsed, compute, empty] = FUNCTIONS[fn]
  const values = counted.map(({ event }) => event.properties?.[property!] ?? null).filter(isUsed)
  if (values.length > 0) return compute(values)
  return had ? empty : undefined
}

const isThere = (value: Json): boolean => value !== null
const isNumber = (value: Json): boolean => typeof value === 'number'
const isScalar = (value: Json): boolean => typeof value !== 'object'
const sum = (values: readonly Json[]): number =>
  (values as number[]).reduce((total, each) => total + each, 0)

/** Which values count, how they are combined, and the empty value for a user who once had one. */
const FUNCTIONS: Readonly<
  Record<
    Exclude<ComputeFunction, 'count'>,
    readonly [(value: Json) => boolean, (values: readonly Json[]) => Json, Json]
  >
> = {
  sum: [isNumber, sum, 0],
  avg: [isNumber, (values) => sum(values) / values.length, null],
  min: [isNumber, (values) => Math.min(...(values as number[])), null],
  max: [isNumber, (values) => Math.max(...(values as number[])), null],
  first: [isThere, (values) => values[0]!, null],
  last: [isThere, (values) => values.at(-1)!, null],
  unique_list: [isScalar, different, []],
  unique_count: [isScalar, (values) => different(values).length, 0],
  most_frequent: [isScalar, mostFrequent, null],
}

function mostFrequent(values: readonly Json[]): Json {
  const times = (value: Json): number => values.filter((each) => each === value).length
  return different(values).toSorted((a, b) => times(b) - times(a))[0]!
}

/** Distinct values: booleans, numbers, strings. */
function different(values: readonly Json[]): Json[] {
  const numbers = values.filter((value) => typeof value === 'number').toSorted((a, b) => a - b)
  const texts = values.filter((value) => typeof value === 'string')
  const inOrder = texts.toSorted((a, b) => (a < b ? -1 : 1))
  return [
    ...new Set([...[false, true].filter((each) => values.includes(each)), ...numbers, ...inOrder]),
  ]
}
