import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import type { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { readDatabase } from '@hookline/testing/files/database-after-cut'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { freePort } from '@hookline/testing/network/free-port'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { newDestination, newSource, sendTo } from '@hookline/testing/service/new-source'

const ADMIN_TOKEN = 'tok_torture'
const NOTE = 'x'.repeat(1000)

/** A service in its own process, with one source and one webhook. Records the messageIds of calls with a 200. */
export class SendingService implements AsyncDisposable {
  readonly accepted = new Set<string>()
  readonly adminToken = ADMIN_TOKEN
  readonly #dataDir: string
  readonly #settings: Readonly<Record<string, string>>
  #process: ServiceProcess | undefined
  #writeKey = ''

  constructor(dataDir: string, settings: Readonly<Record<string, string>> = {}) {
    this.#dataDir = dataDir
    this.#settings = settings
  }

  async start(settings = this.#settings): Promise<void> {
    const service = new ServiceProcess({
      port: await freePort(),
      dataDir: this.#dataDir,
      settings: {
        HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
        HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
        HOOKLINE_LOG_LEVEL: 'error',
        ...settings,
      },
    })
    this.#process = service
    expect(await service.ready(), service.stderr).toBe(true)
  }

  async setUp(receiver: CountingReceiver): Promise<void> {
    const api = new ManagementApi(this.process.url, ADMIN_TOKEN)
    const { id, writeKey } = await newSource(api)
    await newDestination(api, id, receiver.urlOf('hook'))
    this.#writeKey = writeKey
  }

  get writeKey(): string {
    return this.#writeKey
  }

  get process(): ServiceProcess {
    return this.#process!
  }

  /** Sends a batch of ten calls. Resolves with the status. */
  async send(): Promise<number> {
    const batch = Array.from({ length: 10 }, () => ({
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      messageId: randomUUID(),
      properties: { note: NOTE },
    }))
    const { status } = await sendTo(`${this.process.url}/v1/batch`, this.#writeKey, { batch })
    if (status === 200) for (const { messageId } of batch) this.accepted.add(messageId)
    return status
  }

  /** The number of calls with a 200 that are missing from the database. The process must have exited. */
  lost(): number {
    return this.accepted.difference(readDatabase(this.#dataDir).messageIds).size
  }

  async readiness(): Promise<number> {
    return (await fetch(`${this.process.url}/readyz`)).status
  }

  /** Resolves when the service accepts calls and is ready. */
  async recovered(): Promise<void> {
    await eventually(async () => {
      expect(await this.send()).toBe(200)
      expect(await this.readiness()).toBe(200)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.kill()
  }
}
