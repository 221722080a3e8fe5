import { isDeeperThan, isJsonObject, type Json, type JsonObject } from '@hookline/protocol'
import type { Config } from '../../config.ts'
import { isRefused, type Refused } from './refused.ts'

/** What the calls of a batch have in common. Each call's own keys win over it. */
export interface SharedParts {
  readonly context?: JsonObject
  readonly integrations?: JsonObject
  /** The size of both as JSON: what they add to each call, at most. */
  readonly bytes: number
}

/** The calls of one request. A single call is a batch of one, with nothing shared. */
export interface Batch {
  readonly calls: readonly Json[]
  readonly shared: SharedParts
  /** The envelope's, unread. */
  readonly sentAt: Json | undefined
}

type Limits = Pick<Config, 'maxBatchBytes' | 'maxBatchMessages' | 'maxNestingLevels'>

/**
 * How many times maxBatchBytes the calls of one batch may become by what they share. Without a bound,
 * 2,500 empty calls that share 30 KB of context would come to 75 MB of events.
 */
const MAX_GROWTH = 16

const NOTHING_SHARED: SharedParts = { bytes: 0 }

/** A batch of the one call that is the whole body. */
export function batchOfOne(call: Json): Batch {
  return { calls: [call], shared: NOTHING_SHARED, sentAt: undefined }
}

/** Reads the envelope; the calls in it are read by `parseCall`. Pure. */
export function parseBatch(body: Json, limits: Limits): Batch | Refused {
  if (!isJsonObject(body)) return { refused: 'not_an_object' }
  const calls = body['batch'] ?? []
  if (!Array.isArray(calls)) return { refused: 'not_an_object' }
  if (calls.length === 0) return { refused: 'empty_batch' }
  if (calls.length > limits.maxBatchMessages) return { refused: 'too_many_messages' }
  const shared = parseShared(body, limits.maxNestingLevels)
  if (isRefused(shared)) return shared
  if (shared.bytes * calls.length > MAX_GROWTH * limits.maxBatchBytes) {
    return { refused: 'batch_too_large' }
  }
  return { calls, shared, sentAt: body['sentAt'] }
}

function parseShared(body: JsonObject, maxLevels: number): SharedParts | Refused {
  const context = body['context'] ?? undefined
  const integrations = body['integrations'] ?? undefined
  if (context === undefined && integrations === undefined) return NOTHING_SHARED
  if (context !== undefined && !isJsonObject(context)) return { refused: 'context_not_object' }
  if (integrations !== undefined && !isJsonObject(integrations)) {
    return { refused: 'integrations_not_object' }
  }
  const parts = { ...(context && { context }), ...(integrations && { integrations }) }
  // Depth first: JSON.stringify would overflow the stack on what is nested far too deep.
  if (isDeeperThan(parts, maxLevels)) return { refused: 'nested_too_deep' }
  return { ...parts, bytes: Buffer.byteLength(JSON.stringify(parts)) }
}
