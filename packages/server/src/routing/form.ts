import {
  type Event,
  type Fields,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonObjectIn,
  keyOfName,
  pathOf,
  type WebhooksSettings,
} from '@hookline/protocol'
import { createHmac } from 'node:crypto'

/** What a request body is formed from. */
export interface Formed {
  readonly body: Uint8Array
  /** Absent for JSON. */
  readonly contentType?: string
}

interface Content {
  /** The stored payload. */
  readonly body: Uint8Array
  /** As in `DeliveryContent`. */
  readonly sourceId: string
  readonly deliveryId: string
}

/** The body that a destination receives. Without these settings, it is the stored one. Pure: retries send the same bytes. */
export function formed(
  { fields, format = 'hookline' }: Pick<WebhooksSettings, 'fields' | 'format'>,
  { body, sourceId, deliveryId }: Content,
): Formed {
  if (fields === undefined && format === 'hookline') return { body }
  const stored = jsonObjectIn(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString())
  // A deletion notice has only an id and a time, without which it has no meaning.
  const isShaped = fields !== undefined && stored['type'] !== 'delete'
  const payload = isShaped ? shaped(stored, fields) : stored
  const { type, timestamp } = stored as { readonly type: string; readonly timestamp: string }
  const bytes = (object: JsonObject): Uint8Array => Buffer.from(JSON.stringify(object))
  if (format === 'hookline') return { body: bytes(payload) }
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

/** `track.order_completed`, as Standard Webhooks recommends. */
function standardType({ event }: JsonObject, type: string): string {
  return type === 'track' && typeof event === 'string' ? `${type}.${keyOfName(event)}` : type
}

/** The members of a call that the fields of a source may change. Without the others, an event could not be traced or deleted. */
export const SHAPED_MEMBERS = ['context', 'properties', 'traits'] as const

/** An event without the fields that its source removes. */
export function shapedEvent(event: Event, fields: Fields): Event {
  const members = SHAPED_MEMBERS.flatMap((name) => {
    const value = event[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const { context, properties, traits } = shaped(Object.fromEntries(members), fields)
  return {
    ...event,
    context: (context ?? {}) as JsonObject,
    ...(event.properties && { properties: (properties ?? {}) as JsonObject }),
    ...(event.traits && { traits: (traits ?? {}) as JsonObject }),
  }
}

/** Always sent, so that receivers can recognise and deduplicate events. */
const KEPT = ['version', 'type', 'messageId', 'timestamp']

/** Removes and hashes fields. A path also applies to the objects in a list. */
export function shaped(
  payload: JsonObject,
  { keep, drop = [], hash = [], salt }: Fields,
): JsonObject {
  let result: Json = payload
  if (keep !== undefined) result = kept(result, treeOf([...KEPT, ...keep]))
  if (drop.length > 0) result = changed(result, treeOf(drop), () => undefined)
  for (const { path, normalize } of hash) {
    const hashed = (value: Json): Json => hashOf(value, salt, normalize === 'email')
    result = changed(result, treeOf([path]), hashed)
  }
  return result as JsonObject
}

/** Paths by their first step. `whole` marks the end of a path. */
interface Tree {
  isWhole: boolean
  readonly steps: Map<string, Tree>
}

function treeOf(paths: readonly string[]): Tree {
  const root: Tree = { isWhole: false, steps: new Map() }
  for (const path of paths) {
    let tree = root
    for (const step of pathOf(path)) {
      const next = tree.steps.get(step) ?? { isWhole: false, steps: new Map<string, Tree>() }
      tree.steps.set(step, next)
      tree = next
    }
    tree.isWhole = true
  }
  return root
}

/** The parts of the value that a path leads to. */
function kept(value: Json, tree: Tree): Json {
  if (Array.isArray(value)) return value.filter(isContainer).map((each) => kept(each, tree))
  const entries = Object.entries(value as JsonObject).flatMap(([name, each]): [string, Json][] => {
    const next = tree.steps.get(name)
    if (next === undefined || each === undefined) return []
    if (next.isWhole) return [[name, each]]
    return isContainer(each) ? [[name, kept(each, next)]] : []
  })
  return Object.fromEntries(entries)
}

/** Replaces the values at the ends of paths; `undefined` removes them. */
function changed(value: Json, tree: Tree, change: (value: Json) => Json | undefined): Json {
  if (Array.isArray(value)) return value.map((each) => changed(each, tree, change))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, each]): [string, Json][] => {
    const next = tree.steps.get(name)
    if (next === undefined || each === undefined) return [[name, each!]]
    const replaced = next.isWhole ? change(each) : changed(each, next, change)
    return replaced === undefined ? [] : [[name, replaced]]
  })
  return Object.fromEntries(entries)
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

/** HMAC-SHA256 as lower-case hex. Each element of a list is hashed; `null` stays. */
function hashOf(value: Json, salt: string, isEmail: boolean): Json {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((each) => hashOf(each, salt, isEmail))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const normal = isEmail ? text.trim().toLowerCase() : text
  return createHmac('sha256', salt).update(normal).digest('hex')
}
