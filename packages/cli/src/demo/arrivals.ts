import type { ReceivedDelivery, ReceivedRequest } from '../receiver/received-delivery.ts'
import { audienceChange } from '../receiver/audience-change.ts'
import type { SampleCall } from './sample-calls.ts'

export interface ExpectedArrivals {
  readonly calls: readonly SampleCall[]
  /** Users who enter and leave the audience. */
  readonly members: readonly string[]
}

export class Arrivals {
  /** Resolves when every call and audience change has arrived. */
  readonly complete: Promise<void>
  /** Resolves when the deletion notice has arrived. */
  readonly noticed: Promise<void>
  readonly #expected: ExpectedArrivals
  readonly #arrived = new Map<string, { delivery: ReceivedDelivery; request: ReceivedRequest }>()
  readonly #changes = new Map<string, ReceivedDelivery>()
  readonly #resolve: () => void
  readonly #resolveNoticed: () => void
  #notice: ReceivedDelivery | undefined

  constructor(expected: ExpectedArrivals) {
    this.#expected = expected
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
    const change = audienceChange(delivery.body)
    if (change === undefined) this.#arrived.set(delivery.messageId ?? '', { delivery, request })
    else this.#changes.set(`${delivery.userId} ${JSON.stringify(change.value)}`, delivery)
    const { calls } = this.#expected
    const isComplete =
      calls.every(({ messageId }) => this.#arrived.has(messageId)) &&
      this.#changeKeys().every(([key]) => this.#changes.has(key))
    if (isComplete) this.#resolve()
  }

  requestOf(type: string): ReceivedRequest | undefined {
    const call = this.#expected.calls.find((each) => each.type === type)
    return this.#arrived.get(call?.messageId ?? '')?.request
  }

  /** One sentence for each missing or wrongly signed delivery. */
  faults(): string[] {
    const calls = this.#expected.calls.flatMap(({ type, messageId }) =>
      faultsOf(`The ${type} call`, this.#arrived.get(messageId)?.delivery),
    )
    const changes = this.#changeKeys().flatMap(([key, what]) =>
      faultsOf(what, this.#changes.get(key)),
    )
    return [...calls, ...changes, ...faultsOf('The deletion notice', this.#notice)]
  }

  #changeKeys(): readonly (readonly [key: string, what: string])[] {
    return this.#expected.members.flatMap((userId) => [
      [`${userId} true`, `The identify call for ${userId} entering the audience`] as const,
      [`${userId} false`, `The identify call for ${userId} leaving the audience`] as const,
    ])
  }
}

function faultsOf(what: string, delivery: ReceivedDelivery | undefined): string[] {
  if (delivery === undefined) return [`${what} did not arrive.`]
  const { xSignature, webhookSignature } = delivery.signature
  if (xSignature === 'valid' && webhookSignature === 'valid') return []
  return [`${what} arrived with X-Signature ${xSignature}, webhook-signature ${webhookSignature}.`]
}
