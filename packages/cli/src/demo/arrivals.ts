import type { ReceivedDelivery, ReceivedRequest } from '../receiver/received-delivery.ts'
import type { SampleCall } from './sample-calls.ts'

/** Records which of the demo's calls were delivered, and its deletion notice. */
export class Arrivals {
  /** Resolves when every call was delivered. */
  readonly complete: Promise<void>
  /** Resolves when the deletion notice was delivered. */
  readonly noticed: Promise<void>
  readonly #calls: readonly SampleCall[]
  readonly #arrived = new Map<string, { delivery: ReceivedDelivery; request: ReceivedRequest }>()
  readonly #resolve: () => void
  readonly #resolveNoticed: () => void
  #notice: ReceivedDelivery | undefined

  constructor(calls: readonly SampleCall[]) {
    this.#calls = calls
    const { promise, resolve } = Promise.withResolvers<void>()
    this.complete = promise
    this.#resolve = resolve
    const notice = Promise.withResolvers<void>()
    this.noticed = notice.promise
    this.#resolveNoticed = notice.resolve
  }

  record(delivery: ReceivedDelivery, request: ReceivedRequest): void {
    if (delivery.type === 'delete') {
      this.#notice = delivery
      this.#resolveNoticed()
      return
    }
    this.#arrived.set(delivery.messageId ?? '', { delivery, request })
    if (this.#calls.every(({ messageId }) => this.#arrived.has(messageId))) this.#resolve()
  }

  /** The request that delivered the call of this type. */
  requestOf(type: string): ReceivedRequest | undefined {
    return this.#arrived.get(this.#calls.find((call) => call.type === type)?.messageId ?? '')
      ?.request
  }

  /** One sentence for each call or notice that did not arrive or whose signatures are not both correct. */
  faults(): string[] {
    const calls = this.#calls.flatMap(({ type, messageId }) =>
      faultsOf(`The ${type} call`, this.#arrived.get(messageId)?.delivery),
    )
    return [...calls, ...faultsOf('The deletion notice', this.#notice)]
  }
}

function faultsOf(what: string, delivery: ReceivedDelivery | undefined): string[] {
  if (delivery === undefined) return [`${what} did not arrive.`]
  const { xSignature, webhookSignature } = delivery.signature
  if (xSignature === 'ok' && webhookSignature === 'ok') return []
  return [`${what} arrived with X-Signature ${xSignature}, webhook-signature ${webhookSignature}.`]
}
