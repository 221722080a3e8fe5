import { SHIFTED_CLOCK } from '@hookline/testing/repository'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { freePort } from '@hookline/testing/network/free-port'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { exchange } from '@hookline/testing/network/http-exchange'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { newSource } from '@hookline/testing/service/new-source'

const TOKEN = 'tok_of_the_compatibility_tests'

/** The shared secret of every destination in the suite. */
export const SECRET = 'a shared secret of the compatibility tests'

/** A source with a destination, for one library in one scenario. */
export interface TestedSource {
  readonly sourceId: string
  readonly destinationId: string
  readonly writeKey: string
}

/** A `hookline start` process. When disposed, it checks that no event is unaccounted for. */
export class TestedService implements AsyncDisposable {
  readonly port: number
  /** How far the clock of the service is ahead. */
  readonly aheadMs: number
  readonly #folder = new TemporaryFolder()
  #process: ServiceProcess

  private constructor(port: number, aheadMs: number) {
    this.port = port
    this.aheadMs = aheadMs
    writeFileSync(join(this.#folder.path, 'ahead-ms'), `${aheadMs}`)
    this.#process = this.#start()
  }

  static async open({ aheadMs = 0 } = {}): Promise<TestedService> {
    const service = new TestedService(await freePort(), aheadMs)
    await service.#expectReady()
    return service
  }

  get api(): ManagementApi {
    return new ManagementApi(this.#process.url, TOKEN)
  }

  /** Creates a source, and a destination with this webhook. */
  async createSource(webhookUrl: string): Promise<TestedSource> {
    const { id: sourceId, writeKey } = await newSource(this.api)
    const settings = { sharedSecret: SECRET, webhooks: [{ url: webhookUrl }], successPolicy: 'any' }
    const body = { sourceId, type: 'Webhooks', enabled: true, settings }
    const { id } = await this.api.call<{ id: string }>('POST', 'destinations', body)
    return { sourceId, destinationId: id, writeKey }
  }

  /** The number of requests with this status so far. */
  requestsWith(status: number): Promise<number> {
    const sample = `^hookline_ingest_requests_total\\{[^}]*code="${status}"[^}]*\\} (\\d+)`
    return this.#metric(new RegExp(sample, 'gm'))
  }

  /** Kills with SIGKILL, so that nothing is flushed. */
  kill(): Promise<void> {
    return this.#process.kill()
  }

  /** Restarts the service with the same data and port. */
  async startAgain(): Promise<void> {
    this.#process = this.#start()
    await this.#expectReady()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      expect(await this.#metric(/^hookline_accounting_imbalance (\d+)/gm)).toBe(0)
    } finally {
      await this.#process.stop()
      this.#folder[Symbol.dispose]()
    }
  }

  /** The sum of the samples that match. */
  async #metric(sample: RegExp): Promise<number> {
    const { text } = await exchange(`${this.#process.url}/metrics`, { method: 'GET' })
    return [...text.matchAll(sample)].reduce((sum, [, value]) => sum + Number(value), 0)
  }

  #start(): ServiceProcess {
    const settings = {
      HOOKLINE_ADMIN_TOKEN: TOKEN,
      HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
      HOOKLINE_LOG_LEVEL: 'error',
      ...(this.aheadMs !== 0 && {
        NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
        CLOCK_AHEAD_MS_FILE: join(this.#folder.path, 'ahead-ms'),
      }),
    }
    return new ServiceProcess({
      port: this.port,
      dataDir: join(this.#folder.path, 'data'),
      settings,
    })
  }

  async #expectReady(): Promise<void> {
    expect(await this.#process.ready(), this.#process.stderr).toBe(true)
  }
}
