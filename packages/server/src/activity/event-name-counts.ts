import {
  type AcceptedEvent,
  type Json,
  type JsonObject,
  jsonObjectIn,
  LIMITS,
} from '@hookline/protocol'
import { textOf } from '../backend/accepted-event.ts'
import { dayOf } from '../backend/days.ts'
import { OTHER_NAMES, type PropertyType, type SeenName } from '../backend/event-names.ts'
import { shortHash } from '../util/short-hash.ts'

/** An unchanged property is written at most this often: writing all of them each time would keep the database busy. */
const UNWRITTEN_MS = 60_000
/** The number of changed names and properties at which a write is due. A larger write would delay others. */
const MAX_CHANGES = 500
/** At this number of names and properties in memory, all of them are dropped after the next write. */
const MAX_HELD = 20_000

interface CountedProperty {
  readonly types: Set<PropertyType>
  /** When it was last seen, up to a minute out of date: see `UNWRITTEN_MS`. */
  lastSeenAt: number
  soleUser: string
}

interface CountedName extends Pick<SeenName, 'sourceId' | 'type' | 'name'> {
  /** `count`, `days` and `firstSeenAt` cover the time since the last write. */
  count: number
  days: Map<number, number>
  firstSeenAt: number
  lastSeenAt: number
  hasMoreProperties: boolean
  soleUser: string
  readonly properties: Map<string, CountedProperty>
  /** The names of new and changed properties. */
  readonly changed: Set<string>
}

/**
 * Counts events by name, and collects the names and types of their properties. Memory is bounded if the caller writes the changes
 * whenever `isFull`.
 */
export class EventNameCounts {
  readonly #names = new Map<string, CountedName>()
  readonly #changed = new Set<CountedName>()
  #changes = 0
  #held = 0

  get isFull(): boolean {
    return this.#changes >= MAX_CHANGES
  }

  /** @throws {SyntaxError} if the body is not a JSON object */
  add(event: AcceptedEvent): void {
    // Not `event.event`: the log would keep the parsed object in memory.
    const payload = jsonObjectIn(textOf(event.body))
    const user = userOf(event, payload)
    const name = this.#nameOf(event, nameIn(payload), user)
    this.#count(name, event.receivedAt)
    if (name.soleUser !== '' && name.soleUser !== user()) name.soleUser = ''
    if (name.type === OTHER_NAMES) return
    const properties = payload['properties'] ?? payload['traits'] ?? {}
    for (const [property, value] of Object.entries(properties))
      this.#addProperty(name, property.toWellFormed(), { type: typeOf(value), user })
  }

  /** The counts and changes since the last write. */
  changes(): readonly SeenName[] {
    return [...this.#changed].map(({ changed, properties, ...name }) => ({
      ...name,
      properties: [...changed].map((property) => {
        const { types, ...seen } = properties.get(property)!
        return { ...seen, name: property, types: [...types] }
      }),
    }))
  }

  /** Call it once the changes are stored. */
  stored(): void {
    for (const name of this.#changed) {
      name.count = 0
      name.days = new Map()
      name.changed.clear()
    }
    this.#changed.clear()
    this.#changes = 0
    if (this.#held < MAX_HELD) return
    this.#names.clear()
    this.#held = 0
  }

  #nameOf(
    { sourceId, type, receivedAt }: AcceptedEvent,
    sent: string,
    user: () => string,
  ): CountedName {
    const isTooLong = sent.length > LIMITS.catalogNameCharacters
    const text = isTooLong ? `${sourceId}  ` : `${sourceId} ${type} ${sent}`
    const known = this.#names.get(text)
    if (known !== undefined) return known
    const name: CountedName = {
      sourceId,
      type: isTooLong ? OTHER_NAMES : type,
      name: isTooLong ? '' : sent,
      count: 0,
      days: new Map(),
      firstSeenAt: receivedAt,
      lastSeenAt: receivedAt,
      hasMoreProperties: false,
      soleUser: user(),
      properties: new Map(),
      changed: new Set(),
    }
    this.#held++
    this.#names.set(text, name)
    return name
  }

  #count(name: CountedName, receivedAt: number): void {
    if (!this.#changed.has(name)) {
      this.#changed.add(name)
      this.#changes++
      name.firstSeenAt = receivedAt
    }
    name.count++
    name.lastSeenAt = receivedAt
    const day = dayOf(receivedAt)
    name.days.set(day, (name.days.get(day) ?? 0) + 1)
  }

  #addProperty(
    name: CountedName,
    property: string,
    { type, user }: { readonly type: PropertyType; readonly user: () => string },
  ): void {
    const { lastSeenAt } = name
    const known = name.properties.get(property)
    if (known === undefined) {
      const isTooLong = property.length > LIMITS.catalogNameCharacters
      if (isTooLong || name.properties.size === LIMITS.propertiesPerEventName) {
        name.hasMoreProperties = true
        return
      }
      this.#held++
      name.properties.set(property, { types: new Set([type]), lastSeenAt, soleUser: user() })
      return this.#change(name, property)
    }
    const isOfOthers = known.soleUser !== '' && known.soleUser !== user()
    const isOld = lastSeenAt - known.lastSeenAt >= UNWRITTEN_MS
    if (!isOld && !isOfOthers && known.types.has(type)) return
    known.types.add(type)
    known.lastSeenAt = lastSeenAt
    if (isOfOthers) known.soleUser = ''
    this.#change(name, property)
  }

  #change(name: CountedName, property: string): void {
    if (name.changed.has(property)) return
    name.changed.add(property)
    this.#changes++
  }
}

/** The name of a track, page or screen call; empty for other calls. Lone surrogates are replaced, as in the database. */
function nameIn({ event, name }: JsonObject): string {
  const value = event ?? name
  return typeof value === 'string' ? value.toWellFormed() : ''
}

/** Returns the hash of the event's user, or ''. Lazy, because most names already have several users and need no hash. */
function userOf({ userId }: AcceptedEvent, { anonymousId }: JsonObject): () => string {
  let hashed: string | undefined
  return () => {
    if (userId !== undefined) return (hashed ??= shortHash(`user ${userId}`))
    if (typeof anonymousId !== 'string') return ''
    return (hashed ??= shortHash(`anonymous ${anonymousId}`))
  }
}

function typeOf(value: Json): PropertyType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as PropertyType
}
