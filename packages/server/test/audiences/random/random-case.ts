import type { AcceptedEvent, Audience, Computation, Json } from '@hookline/protocol'
import { expect } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newSource } from '@hookline/testing/records/catalog-records'
import { nextTurn } from '../../../src/util/time/clock.ts'
import type { OpenAudiences } from '../open-audiences.ts'
import { Chance } from './chance.ts'
import { ReceivedTraits } from '@hookline/testing/audiences/received-traits'
import { type LastCall, NaiveWorld, type StoredValue } from './naive-world.ts'
import { someCompute, someCondition } from './random-computations.ts'
import { someEvent, someUser } from './random-events.ts'

const MINUTE_MS = 60 * 1000
const HOUR_MS = 60 * MINUTE_MS
const DESTINATIONS = ['dst_a', 'dst_b', 'dst_c'] as const

/** Totals over all cases. */
export interface Totals {
  cases: number
  settled: number
  events: number
  identifies: number
  computations: number
}

/**
 * A random history of a space: events, time, changes to audiences and computed traits, restarts. After each step the workers
 * settle, and the result is compared with the reference.
 *
 * Events are on whole hours, and steps begin shortly after one, so that no verdict changes while the workers settle. A step is
 * strict if all profiles are evaluated at one time: then the reference also predicts the number of calls.
 */
export class RandomCase {
  readonly #open: OpenAudiences
  readonly #chance: Chance
  readonly #name: string
  readonly #totals: Totals
  readonly #world = new NaiveWorld()
  readonly #receivedTraits = new Map(DESTINATIONS.map((id) => [id as string, new ReceivedTraits()]))
  /** The last announcement for each computation and user. */
  readonly #lastCalls = new Map<string, Map<string, LastCall>>()
  #hasDisabled = false
  /** Computations deleted with an announcement in this step. */
  #leaving: string[] = []
  /** Whether some steps make several changes at once. Then at most one user has no userId, since users are identified by it. */
  readonly #hasChaos: boolean
  #created = 0
  #read = 0
  #minute = 0
  /** The steps so far, for the message of a failed comparison. */
  readonly story: string[] = []

  constructor(open: OpenAudiences, name: string, seed: number, totals: Totals) {
    this.#open = open
    this.#name = name
    this.#chance = new Chance(seed)
    this.#totals = totals
    this.#hasChaos = this.#chance.is(0.5)
  }

  async run(): Promise<void> {
    const space = `space_${this.#name}`
    const sources = [space, space, `other_${this.#name}`]
    for (const [index, each] of sources.entries())
      await this.#open.backend.catalog.putSource(
        newSource({ id: this.#source(index), space: each }),
      )
    this.#read = await this.#end()
    this.#totals.cases++
    await this.#begin()
    for (let left = this.#chance.integer(5, 10); left > 0; left--) await this.#step()
    await this.#clear()
  }

  #source(index: number): string {
    return `src_${this.#name}_${index}`
  }

  /** Appends some events, then changes some computations at once. */
  async #begin(): Promise<void> {
    if (this.#chance.is(0.8)) await this.#appendSome()
    await this.#compare(true)
    const computations: Computation[] = []
    for (let count = this.#chance.integer(1, 5); count > 0; count--)
      computations.push(this.#versioned(this.#newComputation()))
    this.story.push(...computations.map((each) => `put ${JSON.stringify(each)}`))
    await this.#open.backend.catalog.putAll({ sources: [], destinations: [], computations })
    await this.#compare(true)
  }

  async #step(): Promise<void> {
    if (this.#pastHour > HOUR_MS / 2) {
      this.#advanceHours(1)
      await this.#compare(true)
    }
    const kind = this.#chance.integer(0, 99)
    let isStrict = true
    if (kind < 45) await this.#appendSome()
    else if (kind < 75) await this.#changeSome()
    else if (kind < 80 || !this.#hasChaos) await this.#appendAndRestart()
    else {
      isStrict = false
      await this.#chaos()
    }
    await this.#compare(isStrict)
  }

  async #appendSome(): Promise<void> {
    const count = this.#chance.integer(0, 20)
    // All at once: if workers evaluated only some of the events before time passes, values and calls would differ.
    if (count > 0) await this.#append(count)
    this.#passTime()
  }

  async #appendAndRestart(): Promise<void> {
    await this.#append()
    this.story.push('restart')
    await this.#open.restart()
  }

  /** Several changes while the workers run. */
  async #chaos(): Promise<void> {
    for (let things = this.#chance.integer(2, 5); things > 0; things--) {
      const kind = this.#chance.integer(0, 5)
      if (kind < 2) await this.#append()
      else if (kind < 4) await this.#changeSome()
      else if (kind < 5) this.#passTime()
      else await this.#open.restart()
      this.story.push('meanwhile')
      for (let turns = this.#chance.integer(0, 20); turns > 0; turns--) await nextTurn()
      this.#open.clock.advance(this.#chance.pick([0, 200, 1000]))
    }
  }

  #passTime(): void {
    const hours = this.#chance.pick([0, 0, 1, 2, 6, 25, 70])
    this.story.push(`${hours} hours pass`)
    if (hours > 0) this.#advanceHours(hours)
  }

