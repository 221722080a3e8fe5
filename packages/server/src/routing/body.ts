import {
  CALL_FIELDS,
  type DeliveryContent,
  type Event,
  type EventType,
  type Fields,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonObjectIn,
  keyOfName,
  OTHER_CALL_FIELDS,
  pathOf,
  type WebhooksSettings,
} from '@hookline/protocol'
import { createHmac } from 'node:crypto'
import { textOf } from '../backend/accepted-event.ts'

/** The body of a request. */
export interface WebhookBody {
  readonly body: Uint8Array
  /** Absent for `application/json`. */
  readonly contentType?: string
}

/** An event with the stored payload as its body, or a deletion notice. */
export interface Content extends Pick<DeliveryContent, 'body' | 'sourceId'> {
  /** Absent for a deletion notice. Reading it may parse the body. */
  readonly event?: Event
}

/** The body that a destination receives. Without these settings, it is the stored one. Pure: retries send the same bytes. */
export function bodyFor(
  settings: Pick<WebhooksSettings, 'fields' | 'format'>,
  deliveryId: string,
  content: Content,
): WebhookBody {
  const { fields, format = 'hookline' } = settings
  const { body, sourceId } = content
  if (fields === undefined && format === 'hookline') return { body }
  const payload = payloadFor(settings, content)
  // Field rules never change these two.
  const { type, timestamp } = payload as { readonly type: string; readonly timestamp: string }
  const bytes = (object: JsonObject): Uint8Array => Buffer.from(JSON.stringify(object))
  if (format === 'hookline' || format === 'full') return { body: bytes(payload) }
  if (format === 'standard') {
    const message = { type: standardType(payload, type), timestamp, data: payload }
    return { body: bytes(message) }
  }
  const event = {
    specversion: '1.0',
    id: deliveryId,
    source: `urn:hookline:${sourceId}`,
    type: `hookline.${type}`,
    time: timestamp,
    datacontenttype: 'application/json',
    data: payload,
  }
  return { body: bytes(event), contentType: 'application/cloudevents+json' }
}

/** The payload after the field rules. */
export function payloadFor(
  { fields, format }: Pick<WebhooksSettings, 'fields' | 'format'>,
  content: Pick<Content, 'body' | 'event'>,
): JsonObject {
  const whole = format === 'full' ? (content.event as JsonObject | undefined) : undefined
  const stored = whole ?? jsonObjectIn(textOf(content.body))
  return fields === undefined ? stored : shapedPayload(stored, fields)
}

/** `track.order_completed`, as Standard Webhooks recommends. */
function standardType({ event }: JsonObject, type: string): string {
  return type === 'track' && typeof event === 'string' ? `${type}.${keyOfName(event)}` : type
}

/** The fields that are always sent, so that receivers can recognise and deduplicate events. */
export const ENVELOPE = ['version', 'type', 'messageId', 'timestamp'] as const

/** Removes and hashes fields. In a deletion notice, only the id is hashed, so that receivers can match it. */
export function shapedPayload(payload: JsonObject, fields: Fields): JsonObject {
  if (payload['type'] === 'delete') {
    const hashes = hashesOf(fields).filter(([path]) => NOTICE_IDS.includes(path))
    return applyTree(payload, treeOf(hashes, placesInPayload)) as JsonObject
  }
  return IN_PAYLOAD.apply(payload, fields)
}

/** The parts of a call that the field rules of its source apply to, besides unknown fields. */
export const FREE_FORM = ['context', 'properties', 'traits']

/** The fields of a call that field rules cannot change. Without them, an event could not be traced, sent or deleted. */
export const FIXED_CALL_FIELDS = [
  ...Object.keys(CALL_FIELDS).filter((name) => !FREE_FORM.includes(name)),
  ...Object.keys(OTHER_CALL_FIELDS),
]

/** Removes and hashes fields of a call, or of the parts that the calls in a batch share, before they are stored. */
export function shapedCall(call: JsonObject, fields: Fields, type?: EventType): JsonObject {
  // The traits of a page call without properties become its properties (`parseCall`).
  const isMoved = type === 'page' && (call['properties'] ?? null) === null
  return (isMoved ? IN_MOVED_CALL : IN_CALL).apply(call, fields)
}

type ValueChange = (value: Json) => Json | undefined

/** Paths by their first step. */
interface Tree {
  /** The change to the value at the end of a path. */
  change?: ValueChange
  readonly steps: Map<string, Tree>
}

const NOTICE_IDS = ['userId', 'anonymousId']
const same: ValueChange = (value) => value
const dropped: ValueChange = () => undefined

type PathChange = readonly [path: string, change: ValueChange]

function hashesOf({ hash = [], salt }: Fields): PathChange[] {
  return hash.map(({ path, normalize }) => [
    path,
    (value) => hashOf(value, salt, normalize === 'email'),
  ])
}

