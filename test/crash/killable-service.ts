import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { ManagementApi } from '@hookline/testing/service/management-api'
import type { Load } from '@hookline/testing/service/load'
import { ServiceProcess } from '@hookline/testing/service/service-process'

const ADMIN_TOKEN = 'tok_crash_test'
const SETTINGS = {
  HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
  HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
  HOOKLINE_RETRY_SCHEDULE: '50,100,200,400',
  HOOKLINE_LOG_LEVEL: 'error',
}

const CALLS_A_RUN = 30

export interface DestinationOptions {
  readonly urls: readonly string[]
  readonly successPolicy: 'any' | 'each'
}

/** How often and when to kill the service. A run is the time from startup to the next kill. */
export interface KillOptions {
  readonly kills: number
  /** The longest time from ready to kill. */
  readonly maxUptimeMs: number
  readonly random: () => number
  /** The number of calls with a 200. A service that was ready accepts 30 more before it is killed, even on a slow machine. */
  readonly accepted?: () => number
  /** Whether the service may exit before the kill. If so, it need not become ready. */
  readonly mayEnd?: (run: number) => boolean
  /** Called under load when the service is ready. The kill waits for it. */
  readonly during?: (run: number) => Promise<void>
  /** Called when the process has exited. */
  readonly after?: (run: number) => void
}

/** A service with one source that is killed and restarted with the same data folder and port. */
export class KillableService implements AsyncDisposable {
  readonly #folder = new TemporaryFolder()
  readonly #dataDir: string
  readonly #port: number
  #process: ServiceProcess
  readonly #settings: Readonly<Record<string, string>>
  #writeKey = ''
  #destinationIds: readonly string[] = []

  private constructor(
    port: number,
    settings: Readonly<Record<string, string>>,
    dataDir: string | undefined,
  ) {
    this.#port = port
    this.#dataDir = dataDir ?? this.#folder.path
    this.#settings = { ...SETTINGS, ...settings }
    this.#process = this.#start()
  }

  /** @param dataDir default: a temporary folder */
  static async open(
    destinations: readonly DestinationOptions[],
    settings: Readonly<Record<string, string>> = {},
    dataDir?: string,
  ): Promise<KillableService> {
    const service = new KillableService(await freePort(), settings, dataDir)
    await service.#expectReady()
    await service.#setUp(destinations)
    return service
  }

  /**
   * Kills the service `kills` times under load, within `maxUptimeMs` after it is ready. One kill in ten may happen before it is
   * ready, because recovery must also survive an interruption. The service is ready at the end.
   */
  async killUnderLoad(load: Pick<Load, 'run'>, options: KillOptions): Promise<void> {
    const { kills, maxUptimeMs, random, accepted, during, after } = options
    for (let run = 0; run < kills; run++) {
      const before = accepted?.() ?? 0
      const isReady = await this.#isReadyFor(run, options)
      const stop = new AbortController()
      const sending = load.run(this.#process.url, this.#writeKey, stop.signal)
      await during?.(run)
      await sleep(random() * maxUptimeMs)
      if (accepted && isReady)
        await expect.poll(accepted, { interval: 5 }).toBeGreaterThanOrEqual(before + CALLS_A_RUN)
      await this.#process.kill()
      stop.abort()
      await sending
      after?.(run)
      this.#process = this.#start()
    }
    await this.#expectReady()
  }

  /** Waits until the service is ready, if the run requires it. */
  async #isReadyFor(run: number, { random, mayEnd, during }: KillOptions): Promise<boolean> {
    if (mayEnd?.(run)) {
      await this.#process.ready()
      return false
    }
    if (during === undefined && random() <= 0.1) return false
    await this.#expectReady()
    return true
  }

  /** Kills and restarts the service. */
  async restart(): Promise<void> {
    await this.#process.kill()
    this.#process = this.#start()
    await this.#expectReady()
  }

  /** Stops the service gracefully, which must succeed, and restarts it. */
  async restartGracefully(): Promise<void> {
    await this.stop()
    this.#process = this.#start()
    await this.#expectReady()
  }

  get isRunning(): boolean {
    return this.#process.isRunning()
  }

  get exitCode(): number | null {
    return this.#process.exitCode
  }

  /** The stderr of the current process. */
  get stderr(): string {
    return this.#process.stderr
  }

  get url(): string {
    return this.#process.url
  }

  get writeKey(): string {
    return this.#writeKey
  }

  get api(): ManagementApi {
    return new ManagementApi(this.#process.url, ADMIN_TOKEN)
  }

  /** The ids of the destinations, in the order of `open`. */
  get destinationIds(): readonly string[] {
    return this.#destinationIds
  }

  /** Stops the service gracefully, which must succeed. */
  async stop(): Promise<void> {
    expect(await this.#process.stop(), this.#process.stderr).toBe(0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill()
    this.#folder[Symbol.dispose]()
  }

  #start(): ServiceProcess {
    const [port, dataDir, settings] = [this.#port, this.#dataDir, this.#settings]
    return new ServiceProcess({ port, dataDir, settings })
  }

  async #expectReady(): Promise<void> {
    expect(await this.#process.ready(), this.#process.stderr).toBe(true)
  }

  async #setUp(destinations: readonly DestinationOptions[]): Promise<void> {
    const { api } = this
    const source = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
      name: 'S',
    })
    const ids: string[] = []
    for (const { urls, successPolicy } of destinations) {
      const webhooks = urls.map((url) => ({ url }))
      const { id } = await api.call<{ id: string }>('POST', 'destinations', {
        sourceId: source.id,
        type: 'Webhooks',
        enabled: true,
        settings: { sharedSecret: 'crash-test-secret', webhooks, successPolicy },
      })
      ids.push(id)
    }
    this.#destinationIds = ids
    this.#writeKey = source.writeKeys[0].key
  }
}