  /**
   * Advances by `hours`. Each step ends one minute further past the hour than the one before. An event from the future counts
   * from its receipt: otherwise it would leave a window of a few hours while the workers settle.
   */
  #advanceHours(hours: number): void {
    this.#minute++
    this.#open.clock.advance(hours * HOUR_MS - this.#pastHour + this.#minute * MINUTE_MS)
  }

  /** The time since the last whole hour. */
  get #pastHour(): number {
    return (this.#open.clock.now() - NOON) % HOUR_MS
  }

  get #hour(): number {
    return this.#open.clock.now() - this.#pastHour
  }

  async #append(count = this.#chance.integer(1, 7)): Promise<void> {
    const now = this.#open.clock.now()
    const options = { now, hour: this.#hour, visitors: this.#hasChaos ? 1 : 2 }
    const events = Array.from({ length: count }, () => {
      const sourceId = this.#source(this.#chance.pick([0, 0, 1, 1, 2]))
      return someEvent(this.#chance, { sourceId, ...options })
    })
    this.story.push(...events.map(({ event }) => `event ${JSON.stringify(event)}`))
    this.#world.add(...events.filter(({ sourceId }) => sourceId !== this.#source(2)))
    this.#totals.events += events.length
    // The log stores a repeated event once.
    const repeated = this.#chance.is(0.1) ? [{ ...events[0]!, id: `${events[0]!.id}0` }] : []
    await this.#open.backend.log.append([...events, ...repeated])
  }

  async #changeSome(): Promise<void> {
    const { computations } = this.#world
    const present = computations.filter(({ id }) => !this.#leaving.includes(id))
    if (present.length === 0 || (present.length < 8 && this.#chance.is(0.3)))
      return this.#put(this.#newComputation())
    const computation = this.#chance.pick(present)
    const kind = this.#chance.integer(0, 9)
    if (computation.kind === 'audience' && computation.condition === null && kind < 6)
      return this.#changeList(computation)
    if (kind < 4) return this.#redefine(computation)
    if (kind < 6) return this.#put({ ...computation, enabled: !computation.enabled })
    if (kind < 8)
      return this.#put({ ...computation, destinationIds: this.#chance.some(DESTINATIONS) })
    return kind < 9 ? this.#requestSync(computation) : this.#delete(computation)
  }

  /** A computation without a version. It may refer to earlier ones. */
  #newComputation(): Computation {
    this.#created++
    this.#totals.computations++
    const record = {
      space: `space_${this.#name}`,
      destinationIds: this.#chance.some(DESTINATIONS),
      enabled: this.#chance.is(0.9),
      createdAt: NOON,
      updatedAt: NOON,
      version: 0,
    }
    // Ids increase in the order of creation.
    const number = String(this.#created).padStart(3, '0')
    const named = (id: string) => ({ ...record, id, name: id, key: id })
    const isTrait = this.#chance.is(0.35)
    const scope = { others: this.#others(), around: this.#hour }
    const newComputation: Computation = isTrait
      ? {
          ...named(`trt_${this.#name}_${number}`),
          kind: 'trait',
          compute: someCompute(this.#chance, this.#hour),
        }
      : {
          ...named(`aud_${this.#name}_${number}`),
          kind: 'audience',
          condition: this.#chance.is(0.15) ? null : someCondition(this.#chance, scope),
        }
    this.#world.computations = [...this.#world.computations, newComputation]
    return newComputation
  }

  /** The computations that a new condition may refer to. */
  #others(before?: Computation): readonly Computation[] {
    const { computations } = this.#world
    const until =
      before === undefined
        ? computations.length
        : computations.findIndex(({ id }) => id === before.id)
    return computations.slice(0, until).filter(({ id }) => !this.#leaving.includes(id))
  }

  async #redefine(computation: Computation): Promise<void> {
    if (computation.kind === 'trait')
      return this.#put({ ...computation, compute: someCompute(this.#chance, this.#hour) })
    if (computation.condition === null) return
    const condition = someCondition(this.#chance, {
      others: this.#others(computation),
      around: this.#hour,
    })
    await this.#put({ ...computation, condition })
  }

  async #put(change: Computation): Promise<void> {
    const computation = this.#versioned(change)
    this.story.push(`put ${JSON.stringify(computation)}`)
    if (!computation.enabled) this.#hasDisabled = true
    await this.#open.put(computation)
  }

  /** Adds the version, and updates the reference. */
  #versioned(change: Computation): Computation {
    const computation = { ...change, version: change.version + 1 }
    const { computations } = this.#world
    const index = computations.findIndex(({ id }) => id === change.id)
    this.#world.computations = computations.with(index, computation)
    return computation
  }

  async #changeList({ id, space }: Audience): Promise<void> {
    const add = [someUser(this.#chance), ...(this.#chance.is(0.3) ? ['u9'] : [])]
    const remove = this.#chance.some(
      [...this.#world.list(id)].filter((user) => !add.includes(user)),
    )
    this.story.push(`list ${id} +${add.join()} -${remove.join()}`)
    for (const userId of add) this.#world.addToList(id, userId)
    for (const userId of remove) this.#world.list(id).delete(userId)
    const at = this.#open.clock.now()
    await this.#open.backend.memberships.changeList({ audienceId: id, space }, { add, remove, at })
    this.#open.audiences.wake()
  }

  async #requestSync({ id, enabled }: Computation): Promise<void> {
    if (!enabled) return
    this.story.push(`request a sync of ${id}`)
    await this.#open.audiences.computations.requestSync(id, 'requested')
  }

  /** Deletes a computation, unless another one refers to it. */
  async #delete({ id, key }: Computation): Promise<void> {
    const isUsed = this.#world.computations.some((other) => {
      const text = JSON.stringify(other.kind === 'audience' ? other.condition : null)
      return text.includes(`"${id}"`) || text.includes(`"${key}"`)
    })
    if (isUsed) return
    this.story.push(`delete ${id}`)
    this.#leaving.push(id)
    await this.#open.audiences.computations.requestSync(id, 'deleted')
  }

  async #settle(): Promise<void> {
    await this.#open.settle()
    if (!this.#hasDisabled) return
    // The workers are idle, and may not have noticed that there is less to do.
    this.#hasDisabled = false
    await this.#open.untilReplanned()
    await this.#open.settle()
  }

  async #compare(isStrict: boolean): Promise<void> {
    await this.#settle()
    this.story.push('settle')
    this.#totals.settled++
    const now = this.#open.clock.now()
    const calls = await this.#listen()
    const { memberships } = this.#open.backend
    const sizes = await memberships.sizes()
    const stored = new Map<string, readonly StoredValue[]>()
    for (const { id } of this.#world.computations) {
      const { data } = await memberships.list(id, { limit: 100 })
      stored.set(
        id,
        data.map(({ userId, value }) => ({ userId, value })),
      )
    }
    if (!isStrict) this.#world.receive(this.#lastCalls)
    const found = (id: string, userId: string | null): Json | undefined =>
      stored.get(id)!.find((each) => each.userId === userId)?.value
    const expected = this.#world.evaluate(now, this.#leaving, { stored: found, isStrict })
    for (const computation of this.#world.computations) {
      const { id } = computation
      const values = this.#world.valuesOf(id)
      expect(inOrder(stored.get(id)!), `the values of ${id}`).toEqual(inOrder(values))
      expect(sizes.get(id) ?? 0, `the size of ${id}`).toBe(values.length)
      // A destination added to a disabled computation receives nothing until it is enabled.
      if (computation.enabled) this.#compareAnnouncements(computation)
      const [received, wanted] = [calls.get(id) ?? 0, expected.get(id) ?? 0]
      if (isStrict) expect(received, `calls of ${id}`).toBe(wanted)
      else expect(received, `calls of ${id}`).toBeGreaterThanOrEqual(wanted)
    }
    expect(await this.#missed(), 'changes that syncs have found missing').toBe(0)
    this.#world.computations = this.#world.computations.filter(
      ({ id }) => !this.#leaving.includes(id),
    )
    this.#leaving = []
  }

  #compareAnnouncements({ id, key, destinationIds }: Computation): void {
    const announced = [...(this.#world.announced.get(id) ?? [])].filter(
      ([, value]) => value !== false && value !== null,
    )
    const wanted = Object.fromEntries(announced)
    for (const destinationId of destinationIds)
      expect(
        this.#receivedTraits.get(destinationId)!.valuesOf(key),
        `${destinationId} received`,
      ).toEqual(wanted)
  }

  /** Delivers new announcements to the destinations. Returns the number of announced changes, by computation. */
  async #listen(): Promise<ReadonlyMap<string, number>> {
    const { events, through } = await this.#open.backend.followedLog.read({
      after: this.#read,
      limit: 10_000,
    })
    this.#read = through
    const calls = new Map<string, number>()
    for (const { event } of events) {
      if (event.origin === undefined) continue
      this.#totals.identifies++
      const { computationId, destinationIds } = event.origin
      for (const id of destinationIds) this.#receivedTraits.get(id)!.receive(event)
      if (isRepeat(event)) continue
      calls.set(computationId, (calls.get(computationId) ?? 0) + 1)
      this.#checkCall(event)
    }
    return calls
  }

  /** Each call announces a different value than the one before, with a later timestamp. */
  #checkCall({ origin, event }: AcceptedEvent): void {
    const id = origin!.computationId
    const of = this.#lastCalls.get(id) ?? new Map<string, LastCall>()
    this.#lastCalls.set(id, of)
    const call = { at: Date.parse(event.timestamp), value: event.traits![id]! }
    const last = of.get(event.userId!)
    if (last !== undefined) {
      expect(call.value, `a value of ${id}`).not.toEqual(last.value)
      expect(call.at, `the time of ${id}`).toBeGreaterThan(last.at)
    }
    of.set(event.userId!, call)
  }

  async #missed(): Promise<number> {
    const { values } = await this.#open.metrics.audiences.missed.get()
    return values.reduce((sum, { value }) => sum + value, 0)
  }

  /** Removes the computations and sources, so that they do not slow down the next case. */
  async #clear(): Promise<void> {
    const { catalog } = this.#open.backend
    for (const { id } of this.#world.computations) await catalog.removeComputation(id)
    for (let index = 0; index < 3; index++) await catalog.removeSource(this.#source(index))
    await this.#open.settle()
  }

  async #end(): Promise<number> {
    let after = 0
    for (;;) {
      const { through, isEnd } = await this.#open.backend.followedLog.read({ after, limit: 10_000 })
      after = through
      if (isEnd) return after
    }
  }
}

/** Whether the call only sends an existing value to an added destination: then its messageId ends with the destination. */
function isRepeat({ event, origin }: AcceptedEvent): boolean {
  return event.messageId.slice(origin!.computationId.length).split(':').length > 4
}

function inOrder(values: readonly object[]): readonly string[] {
  return values.map((each) => JSON.stringify(each)).toSorted()
}
