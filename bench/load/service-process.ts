import { ManagementApi } from '@hookline/testing/service/management-api'
import type { SettingName } from '@hookline/server'
import { Child, type Usage } from './child.ts'
import { temporaryDataDir } from './temporary-data-dir.ts'
import { environmentOf, type Threads } from './threads.ts'

export interface BenchSource {
  readonly id: string
  readonly writeKey: string
  readonly destinationIds: readonly string[]
}

/** Settings of the service, as a user would write them. */
export type Settings = { readonly [S in SettingName]?: string }

/** Hookline with production settings in a separate process. */
export class ServiceProcess implements AsyncDisposable {
  readonly program: Child
  readonly #url: string
  readonly api: ManagementApi
  readonly #temporary: Disposable | undefined

  private constructor(
    child: Child,
    ready: { url: string; adminToken: string },
    temporary?: Disposable,
  ) {
    this.program = child
    this.#url = ready.url
    this.api = new ManagementApi(ready.url, ready.adminToken)
    this.#temporary = temporary
  }

  /**
   * Starts on `dataDir`, or on a temporary folder that is removed at the end. Resolves when it accepts calls.
   * @param coverage a folder for the coverage of its code and the number of its messages between threads
   */
  static async start(
    dataDir?: string,
    threads?: Threads,
    settings: Settings = {},
    coverage?: string,
  ): Promise<ServiceProcess> {
    const temporary = dataDir === undefined ? temporaryDataDir() : undefined
    const [child, ready] = await Child.start(
      'hookline-server.ts',
      [dataDir ?? temporary!.path, JSON.stringify(settings)],
      { ...(threads && environmentOf(threads)), ...(coverage && { NODE_V8_COVERAGE: coverage }) },
    )
    return new ServiceProcess(child, ready as { url: string; adminToken: string }, temporary)
  }

  get port(): number {
    return Number(new URL(this.#url).port)
  }

  /** Creates a source with a destination for each URL. */
  async addSource(...webhookUrls: string[]): Promise<BenchSource> {
    const source = await this.api.call<{ id: string; writeKeys: [{ key: string }] }>(
      'POST',
      'sources',
      {
        name: 'bench',
      },
    )
    const destinationIds: string[] = []
    for (const url of webhookUrls) {
      const { id } = await this.api.call<{ id: string }>('POST', 'destinations', {
        sourceId: source.id,
        type: 'Webhooks',
        enabled: true,
        settings: { sharedSecret: SECRET, webhooks: [{ url }] },
      })
      destinationIds.push(id)
    }
    return { id: source.id, writeKey: source.writeKeys[0].key, destinationIds }
  }

  /** Whether it accepts calls with the key, which another node may have created. Sends an empty batch, which stores nothing. */
  async accepts(writeKey: string): Promise<boolean> {
    const headers = { authorization: `Basic ${btoa(`${writeKey}:`)}` }
    const body = JSON.stringify({ batch: [] })
    return (await fetch(`${this.#url}/v1/batch`, { method: 'POST', headers, body })).status !== 401
  }

  async send({ writeKey }: BenchSource, call: object): Promise<void> {
    const headers = { authorization: `Basic ${btoa(`${writeKey}:`)}` }
    const body = JSON.stringify(call)
    const { status } = await fetch(`${this.#url}/v1/track`, { method: 'POST', headers, body })
    if (status !== 200) throw new Error(`The service responded with ${status}.`)
  }

  async usage(): Promise<Usage> {
    return this.program.usage()
  }

  /** The p99 delay of its event loop since the previous call, in milliseconds; `null` for the first call. */
  async loopDelayP99Ms(): Promise<number | null> {
    return (await this.program.request({ name: 'loop delay' })) as number | null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]()
    this.#temporary?.[Symbol.dispose]()
  }
}

/** The shared secret that every side signs deliveries with. */
export const SECRET = 'a shared secret for the bench'
