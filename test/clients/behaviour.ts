import {
  openReceiver,
  type Receiver,
  type ReceiverOptions,
} from '../../packages/server/test/harness/receiver.ts'
import {
  arrivedBatches,
  type ArrivedMessage,
} from '../../packages/client/test/harness/arrived-batches.ts'
import type { ClientAdapter, DrivenClient, DrivenOptions } from './client-adapter.ts'

/** What a client is expected to do. */
export interface Behaviour {
  /** A sentence whose subject is the client. */
  readonly name: string
  /** Rejects where the client does not do it. */
  readonly check: (client: ClientAdapter) => Promise<void>
}

/** A server that misbehaves as it is told, and a client that sends to it. */
export class Stage implements AsyncDisposable {
  readonly receiver: Receiver
  readonly client: DrivenClient

  constructor(receiver: Receiver, client: DrivenClient) {
    this.receiver = receiver
    this.client = client
  }

  /** Tracks events named by their number. */
  track(count: number, first = 0): void {
    for (let index = first; index < first + count; index++) this.client.track(String(index))
  }

  /** Messages of each request that came. */
  get batches(): (readonly ArrivedMessage[])[] {
    return arrivedBatches(this.receiver.requests).map(({ batch }) => batch)
  }

  /** The events that arrived, in their order. */
  get events(): string[] {
    return this.batches.flatMap((batch) => batch.map(({ event }) => event ?? ''))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.receiver.respond = () => 200
    // A client may never be done; what it did until here is known.
    await Promise.race([this.client.close(100).catch(() => {}), wait(2_000)])
    await this.receiver[Symbol.asyncDispose]()
  }
}

export async function openStage(
  adapter: ClientAdapter,
  respond: NonNullable<ReceiverOptions['respond']>,
  options: Partial<DrivenOptions> = {},
): Promise<Stage> {
  const receiver = await openReceiver({ respond })
  const endpoint = `http://127.0.0.1:${receiver.port}`
  return new Stage(receiver, adapter.create({ endpoint, ...options }))
}

/** The events of so many calls. */
export function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index))
}

/** Resolves once the condition holds; rejects after `withinMs`. */
export async function until(condition: () => boolean, withinMs: number): Promise<void> {
  const endsAt = performance.now() + withinMs
  while (!condition()) {
    if (performance.now() > endsAt) throw new Error(`not within ${withinMs} ms`)
    await wait(5)
  }
}

/** Resolves after so many milliseconds. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
