import type { Comparison } from './computations/condition.ts'
import type { EventType } from './event.ts'

/** The fields of an event that a filter can compare without a path. */
export const FILTER_FIELDS = ['userId', 'anonymousId', 'groupId', 'name', 'category'] as const

/**
 * Compares one value of an event: a field, or the value at a path in its properties, traits or context. The traits of calls
 * other than identify and group are in `context.traits`.
 */
export type ValueComparison = Comparison &
  (
    | { readonly property: string }
    | { readonly trait: string }
    | { readonly context: string }
    | { readonly field: (typeof FILTER_FIELDS)[number] }
  )

/** Matches an event if all its members do. */
export interface FilterClause {
  readonly type?: EventType
  /** The name of a track event, or several. A `*` at the end of a name matches any characters. */
  readonly event?: string | readonly string[]
  readonly where?: readonly ValueComparison[]
}

/** Selects the events that a destination gets. */
export type Filter =
  | { readonly and: readonly Filter[] }
  | { readonly or: readonly Filter[] }
  | { readonly not: Filter }
  | FilterClause

/** The fields that can decide which events are in a sample. */
export const SAMPLE_FIELDS = ['userId', 'anonymousId', 'messageId'] as const

/**
 * A share of the events, chosen by a hash of a field: by `userId` or `anonymousId`, either all or none of a user's events are in it;
 * by `messageId`, each event is chosen separately.
 */
export interface Sample {
  /** From 0 to 1. */
  readonly rate: number
  readonly by: (typeof SAMPLE_FIELDS)[number]
}

/** How a value is changed before it is hashed: `email` trims it and converts it to lower case. */
export const NORMALIZATIONS = ['email'] as const

/** Which fields in a payload a destination gets. Paths are relative to the payload: `traits.email`. */
export interface Fields {
  /** Removes everything else except `version`, `type`, `messageId` and `timestamp`. */
  readonly keep?: readonly string[]
  readonly drop?: readonly string[]
  /** Fields replaced by their HMAC-SHA256 in hexadecimal. */
  readonly hash?: readonly {
    readonly path: string
    readonly normalize?: (typeof NORMALIZATIONS)[number]
  }[]
  /** The key of the hashes: a secret. */
  readonly salt: string
}

/**
 * The format of request bodies.
 * - `hookline`: version 1 of the payload.
 * - `full`: the whole event, as Segment sends it, including `receivedAt`, `sentAt`, `originalTimestamp`, `integrations` and
 *   unknown fields.
 * - `standard`: Standard Webhooks, with the payload in `data`.
 * - `cloudevents`: CloudEvents 1.0 in structured mode, with the payload in `data`.
 */
export const FORMATS = ['hookline', 'full', 'standard', 'cloudevents'] as const

export type Format = (typeof FORMATS)[number]
