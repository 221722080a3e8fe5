import { CALL_LIMITS } from '@hookline/protocol'
import type { ClientOptions } from './client-options.ts'
import { ENVELOPE_BYTES } from './queue/batch.ts'

type Optional = 'fetch' | 'headers' | 'logger' | 'onError'

/** A client's validated options, with defaults. `endpoint` is the URL of batches. */
export type Options = Pick<ClientOptions, Optional> & {
  readonly [Name in Exclude<keyof ClientOptions, Optional | 'size'>]-?: NonNullable<
    ClientOptions[Name]
  >
}

const POLICIES: readonly Options['onFull'][] = ['drop-newest', 'drop-oldest', 'throw']

/** Adds the defaults. Throws a `RangeError` or `TypeError` for an invalid option. */
export function resolveOptions(options: ClientOptions): Options {
  const { onFull = 'drop-newest', enabled = true, gzip = true } = options
  if (!POLICIES.includes(onFull))
    throw new RangeError(`onFull must be one of ${POLICIES.join(', ')}`)
  const number = (name: NumberName, fallback: number, range: readonly [number, number?]) =>
    numberIn(name, options[name] ?? fallback, range)
  const { messageBytes, batchBytes, batchMessages } = CALL_LIMITS
  const maxBatchBytes = number('maxBatchBytes', batchBytes, [ENVELOPE_BYTES + 1])
  const maxMessageBytes = number(
    'maxMessageBytes',
    Math.min(messageBytes, maxBatchBytes - ENVELOPE_BYTES),
    [1, maxBatchBytes - ENVELOPE_BYTES],
  )
  const maxQueueMessages = number('maxQueueMessages', 100_000, [1])
  const flushAt = number('flushAt', options.size ?? 20, [1, batchMessages])
  return {
    ...options,
    endpoint: batchUrl(options.endpoint ?? 'http://localhost:4800'),
    onFull,
    enabled,
    gzip,
    maxBatchBytes,
    maxMessageBytes,
    // Otherwise a full queue might never reach `flushAt`.
    flushAt: Math.min(flushAt, maxQueueMessages),
    flushAfter: number('flushAfter', 5_000, [1]),
    maxQueueBytes: number('maxQueueBytes', 64 * 1024 * 1024, [maxMessageBytes]),
    maxQueueMessages,
    maxRetries: number('maxRetries', 10, [0]),
    timeoutMs: number('timeoutMs', 10_000, [1]),
  }
}

type NumberName = {
  [Name in keyof ClientOptions]-?: ClientOptions[Name] extends number | undefined ? Name : never
}[keyof ClientOptions]

function numberIn(
  name: string,
  value: number,
  [min, max = Infinity]: readonly [number, number?],
): number {
  if (value >= min && value <= max) return value
  throw new RangeError(`${name} must be from ${min} to ${max}`)
}

function batchUrl(endpoint: string): string {
  const url = new URL(endpoint)
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError('endpoint must be an http or https URL without credentials')
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/batch`
  url.hash = ''
  return url.href
}
