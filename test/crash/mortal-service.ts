import { expect } from 'vitest'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'
import { ManagementApi } from '../harness/management-api.ts'
import { freePort } from './free-port.ts'
import type { Load } from './load.ts'
import { ServiceProcess } from './service-process.ts'

const ADMIN_TOKEN = 'tok_crash_test'
const SETTINGS = {
  HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
  HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
  HOOKLINE_RETRY_SCHEDULE_MS: '50,100,200,400',
  HOOKLINE_LOG_LEVEL: 'error',
}

export interface DestinationWanted {
  readonly urls: readonly string[]
  readonly successPolicy: 'any' | 'each'
}

/** What is done to a service in one of its lives. */
export interface Killing {
  readonly kills: number
  readonly longestLifeMs: number
  readonly random: () => number
  /** Called under load, once it is up; the kill waits for it. */
  readonly during?: (life: number) => Promise<void>
  /** Called when it is dead. */
  readonly after?: (life: number) => void
}

/** A service on one data folder and port that is killed again and again, with one source. */
export class MortalService implements AsyncDisposable {
  readonly #folder = new TemporaryFolder()
  readonly #port: number
  #process: ServiceProcess
  readonly #settings: Readonly<Record<string, string>>
  #writeKey = ''
  #destinationIds: readonly string[] = []

  private constructor(port: number, settings: Readonly<Record<string, string>>) {
    this.#port = port
    this.#settings = { ...SETTINGS, ...settings }
    this.#process = this.#start()
  }

  static async open(
    destinations: readonly DestinationWanted[],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<MortalService> {
    const service = new MortalService(await freePort(), settings)
    await service.#isUp()
    await service.#setUp(destinations)
    return service
  }

  /**
   * Kills it so many times under load, each time within `longestLifeMs` of its being up, now and then
   * before: recovery must survive being interrupted. It is up at the end.
   */
  async killUnder(
    load: Load,
    { kills, longestLifeMs, random, during, after }: Killing,
  ): Promise<void> {
    for (let kill = 0; kill < kills; kill++) {
      if (during !== undefined || random() > 0.1) await this.#isUp()
      const stop = new AbortController()
      const sending = load.run(this.#process.url, this.#writeKey, stop.signal)
      await during?.(kill)
      await new Promise((resolve) => setTimeout(resolve, random() * longestLifeMs))
      await this.#process.kill()
      stop.abort()
      await sending
      after?.(kill)
      this.#process = this.#start()
    }
    await this.#isUp()
  }

  get api(): ManagementApi {
    return new ManagementApi(this.#process.url, ADMIN_TOKEN)
  }

  /** Of the destinations, in the order they were asked for. */
  get destinationIds(): readonly string[] {
    return this.#destinationIds
  }

  /** The graceful way, which must succeed. */
  async stop(): Promise<void> {
    expect(await this.#process.stop(), this.#process.said).toBe(0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill()
    this.#folder[Symbol.dispose]()
  }

  #start(): ServiceProcess {
    const dataDir = this.#folder.path
    return new ServiceProcess({ port: this.#port, dataDir, settings: this.#settings })
  }

  async #isUp(): Promise<void> {
    expect(await this.#process.ready(), this.#process.said).toBe(true)
  }

  async #setUp(destinations: readonly DestinationWanted[]): Promise<void> {
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
