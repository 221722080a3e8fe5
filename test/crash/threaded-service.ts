import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@hookline/testing/network/free-port'
import type { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { KillableService } from './killable-service.ts'

const PRELOAD = new URL('thread-faults.ts', import.meta.url).href

export const INGEST_THREADS = ['hookline-ingest-1', 'hookline-ingest-2'] as const
export const DELIVERY_THREADS = ['hookline-delivery-1', 'hookline-delivery-2'] as const

/** How a thread is killed: terminated at any instruction, or by an uncaught error. */
export type ThreadEnd = 'terminate' | 'fault'

/** How long a service took to become healthy, in milliseconds. */
export interface RecoveryTimes {
  /** Until a call got a 200. */
  readonly answeredMs: number
  /** Until every webhook had received this call. */
  readonly healthyMs: number
}

/** After this long, the service counts as unhealthy. */
const UNHEALTHY_AFTER_MS = 30_000
const POLL_MS = 5

/** A service process with two threads of each kind, which a test can kill, and its receiver. */
export class ThreadedService implements AsyncDisposable {
  readonly service: KillableService
  readonly #receiver: CountingReceiver
  readonly #paths: readonly string[]
  readonly #faultsUrl: string

  private constructor(
    service: KillableService,
    receiver: CountingReceiver,
    { paths, faultsUrl }: { paths: readonly string[]; faultsUrl: string },
  ) {
    this.service = service
    this.#receiver = receiver
    this.#paths = paths
    this.#faultsUrl = faultsUrl
  }

  /** @param destinations the paths of each destination at the receiver. The policy is `each` if there are several */
  static async open(
    receiver: CountingReceiver,
    destinations: readonly (readonly string[])[],
  ): Promise<ThreadedService> {
    const port = await freePort()
    const service = await KillableService.open(
      destinations.map((paths) => ({
        urls: paths.map((path) => receiver.urlOf(path)),
        successPolicy: paths.length > 1 ? 'each' : 'any',
      })),
      {
        HOOKLINE_INGEST_THREADS: '2',
        HOOKLINE_DELIVERY_THREADS: '2',
        NODE_OPTIONS: `--import=${PRELOAD}`,
        THREAD_FAULTS_PORT: `${port}`,
      },
    )
    const faultsUrl = `http://127.0.0.1:${port}`
    return new ThreadedService(service, receiver, { paths: destinations.flat(), faultsUrl })
  }

  /** Kills a thread. Resolves when it has exited, with false if the service exited first. */
  async end(ending: ThreadEnd, thread: string): Promise<boolean> {
    const until = Date.now() + UNHEALTHY_AFTER_MS
    while (this.service.isRunning && Date.now() < until) {
      const url = `${this.#faultsUrl}/${ending}/${thread}`
      const response = await fetch(url, { method: 'POST' }).catch(() => undefined)
      if (response?.status === 204) return true
      // The thread has not started yet.
      await sleep(POLL_MS)
    }
    return false
  }

  /** Sends calls until one gets a 200, and waits until every webhook has received it. */
  async untilHealthy(accepted: Set<string>): Promise<RecoveryTimes> {
    const start = performance.now()
    const spent = (): number => Math.round(performance.now() - start)
    let messageId = await this.#send()
    while (messageId === undefined && spent() < UNHEALTHY_AFTER_MS) {
      await sleep(POLL_MS)
      messageId = await this.#send()
    }
    const answeredMs = spent()
    if (messageId === undefined) return { answeredMs: Infinity, healthyMs: Infinity }
    accepted.add(messageId)
    const sent = new Set([messageId])
    const isMissing = (): boolean =>
      this.#paths.some((path) => this.#receiver.missing(path, sent) > 0)
    while (isMissing() && spent() < UNHEALTHY_AFTER_MS) await sleep(POLL_MS)
    return { answeredMs, healthyMs: isMissing() ? Infinity : spent() }
  }

  /** The counters of the service, by metric and labels. */
  async counts(): Promise<Map<string, number>> {
    const lines = (await this.#metrics()).split('\n')
    const types = new Map(
      lines.filter((line) => line.startsWith('# TYPE ')).map((line) => typeOf(line)),
    )
    const counted = lines.filter((line) => {
      const [name = ''] = line.split(/[{ ]/, 1)
      const family = name.replace(/_(bucket|sum|count)$/, '')
      return types.get(name) === 'counter' || types.get(family) === 'histogram'
    })
    return new Map(counted.map((line) => valueOf(line)))
  }

  /** The value of a metric without labels. */
  async metric(name: string): Promise<number> {
    const line = (await this.#metrics()).split('\n').find((each) => each.startsWith(`${name} `))
    return line === undefined ? NaN : valueOf(line)[1]
  }

  /** The lines in the log. A line that is not JSON is its own `msg`. */
  get logged(): readonly { readonly msg: string; readonly thread?: string }[] {
    const lines = this.service.stderr.split('\n').filter((line) => line !== '')
    return lines.map((line) => (line.startsWith('{') ? JSON.parse(line) : { msg: line }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
  }

  async #send(): Promise<string | undefined> {
    const messageId = randomUUID()
    const response = await fetch(`${this.service.url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${this.service.writeKey}:`)}` },
      body: JSON.stringify({ event: 'Probe', userId: 'u1', messageId }),
      signal: AbortSignal.timeout(UNHEALTHY_AFTER_MS),
    }).catch(() => undefined)
    await response?.arrayBuffer().catch(() => undefined)
    return response?.status === 200 ? messageId : undefined
  }

  /** Retries, because an exiting thread closes the connections that it forwards to main. */
  async #metrics(): Promise<string> {
    for (;;) {
      const text = await fetch(`${this.service.url}/metrics`)
        .then((response) => response.text())
        .catch(() => undefined)
      if (text !== undefined) return text
      if (!this.service.isRunning) throw new Error(`The service has exited: ${this.service.stderr}`)
      await sleep(POLL_MS)
    }
  }
}

function typeOf(line: string): [name: string, type: string] {
  const [, , name = '', type = ''] = line.split(' ')
  return [name, type]
}

function valueOf(line: string): [series: string, value: number] {
  const end = line.lastIndexOf(' ')
  return [line.slice(0, end), Number(line.slice(end + 1))]
}
