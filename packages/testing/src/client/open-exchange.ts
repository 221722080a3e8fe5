import { Analytics, type ClientOptions, type ReportedError } from '@hookline/client'
import { ManualClock } from '../clocks/manual-clock.ts'
import {
  asService,
  openReceiver,
  type Receiver,
  type ReceiverOptions,
} from '../receiver/receiver.ts'
import type { Clock } from '../../../client/src/clock.ts'
import { type ArrivedBatch, arrivedBatches, type ArrivedMessage } from './arrived-batches.ts'

interface ExchangeOptions extends ClientOptions {
  readonly respond?: ReceiverOptions['respond']
  readonly clock?: Clock
  readonly random?: () => number
}

export class Exchange implements AsyncDisposable {
  readonly receiver: Receiver
  readonly analytics: Analytics
  readonly errors: ReportedError[] = []
  readonly #clock: Clock | undefined

  constructor(receiver: Receiver, { respond: _, clock, random, ...options }: ExchangeOptions) {
    this.receiver = receiver
    this.#clock = clock
    this.analytics = new Analytics(
      'wk_test',
      {
        endpoint: `http://127.0.0.1:${receiver.port}`,
        onError: (error) => this.errors.push(error),
        ...options,
      },
      { ...(clock && { clock }), ...(random && { random }) },
    )
  }

  /** Makes `count` track calls with consecutive numbers as event names, starting with `first`. */
  track(count: number, first = 0): void {
    for (let index = first; index < first + count; index++) {
      this.analytics.track({ userId: 'u1', event: String(index) })
    }
  }

  get batches(): ArrivedBatch[] {
    return arrivedBatches(this.receiver.requests)
  }

  get messages(): ArrivedMessage[] {
    return this.batches.flatMap(({ batch }) => batch)
  }

  get events(): number[] {
    return this.messages.map(({ event }) => Number(event))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.analytics.close({ timeoutMs: 1 }).catch(() => {})
    if (this.#clock instanceof ManualClock) this.#clock.advance(1)
    await closed
    await this.receiver[Symbol.asyncDispose]()
  }
}

/** Opens a client and a receiver that responds with `respond`; a 200, the default, has the body that the service sends. */
export async function openExchange(options: ExchangeOptions = {}): Promise<Exchange> {
  const respond = asService(options.respond ?? 200)
  return new Exchange(await openReceiver({ respond }), options)
}
