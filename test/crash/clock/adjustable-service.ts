import { SHIFTED_CLOCK } from '@hookline/testing/repository'
import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { KillableService } from '../killable-service.ts'

/** A service process with an adjustable clock, and its receiver. */
export class AdjustableService implements AsyncDisposable {
  readonly receiver: CountingReceiver
  readonly service: KillableService
  /** The messageIds of all calls. */
  readonly sent = new Set<string>()
  readonly #clockFile: string
  readonly #stack: AsyncDisposableStack

  private constructor(
    parts: { receiver: CountingReceiver; service: KillableService; clockFile: string },
    stack: AsyncDisposableStack,
  ) {
    this.receiver = parts.receiver
    this.service = parts.service
    this.#clockFile = parts.clockFile
    this.#stack = stack
  }

  static async open(): Promise<AdjustableService> {
    await using stack = new AsyncDisposableStack()
    const clockFile = join(stack.use(new TemporaryFolder()).path, 'ahead-ms')
    writeFileSync(clockFile, '0')
    const receiver = stack.use(await CountingReceiver.open({ random: () => 1, failing: 0 }))
    const urls = [receiver.urlOf('hook')]
    const service = stack.use(
      await KillableService.open([{ urls, successPolicy: 'any' }], {
        NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
        CLOCK_AHEAD_MS_FILE: clockFile,
        HOOKLINE_RETRY_SCHEDULE: '500,1000,2000',
      }),
    )
    return new AdjustableService({ receiver, service, clockFile }, stack.move())
  }

  /** Sets the clock of the process, and waits until the process has noticed. */
  async setClock(aheadMs: number): Promise<void> {
    this.#writeClock(aheadMs)
    const seen = (): string => readFileSync(`${this.#clockFile}.seen`, 'utf8')
    await expect.poll(seen).toBe(`${aheadMs}`)
  }

  /** Kills the process and restarts it with its clock ahead. */
  async killAndSetClock(aheadMs: number): Promise<void> {
    this.#writeClock(aheadMs)
    await this.service.restart()
  }

  /** Sends calls, which the service must accept. */
  async send(count: number): Promise<void> {
    const batch = Array.from({ length: count }, () => ({
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      messageId: randomUUID(),
    }))
    const response = await fetch(`${this.service.url}/v1/batch`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${this.service.writeKey}:`)}` },
      body: JSON.stringify({ batch }),
    })
    expect(response.status).toBe(200)
    for (const { messageId } of batch) this.sent.add(messageId)
  }

  /** The number of calls that the receiver has not accepted. */
  get missing(): number {
    return this.receiver.missing('hook', this.sent)
  }

  /** The note of `/readyz` about the clock. The service must be ready. */
  async clockNote(): Promise<string | undefined> {
    const response = await fetch(`${this.service.url}/readyz`)
    expect(response.status).toBe(200)
    const { checks } = (await response.json()) as { checks: { clock: { note?: string } } }
    return checks.clock.note
  }

  /** The value of a metric. `name` includes the labels as printed. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.service.url}/metrics`)).text()
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return Number(line?.slice(name.length))
  }

  /** The number of deliveries in this state. */
  async count(state: string): Promise<number> {
    const path = `deliveries?state=${state}&limit=200`
    return (await this.service.api.call<{ data: unknown[] }>('GET', path)).data.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }

  /** Atomic, because the process may read the file at any time. */
  #writeClock(aheadMs: number): void {
    writeFileSync(`${this.#clockFile}.new`, `${aheadMs}`)
    renameSync(`${this.#clockFile}.new`, this.#clockFile)
  }
}
