import { type AcceptedEvent, type Source } from '@hookline/protocol'
import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { request } from 'undici'
import type { NewEvent } from '../../src/backend/accepted-event.ts'
import type { Backend } from '../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../src/backend/embedded/open.ts'
import { parseConfig } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { ingestRoutes } from '../../src/ingest/routes.ts'
import type { SettingName } from '../../src/settings.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

export const WRITE_KEY = 'wk_enabled'

interface Sent {
  readonly method?: 'POST' | 'GET' | 'OPTIONS' | 'PUT'
  readonly headers?: Record<string, string>
  /** Strings and bytes are sent unchanged, everything else as JSON. */
  readonly body?: unknown
}

interface JsonResponse {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: Record<string, unknown>
}

/** The ingestion API with one source, on a real socket and backend. `stored` returns the stored events. */
export class IngestHarness implements AsyncDisposable {
  static async open(
    flags: { readonly [S in SettingName]?: string } = {},
    source: Partial<Source> = {},
  ): Promise<IngestHarness> {
    const folder = new TemporaryFolder()
    const config = parseConfig({}, { dataDir: folder.path, ...flags })
    const backend = await openEmbeddedBackend({
      dataDir: folder.path,
      maxWaitingBytes: config.maxWaitingBytes,
    })
    const harness = new IngestHarness(backend, folder, config)
    await harness.putSource(source)
    await harness.server.listen({ host: '127.0.0.1', port: 0 })
    return harness
  }

  readonly clock = new ManualClock()
  readonly metrics = new Metrics()
  readonly logLines: Record<string, unknown>[] = []
  readonly backend: Backend
  readonly server: FastifyInstance
  readonly #folder: TemporaryFolder
  readonly #stop = new AbortController()
  readonly #consuming: Promise<void>
  #events: AcceptedEvent[] = []
  #seen: () => void = () => undefined

  private constructor(
    backend: Backend,
    folder: TemporaryFolder,
    config: ReturnType<typeof parseConfig>,
  ) {
    const logger = pino({ level: 'debug' }, { write: (line) => this.#keepLine(line) })
    this.backend = backend
    this.#folder = folder
    this.server = createHttpServer({ config, logger })
    const { clock, metrics } = this
    const activity = NO_ACTIVITY
    this.server.register(ingestRoutes({ ...backend, activity, clock, config, metrics, logger }))
    this.#consuming = this.#consume()
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port
  }

  putSource(source: Partial<Source>): Promise<void> {
    return this.backend.catalog.putSource({
      id: 'src_enabled',
      name: 'Test',
      enabled: true,
      rateLimit: null,
      writeKeys: [{ key: WRITE_KEY, createdAt: NOON }],
      createdAt: NOON,
      updatedAt: NOON,
      version: 1,
      ...source,
    })
  }

  /** Sends a request with the write key as Basic user name, as most clients do. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<JsonResponse> {
    const credentials = Buffer.from(`${WRITE_KEY}:`).toString('base64')
    return this.send(path, { body, headers: { authorization: `Basic ${credentials}`, ...headers } })
  }

  async send(path: string, { method = 'POST', headers = {}, body }: Sent): Promise<JsonResponse> {
    const sent =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
        ? (body ?? null)
        : JSON.stringify(body)
    const response = await request(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers,
      body: sent,
    })
    const text = await response.body.text()
    return {
      status: response.statusCode,
      headers: response.headers,
      body: JSON.parse(text) as JsonResponse['body'],
    }
  }

  /** The events stored since the last call. It appends an event and waits for it, so an empty list is final. */
  async stored(): Promise<readonly NewEvent[]> {
    const last = acceptedEvent({ sourceId: 'src_of_the_harness' })
    await this.backend.log.append([last])
    while (!this.#events.some(({ id }) => id === last.id)) {
      await new Promise<void>((resolve) => (this.#seen = resolve))
    }
    const events = this.#events.filter(({ id }) => id !== last.id)
    this.#events = []
    return events.map(({ id, sourceId, event, warnings }) => ({ id, sourceId, event, warnings }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close()
    this.#stop.abort()
    await this.#consuming
    await this.backend[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }

  async #consume(): Promise<void> {
    for await (const entries of this.backend.log.consume({ signal: this.#stop.signal })) {
      this.#events.push(...entries.flatMap(({ events }) => events))
      this.#seen()
      // The ack is part of the next write, and code that waits for events does not wait for it.
      await this.backend.log.ack(entries)
    }
  }

  #keepLine(line: string): void {
    this.logLines.push(JSON.parse(line) as Record<string, unknown>)
  }
}
