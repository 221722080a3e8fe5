import { isDeeperThan, isJsonObject, type Json, type JsonObject } from '@hookline/protocol'
import type { Config } from '../../config.ts'
import { isRefused, type Refused } from '../refused.ts'
import { asObject } from './as-object.ts'

/** What the calls of a batch share. The keys of a call itself win. */
export interface SharedParts {
  readonly context?: JsonObject
  readonly integrations?: JsonObject
  /** The size of both as JSON: the most that they add to each call. */
  readonly bytes: number
}

/** The calls of one request. A single call is a batch of one, with nothing shared. */
export interface Batch {
  readonly calls: readonly Json[]
  readonly shared: SharedParts
  /** `sentAt` of the batch, not parsed. */
  readonly sentAt: Json | undefined
}

type Limits = Pick<Config, 'maxBatchGrowthBytes' | 'maxBatchMessages' | 'maxNestingLevels'>

const NOTHING_SHARED: SharedParts = { bytes: 0 }

const NO_CALLS: Batch = { calls: [], shared: NOTHING_SHARED, sentAt: undefined }

/** A batch of one call, which is the whole body. */
export function batchOfOne(call: Json): Batch {
  return { calls: [call], shared: NOTHING_SHARED, sentAt: undefined }
}

/** Parses a batch, but not its calls: `parseCall` does that. Pure. */
export function parseBatch(body: Json, limits: Limits): Batch | Refused {
  if (!isJsonObject(body)) return { refused: 'not_an_object' }
  // A Go client whose queue is empty sends this when it closes. It has nothing to correct.
  if (body['batch'] === null) return NO_CALLS
  const calls = body['batch'] ?? []
  if (!Array.isArray(calls)) return { refused: 'not_an_object' }
  if (calls.length === 0) return { refused: 'empty_batch' }
  if (calls.length > limits.maxBatchMessages) return { refused: 'too_many_messages' }
  const shared = parseShared(body, limits.maxNestingLevels)
  if (isRefused(shared)) return shared
  // Otherwise 2,500 empty calls that share 30 KB of context would become 75 MB of events.
  if (shared.bytes * calls.length > limits.maxBatchGrowthBytes) {
    return { refused: 'batch_too_large' }
  }
  return { calls, shared, sentAt: body['sentAt'] }
}

function parseShared(body: JsonObject, maxLevels: number): SharedParts | Refused {
  const context = asObject(body['context'])
  const integrations = asObject(body['integrations'])
  if (context === undefined && isPresent(body['context'])) return { refused: 'context_not_object' }
  if (integrations === undefined && isPresent(body['integrations'])) {
    return { refused: 'integrations_not_object' }
  }
  if (context === undefined && integrations === undefined) return NOTHING_SHARED
  const parts = { ...(context && { context }), ...(integrations && { integrations }) }
  // The depth is checked first, because JSON.stringify would overflow the stack on a value that is nested too deep.
  if (isDeeperThan(parts, maxLevels)) return { refused: 'nested_too_deep' }
  return { ...parts, bytes: Buffer.byteLength(JSON.stringify(parts)) }
}

function isPresent(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}
