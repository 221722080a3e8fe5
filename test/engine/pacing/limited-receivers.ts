import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Whether a request that arrives at `now` (in milliseconds) is accepted. */
type Limiter = (now: number) => boolean

/** A token bucket that refills continuously, with a capacity of one second (at least one request). */
function tokenBucket(perSecond: number): Limiter {
  const size = Math.max(1, perSecond)
  let tokens = size
  let filledAt = 0
  return (now) => {
    tokens = Math.min(size, tokens + ((now - filledAt) / 1_000) * perSecond)
    filledAt = now
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

/** Like nginx's `limit_req` without a burst: refuses requests within one interval after an accepted one. */
function leakyBucket(perSecond: number): Limiter {
  let acceptedAt = -Infinity
  return (now) => {
    if (now - acceptedAt < 1_000 / perSecond) return false
    acceptedAt = now
    return true
  }
}

const LIMITERS = { token: tokenBucket, leaky: leakyBucket }

export interface Limit {
  readonly bucket: keyof typeof LIMITERS
  readonly perSecond: number
  readonly status: 429 | 503
  /** Whether throttled responses have `Retry-After: 1`. */
  readonly hasRetryAfter: boolean
}

/** The requests to a receiver in each second since it was opened. */
export interface RequestCounts {
  readonly requests: number[]
  readonly accepted: number[]
}

/** Receivers with rate limits, in a separate thread, so that the sender's event loop does not delay them. */
export class LimitedReceivers implements AsyncDisposable {
  readonly urls: readonly string[]
  readonly #worker: Worker

  private constructor(worker: Worker, urls: readonly string[]) {
    this.#worker = worker
    this.urls = urls
  }

  static async open(limits: readonly Limit[]): Promise<LimitedReceivers> {
    const worker = new Worker(new URL(import.meta.url), { workerData: limits })
    const [urls] = (await once(worker, 'message')) as [readonly string[]]
    return new LimitedReceivers(worker, urls)
  }

  async got(): Promise<readonly RequestCounts[]> {
    this.#worker.postMessage('got')
    const [got] = (await once(this.#worker, 'message')) as [readonly RequestCounts[]]
    return got
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}

async function openReceiver(limit: Limit): Promise<RequestCounts & { readonly url: string }> {
  const accepts = LIMITERS[limit.bucket](limit.perSecond)
  const openedAt = performance.now()
  const got: RequestCounts = { requests: [], accepted: [] }
  const server = createServer((request, response) => {
    const now = performance.now()
    const second = Math.floor((now - openedAt) / 1_000)
    const isAccepted = accepts(now)
    got.requests[second] = (got.requests[second] ?? 0) + 1
    if (isAccepted) got.accepted[second] = (got.accepted[second] ?? 0) + 1
    const headers = limit.hasRetryAfter && !isAccepted ? { 'Retry-After': '1' } : {}
    const status = isAccepted ? 200 : limit.status
    request.resume().on('end', () => response.writeHead(status, headers).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { ...got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

if (!isMainThread && parentPort !== null && Array.isArray(workerData)) {
  const receivers = await Promise.all((workerData as readonly Limit[]).map(openReceiver))
  parentPort.postMessage(receivers.map(({ url }) => url))
  parentPort.on('message', () =>
    parentPort!.postMessage(receivers.map(({ requests, accepted }) => ({ requests, accepted }))),
  )
}
