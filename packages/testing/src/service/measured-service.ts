import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { TemporaryFolder } from '../files/temporary-folder.ts'
import { ServiceProcess } from './service-process.ts'
import { freePort } from '../network/free-port.ts'
import { ManagementApi } from './management-api.ts'

const ADMIN_TOKEN = 'tok_parked_test'
const SENDERS = 8
const CALLS = 20
const AFTER_REFUSAL_MS = 200

/** The service in a separate process with its own data folder, for tests that measure it under load. */
export class MeasuredService implements AsyncDisposable {
  readonly #folder = new TemporaryFolder()
  #process: ServiceProcess | undefined
  authorization = ''

  get databaseFile(): string {
    return `${this.#folder.path}/hookline.db`
  }

  async start(
    settings: Readonly<Record<string, string>> = {},
    { openFiles }: { readonly openFiles?: number } = {},
  ): Promise<void> {
    this.#process = new ServiceProcess({
      port: await freePort(),
      dataDir: this.#folder.path,
      openFiles,
      settings: {
        HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
        HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
        HOOKLINE_LOG_LEVEL: 'error',
        ...settings,
      },
    })
    if (!(await this.#process.ready())) throw new Error(this.#process.stderr)
  }

  async stop(): Promise<void> {
    const code = await this.#process?.stop()
    if (code !== 0) throw new Error(`The service exited with ${code}: ${this.#process?.stderr}`)
  }

  async kill(): Promise<void> {
    await this.#process?.kill()
  }

  get api(): ManagementApi {
    return new ManagementApi(this.#process!.url, ADMIN_TOKEN)
  }

  /** Creates a source with a destination for each URL. Later calls use this source. */
  async addSource(...webhookUrls: readonly string[]): Promise<void> {
    const source = await this.api.call<{ id: string; writeKeys: [{ key: string }] }>(
      'POST',
      'sources',
      {
        name: 'S',
      },
    )
    for (const url of webhookUrls) {
      await this.api.call('POST', 'destinations', {
        sourceId: source.id,
        type: 'Webhooks',
        enabled: true,
        settings: { webhooks: [{ url }] },
      })
    }
    this.authorization = `Basic ${btoa(`${source.writeKeys[0].key}:`)}`
  }

  logged(message: string): number {
    const lines = this.#process!.stderr.split('\n')
    return lines.filter((line) => line.includes(`"msg":"${message}"`)).length
  }

  /** The sum of a metric over all its labels. */
  async gauge(name: string): Promise<number> {
    const text = await (await fetch(`${this.#process!.url}/metrics`)).text()
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))]
    return values.reduce((sum, [, value]) => sum + Number(value), 0)
  }

  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.#process!.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1024
  }

  get pid(): number {
    return this.#process!.pid
  }

  get url(): string {
    return this.#process!.url
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** The delay of the event loop since the metrics were last read, also by `gauge`. */
  async eventLoop(): Promise<{ eventLoopP99Ms: number; eventLoopMaxMs: number }> {
    const text = await (await fetch(`${this.#process!.url}/metrics`)).text()
    const milliseconds = (name: string): number =>
      Math.round(
        1000 *
          Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)![1]),
      )
    return { eventLoopP99Ms: milliseconds('p99'), eventLoopMaxMs: milliseconds('max') }
  }

  async livez(): Promise<void> {
    const response = await fetch(`${this.#process!.url}/livez`)
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`/livez responded with ${response.status}.`)
  }

  /** Sends calls from several senders, each without pauses. */
  async load(seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000
    const sender = async (): Promise<void> => {
      while (performance.now() < end) await this.send(CALLS)
    }
    await Promise.all(Array.from({ length: SENDERS }, sender))
  }

  /** Sends a batch. Returns the messageIds of the accepted calls. */
  async send(count: number): Promise<string[]> {
    const batch = newBatch(count)
    const status = await this.#post(batch)
    if (status !== 200) throw new Error(`Unexpected status ${status}.`)
    return batch.map(({ messageId }) => messageId)
  }

  /** Sends a batch, and repeats it while the response is 503. Returns the number of 503s. */
  async sendUntilAccepted(count: number): Promise<number> {
    const batch = newBatch(count)
    for (let refused = 0; ; refused++) {
      const status = await this.#post(batch)
      if (status === 200) return refused
      if (status !== 503) throw new Error(`Unexpected status ${status}.`)
      await new Promise((resolve) => setTimeout(resolve, AFTER_REFUSAL_MS))
    }
  }

  /** Opens a connection to the live tail, starting after the message `lastId` if given. */
  async live({
    lastId,
    topics = 'activity',
    signal,
  }: {
    lastId?: string
    topics?: string
    signal: AbortSignal
  }): Promise<Response> {
    const answer = await fetch(`${this.#process!.url}/api/v1/live?topics=${topics}`, {
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      },
      signal,
    })
    if (answer.status !== 200) throw new Error(`Unexpected status ${answer.status}.`)
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.kill()
    this.#folder[Symbol.dispose]()
  }

  async #post(batch: readonly object[]): Promise<number> {
    const answer = await fetch(`${this.#process!.url}/v1/batch`, {
      method: 'POST',
      headers: { authorization: this.authorization },
      body: JSON.stringify({ batch }),
    })
    await answer.arrayBuffer()
    return answer.status
  }
}

function newBatch(count: number): readonly { readonly messageId: string }[] {
  const properties = { acceptedAt: performance.timeOrigin + performance.now() }
  return Array.from({ length: count }, () => ({
    type: 'track',
    event: 'Order Completed',
    userId: 'u1',
    messageId: randomUUID(),
    properties,
  }))
}
