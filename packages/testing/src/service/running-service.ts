import {
  createLogger,
  openService,
  parseConfig,
  type Service,
  type SettingName,
  variableOf,
} from '@hookline/server'
import { expect } from 'vitest'
import { eventually } from '../run/eventually.ts'
import { TemporaryFolder } from '../files/temporary-folder.ts'
import { backendSettings } from './backend-settings.ts'
import { exchange, type ReceivedResponse } from '../network/http-exchange.ts'
import { imbalances } from './imbalances.ts'
import { ManagementApi } from './management-api.ts'
import type { Trace } from './trace.ts'

/** The number of calls accepted since the last start. */
export const ACCEPTED = 'hookline_ingest_events_total{result="accepted"}'

export type Settings = { readonly [S in SettingName]?: string }

export interface CreatedSource {
  readonly id: string
  readonly writeKey: string
}

export interface DestinationOptions {
  readonly source?: CreatedSource
  readonly urls?: readonly string[]
  readonly webhooks?: readonly {
    readonly url: string
    readonly headers?: object
    readonly auth?: object
    readonly limits?: object
  }[]
  readonly secret?: string
  readonly policy?: 'any' | 'each'
  readonly enabled?: boolean
}

const ADMIN_TOKEN = 'tok_of_the_tests'

const SETTINGS: Settings = {
  // `npm test` uses no threads, to save time; longer suites use one of each kind, regardless of the number of cores.
  ingestThreads: process.env['HOOKLINE_TEST_THREADS'] ?? '1',
  deliveryThreads: process.env['HOOKLINE_TEST_THREADS'] ?? '1',
  port: '0',
  allowedNetworks: '127.0.0.0/8,::1/128',
  adminToken: ADMIN_TOKEN,
}

/** The whole service with a source, on its own data folder, used over HTTP. Disposing of it checks that nothing was lost. */
export class RunningService implements AsyncDisposable {
  /** All log lines at level `warn` and above, or at the level in `logLevel` and above. */
  readonly logLines: Readonly<Record<string, unknown>>[] = []
  readonly #stack = new AsyncDisposableStack()
  readonly #folder = this.#stack.use(new TemporaryFolder())
  #settings: Settings
  #place: Settings | undefined
  #starts = 0
  #service: Service | undefined
  #source: CreatedSource | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async start(): Promise<void> {
    this.#place ??= await backendSettings(this.#stack)
    const settings = {
      ...SETTINGS,
      ...this.#place,
      ...this.#settings,
      dataDir: this.#folder.path,
    }
    const environment = Object.entries(settings).map(([name, value]) => [
      variableOf(name as SettingName),
      value,
    ])
    const config = parseConfig(Object.fromEntries(environment))
    const logger = createLogger(this.#settings.logLevel === undefined ? 'warn' : config.logLevel, {
      write: (line) => this.logLines.push(JSON.parse(line) as Record<string, unknown>),
    })
    this.#service = await openService({
      config,
      logger,
    })
    this.#starts += 1
  }

  /** Starts another node of the same cluster. `discard` stops it. */
  async startNode(changes: Settings = {}): Promise<RunningService> {
    const node = new RunningService({ ...this.#settings, ...changes })
    node.#place = this.#place
    node.#source = this.#source
    await node.start()
    return node
  }

  /** Stops gracefully, and keeps the data for the next start. */
  async stop(): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]()
    this.#service = undefined
  }

  /** Stops gracefully, and starts on the same data, with `changes` to the settings from then on. */
  async restart(changes: Settings = {}): Promise<void> {
    await this.stop()
    this.#settings = { ...this.#settings, ...changes }
    await this.start()
  }

  get dataDir(): string {
    return this.#folder.path
  }

  get url(): string {
    return this.#service!.url
  }

  get token(): string {
    return ADMIN_TOKEN
  }

  get api(): ManagementApi {
    return new ManagementApi(this.url, ADMIN_TOKEN)
  }

  get source(): CreatedSource {
    return this.#source!
  }

  async createSource(): Promise<CreatedSource> {
    const created = await this.api.call<{ id: string; writeKeys: { key: string }[] }>(
      'POST',
      'sources',
      { name: 'Test' },
    )
    const source = { id: created.id, writeKey: created.writeKeys[0]!.key }
    this.#source ??= source
    return source
  }

  /** Creates a destination, enabled by default. Resolves to its id. */
  async createDestination(options: DestinationOptions): Promise<string> {
    const body = destinationBody(options, options.source ?? this.source)
    return (await this.api.call<{ id: string }>('POST', 'destinations', body)).id
  }

  /** Sends calls to the ingestion API. A string is sent unchanged, everything else as JSON. */
  send(path: string, body: unknown, source = this.source): Promise<ReceivedResponse> {
    const credentials = Buffer.from(`${source.writeKey}:`).toString('base64')
    return exchange(this.url + path, {
      headers: { 'Content-Type': 'application/json', Authorization: `Basic ${credentials}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }

  /** Sends a track call that must be accepted. Resolves to its messageId. */
  async track(messageId: string, more: object = {}): Promise<string> {
    const call = { type: 'track', messageId, userId: 'u1', event: 'Order Completed', ...more }
    const response = await this.send('/v1/track', call)
    expect(response).toMatchObject({ status: 200, text: '{"success":true}' })
    return messageId
  }

  async trace(messageId: string): Promise<Trace> {
    const query = new URLSearchParams({ messageId })
    const { data } = await this.api.call<{ data: { id: string }[] }>(
      'GET',
      `events?${query.toString()}`,
    )
    expect(data[0], `an event with the messageId ${messageId}`).toBeDefined()
    return this.api.call<Trace>('GET', `events/${data[0]!.id}`)
  }

  /** The trace once every destination has declined the event or its delivery is final. */
  endOf(messageId: string): Promise<Trace> {
    return this.eventually(async () => {
      const trace = await this.trace(messageId)
      expect(trace.decisions.map(({ decision }) => decision)).not.toContain('pending')
      expect(trace.deliveries.map(({ state }) => state)).not.toContain('pending')
      return trace
    })
  }

  eventually<T>(check: () => T | Promise<T>): Promise<T> {
    return eventually(check)
  }

  /** The current value of a metric, or 0 if it has none. `sample` is its name with labels. */
  async metric(sample: string): Promise<number> {
    const { text } = await exchange(`${this.url}/metrics`, { method: 'GET' })
    const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
    return Number(line?.slice(sample.length) ?? 0)
  }

  /** Stops, and removes the data. Does not check for lost events, because that takes minutes if there are many events. */
  async discard(): Promise<void> {
    await this.stop()
    await this.#stack.disposeAsync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.eventually(async () => {
        // Each start resets the counter.
        const accepted = this.#starts > 1 ? undefined : await this.metric(ACCEPTED)
        expect(await imbalances(this.api, accepted)).toEqual([])
        expect(await this.metric('hookline_accounting_imbalance')).toBe(0)
      })
    } finally {
      await this.discard()
    }
  }
}

export async function startService(
  options: { readonly settings?: Settings } = {},
): Promise<RunningService> {
  const service = new RunningService(options.settings ?? {})
  await service.start()
  await service.createSource()
  return service
}

function destinationBody(options: DestinationOptions, source: CreatedSource): object {
  const { urls = [], webhooks = urls.map((url) => ({ url })), secret, policy, enabled } = options
  return {
    sourceId: source.id,
    type: 'Webhooks',
    enabled: enabled ?? true,
    settings: {
      webhooks,
      ...(secret !== undefined && { sharedSecret: secret }),
      ...(policy !== undefined && { successPolicy: policy }),
    },
  }
}
