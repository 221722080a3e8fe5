import {
  type DeliveryContent,
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
import { textOf } from '../backend/accepted-event.ts'

/** The body of a request. */
export interface Formed {
  readonly body: Uint8Array
  /** Absent for JSON. */
  readonly contentType?: string
}

/** An event with the stored payload as its body, or a deletion notice. */
export interface Content extends Pick<DeliveryContent, 'body' | 'sourceId'> {
  /** Absent for a deletion notice. May be parsed when it is read. */
  readonly event?: Event
}

/** The body that a destination receives. Without these settings, it is the stored one. Pure: retries send the same bytes. */
export function formed(
  { fields, format = 'hookline' }: Pick<WebhooksSettings, 'fields' | 'format'>,
  deliveryId: string,
  content: Content,
): Formed {
  const { body, sourceId } = content
  if (fields === undefined && format === 'hookline') return { body }
  const whole = format === 'full' ? (content.event as JsonObject | undefined) : undefined
  const stored = whole ?? jsonObjectIn(textOf(body))
  const payload = fields === undefined ? stored : shaped(stored, fields)
  const { type, timestamp } = stored as { readonly type: string; readonly timestamp: string }
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

/** `track.order_completed`, as Standard Webhooks recommends. */
function standardType({ event }: JsonObject, type: string): string {
  return type === 'track' && typeof event === 'string' ? `${type}.${keyOfName(event)}` : type
}

/** Always sent, so that receivers can recognise and deduplicate events. */
export const ENVELOPE = ['version', 'type', 'messageId', 'timestamp'] as const

/** Removes and hashes fields. A deletion notice only gets the hashes of its id, so that receivers can match it. */
export function shaped(payload: JsonObject, fields: Fields): JsonObject {
  const { keep, change, changeNotice } = rulesOf(fields)
  if (payload['type'] === 'delete') return changed(payload, changeNotice) as JsonObject
  const left = keep === undefined ? payload : kept(payload, keep)
  return changed(left, change) as JsonObject
}

/** Rules are compiled once: a changed destination has a new object. */
const compiled = new WeakMap<Fields, Rules>()

interface Rules {
  readonly keep: Tree | undefined
  readonly change: Tree
  readonly changeNotice: Tree
}

type Change = (value: Json) => Json | undefined

/** Paths by their first step. */
interface Tree {
  /** What happens to the value at the end of a path. */
  change?: Change
  readonly steps: Map<string, Tree>
}

const NOTICE_IDS = ['userId', 'anonymousId']
const same: Change = (value) => value
const dropped: Change = () => undefined

function rulesOf(fields: Fields): Rules {
  const known = compiled.get(fields)
  if (known !== undefined) return known
  const { keep, drop = [], hash = [], salt } = fields
  const hashes = hash.map(({ path, normalize }) => {
    const change: Change = (value) => hashOf(value, salt, normalize === 'email')
    return [path, change] as const
  })
  const rules = {
    keep: keep && treeOf([...ENVELOPE, ...keep].map((path) => [path, same] as const)),
    change: treeOf([...hashes, ...drop.map((path) => [path, dropped] as const)]),
    changeNotice: treeOf(hashes.filter(([path]) => NOTICE_IDS.includes(path))),
  }
  compiled.set(fields, rules)
  return rules
}

function treeOf(paths: readonly (readonly [path: string, Change])[]): Tree {
  const root: Tree = { steps: new Map() }
  for (const [path, change] of paths)
    for (const steps of placesOf(pathOf(path))) {
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

/** Traits may be in either place, and alias payloads have other names for ids. */
function placesOf(steps: readonly string[]): readonly (readonly string[])[] {
  const [first, second, ...rest] = steps
  if (first === 'traits') return [steps, ['context', ...steps]]
  if (first === 'context' && second === 'traits') return [steps, ['traits', ...rest]]
  if (second !== undefined) return [steps]
  if (first === 'userId') return [steps, ['User ID'], ['Previous ID']]
  return first === 'previousId' ? [steps, ['Previous ID']] : [steps]
}

/** The parts of the value that a path leads to. */
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
function changed(value: Json, tree: Tree): Json {
  if (Array.isArray(value)) return value.map((each) => changed(each, tree))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, each]): [string, Json][] => {
    const next = tree.steps.get(name)
    if (next === undefined || each === undefined) return [[name, each!]]
    const replaced = next.change === undefined ? changed(each, next) : next.change(each)
    return replaced === undefined ? [] : [[name, replaced]]
  })
  return Object.fromEntries(entries)
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

/** A hash is longer than most elements of a list, so a long list gets one hash. */
const MAX_HASHES = 100

/** HMAC-SHA256 as lower-case hex. Each element of a short list is hashed; `null` stays. */
function hashOf(value: Json, salt: string, isEmail: boolean): Json {
  if (value === null) return null
  if (Array.isArray(value) && value.length <= MAX_HASHES)
    return value.map((each) => (each === null ? null : hashOfOne(each, salt, isEmail)))
  return hashOfOne(value, salt, isEmail)
}

function hashOfOne(value: Json, salt: string, isEmail: boolean): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const normal = isEmail ? text.trim().toLowerCase() : text
  return createHmac('sha256', salt).update(normal).digest('hex')
}
