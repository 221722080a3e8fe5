import { setTimeout as sleep } from 'node:timers/promises'
import {
  asService,
  openReceiver,
  type Receiver,
  type ReceiverOptions,
} from '@hookline/testing/receiver/receiver'
import { arrivedBatches, type ArrivedMessage } from '@hookline/testing/client/arrived-batches'
import type { ClientAdapter, AdaptedClient, AdapterOptions } from './client-adapter.ts'

export interface Behaviour {
  /** Completes "the client …", or has `flush` or `close` as its subject. */
  readonly name: string
  /** Rejects if the client behaves differently. */
  readonly check: (client: ClientAdapter) => Promise<void>
}

/** A client and the misbehaving receiver that it sends to. */
export class Exchange implements AsyncDisposable {
  readonly receiver: Receiver
  readonly client: AdaptedClient

  constructor(receiver: Receiver, client: AdaptedClient) {
    this.receiver = receiver
    this.client = client
  }

  /** Makes `count` track calls whose event names are numbers, starting with `first`. */
  async track(count: number, first = 0): Promise<void> {
    for (let index = first; index < first + count; index++) await this.client.track(String(index))
  }

  /** The messages in each request that arrived. */
  get batches(): (readonly ArrivedMessage[])[] {
    return arrivedBatches(this.receiver.requests).map(({ batch }) => batch)
  }

  /** The events that arrived, in the order of arrival. */
  get events(): string[] {
    return this.batches.flatMap((batch) => batch.map(({ event }) => event ?? ''))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.receiver.respond = asService(200)
    // Some clients never finish closing.
    await Promise.race([this.client.close(100).catch(() => {}), sleep(2_000)])
    this.client.end?.()
    await this.receiver[Symbol.asyncDispose]()
  }
}

export async function openExchange(
  adapter: ClientAdapter,
  respond: NonNullable<ReceiverOptions['respond']>,
  options: Partial<AdapterOptions> = {},
): Promise<Exchange> {
  const receiver = await openReceiver({ respond: asService(respond) })
  const endpoint = `http://127.0.0.1:${receiver.port}`
  return new Exchange(receiver, await adapter.create({ endpoint, ...options }))
}

/** The event names of `count` calls. */
export function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index))
}

/** Resolves when the condition holds. Rejects after `withinMs`. */
export async function until(condition: () => boolean, withinMs: number): Promise<void> {
  const endsAt = performance.now() + withinMs
  while (!condition()) {
    if (performance.now() > endsAt)
      throw new Error(`the condition did not hold within ${withinMs} ms`)
    await sleep(5)
  }
}
