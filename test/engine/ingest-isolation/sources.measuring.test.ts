import { Agent, request } from 'undici'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { caseCount } from '@hookline/testing/run/case-count'
import { MeasuredService } from '@hookline/testing/service/measured-service'

const SECONDS = caseCount('HOOKLINE_TEST_ISOLATION_SECONDS', 15)
const CONNECTIONS = 60
const CALLS = 13
/** The prefix of the property names, which is replaced in each body. */
const PREFIX = 'XXXX'
const AFTER_LIMIT_MS = 100
const KEYS = 2_500
const MAX_MS = 150
const HEALTHY_EVERY_MS = 20
/** The factor by which the attack may slow down a healthy call. */
const MAX_RATIO = 2

interface Attack {
  readonly name: string
  readonly settings?: Readonly<Record<string, string>>
  readonly rateLimit?: number
  readonly keyInBody?: boolean
}

const ATTACKS: readonly Attack[] = [
  { name: 'on the main thread', settings: { HOOKLINE_INGEST_THREADS: '0' } },
  {
    name: 'that exceeds its rate limit',
    settings: { HOOKLINE_INGEST_THREADS: '0' },
    rateLimit: 100,
  },
  {
    name: 'with the key in the bodies',
    settings: { HOOKLINE_INGEST_THREADS: '0' },
    keyInBody: true,
  },
  { name: 'on an ingest thread', settings: { HOOKLINE_INGEST_THREADS: '1' } },
]

test.each(ATTACKS)(
  'calls from a source are hardly slowed down by another source that sends large bodies with many keys ($name)',
  async ({ name, settings = {}, rateLimit, keyInBody = false }) => {
    await using service = new MeasuredService()
    await service.start(settings)
    const attacker = await addSource(service, rateLimit)
    const healthy = await addSource(service)
    const alone = await healthyCalls(service, healthy, 5)
    const stop = new AbortController()
    const attacking = attack(service.url, attacker, { keyInBody, signal: stop.signal })
    const beside = await healthyCalls(service, healthy, SECONDS)
    stop.abort()
    const attacks = await attacking
    console.log(
      `${name}: alone ${shown(alone)}; alongside ${attacks} large bodies ${shown(beside)} (limit ${MAX_MS} ms)`,
    )
    expect(attacks).toBeGreaterThan(0)
    const limit = Math.max(MAX_MS, MAX_RATIO * median(alone))
    expect(median(beside)).toBeLessThan(limit)
  },
  240_000,
)

async function addSource(service: MeasuredService, rateLimit?: number): Promise<string> {
  const source = await service.api.call<{ writeKeys: [{ key: string }] }>('POST', 'sources', {
    name: 'S',
    ...(rateLimit !== undefined && { rateLimit }),
  })
  return source.writeKeys[0].key
}

/** Sends one call after another. Returns their durations in milliseconds, sorted. */
async function healthyCalls(
  service: MeasuredService,
  key: string,
  seconds: number,
): Promise<number[]> {
  await using stack = new AsyncDisposableStack()
  const agent = stack.adopt(new Agent({ connections: 1 }), (each) => each.destroy())
  const until = performance.now() + seconds * 1000
  const durations: number[] = []
  while (performance.now() < until) {
    const startedAt = performance.now()
    const { statusCode, body } = await request(`${service.url}/v1/track`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'x-write-key': key },
      body: JSON.stringify({ event: 'Order Completed', userId: 'u1', messageId: randomUUID() }),
    })
    await body.dump()
    expect(statusCode).toBe(200)
    durations.push(performance.now() - startedAt)
    await sleep(HEALTHY_EVERY_MS)
  }
  return durations.toSorted((a, b) => a - b)
}

/** Sends large bodies until `signal` aborts, one after another on each connection. Resolves with their number. */
async function attack(
  url: string,
  key: string,
  { keyInBody, signal }: { readonly keyInBody: boolean; readonly signal: AbortSignal },
): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const agent = stack.adopt(new Agent({ connections: CONNECTIONS }), (each) => each.destroy())
  const body = largeBody(keyInBody ? key : undefined)
  const headers = keyInBody ? {} : { 'x-write-key': key }
  let sent = 0
  const sender = async (): Promise<void> => {
    while (!signal.aborted) {
      sent++
      // Every body has different keys, because the parser caches known ones.
      const fresh = body.replaceAll(PREFIX, randomBytes(PREFIX.length / 2).toString('hex'))
      const options = { method: 'POST', dispatcher: agent, headers, body: fresh, signal } as const
      const { statusCode, body: answer } = await request(`${url}/v1/batch`, options)
      await answer.dump()
      if (statusCode === 429) await sleep(AFTER_LIMIT_MS)
      else expect(statusCode).toBe(200)
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: CONNECTIONS }, sender))
  for (const each of ended)
    if (each.status === 'rejected' && !signal.aborted) throw each.reason as Error
  return sent
}

/** A body of nearly the maximum request size, with calls of nearly the maximum call size. */
function largeBody(writeKey: string | undefined): string {
  const batch = Array.from({ length: CALLS }, (_, call) => {
    const name = (n: number): string => `${PREFIX}${(n * CALLS + call).toString(36)}`
    const unknown = Array.from({ length: KEYS }, (_each, n) => [name(n), 1])
    return { type: 'track', event: 'E', userId: 'u1', ...Object.fromEntries(unknown) }
  })
  return JSON.stringify({ batch, writeKey })
}

function median(sorted: readonly number[]): number {
  return sorted[sorted.length >> 1]!
}

function shown(sorted: readonly number[]): string {
  const [p50, p99, max] = [0.5, 0.99, 1].map((part) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!.toFixed(1),
  )
  return `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms of ${sorted.length}`
}