function treeOf(paths: readonly PathChange[], places: Places): Tree {
  const root: Tree = { steps: new Map() }
  for (const [path, change] of paths)
    for (const steps of places(pathOf(path))) {
      let tree = root
      for (const step of steps) {
        const next: Tree = tree.steps.get(step) ?? { steps: new Map() }
        tree.steps.set(step, next)
        tree = next
      }
      tree.change = change
    }
  return root
}

type Places = (steps: readonly string[]) => readonly (readonly string[])[]

/** Traits may be at the top level or in `context`. */
const placesInCall: Places = (steps) => {
  const [first, second, ...rest] = steps
  if (first === 'traits') return [steps, ['context', ...steps]]
  return first === 'context' && second === 'traits' ? [steps, ['traits', ...rest]] : [steps]
}

/** The traits of this page call will become its properties (`shapedCall`), so a path in `properties` also applies to `traits`. */
const placesInMovedCall: Places = (steps) => {
  const [first, ...rest] = steps
  return first === 'properties' ? [steps, ['traits', ...rest]] : placesInCall(steps)
}

/** Alias payloads have other names for ids. */
const placesInPayload: Places = (steps) => {
  const [first, second] = steps
  if (second === undefined && first === 'userId') return [steps, ['User ID'], ['Previous ID']]
  if (second === undefined && first === 'previousId') return [steps, ['Previous ID']]
  return placesInCall(steps)
}

interface Trees {
  readonly keep: Tree | undefined
  readonly change: Tree
}

/** Applies field rules to objects of one shape. */
class Rules {
  readonly #fixed: readonly string[]
  readonly #places: Places
  /** Compiled once: a changed destination or source has a new object. */
  readonly #compiled = new WeakMap<Fields, Trees>()

  /** @param fixed the fields that are always kept */
  constructor(fixed: readonly string[], places: Places) {
    this.#fixed = fixed
    this.#places = places
  }

  apply(object: JsonObject, fields: Fields): JsonObject {
    const { keep, change } = this.#treesOf(fields)
    const remaining = keep === undefined ? object : kept(object, keep)
    return applyTree(remaining, change) as JsonObject
  }

  #treesOf(fields: Fields): Trees {
    const known = this.#compiled.get(fields)
    if (known !== undefined) return known
    const { keep, drop = [] } = fields
    const keeping = keep && [...this.#fixed, ...keep].map((path): PathChange => [path, same])
    const dropping = drop.map((path): PathChange => [path, dropped])
    const trees = {
      keep: keeping && treeOf(keeping, this.#places),
      // A path that is both hashed and dropped is dropped.
      change: treeOf([...hashesOf(fields), ...dropping], this.#places),
    }
    this.#compiled.set(fields, trees)
    return trees
  }
}

const IN_PAYLOAD = new Rules(ENVELOPE, placesInPayload)
const IN_CALL = new Rules(FIXED_CALL_FIELDS, placesInCall)
/** For a page call whose traits become its properties. */
const IN_MOVED_CALL = new Rules(FIXED_CALL_FIELDS, placesInMovedCall)

/** Keeps only the parts of the value that a path leads to. */
function kept(value: Json, tree: Tree): Json {
  if (Array.isArray(value)) return value.filter(isContainer).map((each) => kept(each, tree))
  const entries = Object.entries(value as JsonObject).flatMap(([name, each]): [string, Json][] => {
    const next = tree.steps.get(name)
    if (next === undefined || each === undefined) return []
    if (next.change !== undefined) return [[name, each]]
    return isContainer(each) ? [[name, kept(each, next)]] : []
  })
  return Object.fromEntries(entries)
}

/** Changes the values at the ends of paths. A path also applies to the objects in a list. */
function applyTree(value: Json, tree: Tree): Json {
  if (Array.isArray(value)) return value.map((each) => applyTree(each, tree))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, each]): [string, Json][] => {
    const next = tree.steps.get(name)
    if (next === undefined || each === undefined) return [[name, each!]]
    const replaced = next.change === undefined ? applyTree(each, next) : next.change(each)
    return replaced === undefined ? [] : [[name, replaced]]
  })
  return Object.fromEntries(entries)
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

/**
 * The maximum length of a list whose elements are hashed one by one. A longer list gets one hash, because a hash is longer than
 * most elements.
 */
const MAX_HASHES = 100

/** HMAC-SHA256 as lower-case hex. Each element of a short list is hashed; `null` is kept. */
function hashOf(value: Json, salt: string, isEmail: boolean): Json {
  if (value === null) return null
  if (Array.isArray(value) && value.length <= MAX_HASHES)
    return value.map((each) => (each === null ? null : hmacOf(each, salt, isEmail)))
  return hmacOf(value, salt, isEmail)
}

function hmacOf(value: Json, salt: string, isEmail: boolean): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const normal = isEmail ? text.trim().toLowerCase() : text
  return createHmac('sha256', salt).update(normal).digest('hex')
}
