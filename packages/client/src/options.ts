import { LIMITS } from '@hookline/protocol'
import { ENVELOPE_BYTES } from './queue/batch.ts'
import type { ClientOptions } from './client-options.ts'

type Optional = 'fetch' | 'headers' | 'logger' | 'onError'

/** The options of a client, complete and checked. `endpoint` is the URL that batches go to. */
export type Options = Pick<ClientOptions, Optional> & {
  readonly [Name in Exclude<keyof ClientOptions, Optional | 'size'>]-?: NonNullable<
    ClientOptions[Name]
  >
}

const POLICIES: readonly Options['onFull'][] = ['drop-newest', 'drop-oldest', 'throw']

/** Fills in the defaults. Throws a `RangeError` or `TypeError` for an option that cannot work. */
export function resolveOptions(given: ClientOptions): Options {
  const { onFull = 'drop-newest', enabled = true, gzip = true } = given
  if (!POLICIES.includes(onFull))
    throw new RangeError(`onFull must be one of ${POLICIES.join(' ')}`)
  const number = (name: NumberName, fallback: number, range: readonly [number, number?]) =>
    numberIn(name, given[name] ?? fallback, range)
  const { messageBytes, batchBytes, batchMessages } = LIMITS
  const maxBatchBytes = number('maxBatchBytes', batchBytes, [ENVELOPE_BYTES + 1])
  const maxMessageBytes = number(
    'maxMessageBytes',
    Math.min(messageBytes, maxBatchBytes - ENVELOPE_BYTES),
    [1, maxBatchBytes - ENVELOPE_BYTES],
  )
  const maxQueueMessages = number('maxQueueMessages', 100_000, [1])
  const flushAt = number('flushAt', given.size ?? 20, [1, batchMessages])
  return {
    ...given,
    endpoint: batchUrl(given.endpoint ?? 'http://localhost:4800'),
    onFull,
    enabled,
    gzip,
    maxBatchBytes,
    maxMessageBytes,
    // A queue that is full must be one that is sent.
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
  [least, most = Infinity]: readonly [number, number?],
): number {
  if (value >= least && value <= most) return value
  throw new RangeError(`${name} must be from ${least} to ${most}`)
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
