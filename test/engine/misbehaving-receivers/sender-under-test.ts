import { WebhookSender } from '../../../packages/server/src/delivery/sending/sender.ts'
import type { AttemptResult } from '../../../packages/server/src/delivery/sending/outcome.ts'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { DnsServer } from '@hookline/testing/network/dns-server'
import { AdjustableClock } from '@hookline/testing/clocks/adjustable-clock'
import { MisbehavingNames } from './misbehaving-names.ts'
import {
  type MisbehavingReceiver,
  type Misbehaviour,
  type ReceiverContext,
  TIMEOUT_MS,
} from './misbehaving-receiver.ts'

/** Concurrent attempts. There are as many sockets, because waiting for a socket counts towards the attempt. */
export const CONCURRENCY = 100
const BODY = JSON.stringify({ version: 1, type: 'track', properties: { note: 'x'.repeat(1000) } })

/** The result of an attempt, with the time until the sender returned it. */
export interface TimedResult {
  readonly result: AttemptResult
  readonly tookMs: number
}

/** The sender of the service, with a short deadline and its own name server. */
export class SenderUnderTest implements AsyncDisposable {
  readonly clock = new AdjustableClock()
  readonly #sender: WebhookSender
  readonly #context: ReceiverContext
  readonly #stack: AsyncDisposableStack

  private constructor(stack: AsyncDisposableStack, dns: DnsServer) {
    const certificates = makeCertificates()
    this.#stack = stack
    this.#context = { certificates, dns }
    this.#sender = stack.use(
      new WebhookSender({
        clock: this.clock,
        timeoutMs: TIMEOUT_MS,
        allowedNetworks: ['127.0.0.1/32'],
        ca: certificates.ca,
        maxConnectionsPerWebhook: CONCURRENCY,
        dnsServers: [dns.address],
      }),
    )
  }

  static async open(): Promise<SenderUnderTest> {
    const stack = new AsyncDisposableStack()
    const names = new MisbehavingNames()
    const answer: DnsServer['answer'] = (question) => names.answer(question)
    return new SenderUnderTest(stack, stack.use(await DnsServer.open(answer)))
  }

  /** Opens a receiver. It is closed with the sender. */
  async openReceiver(misbehaviour: Misbehaviour): Promise<MisbehavingReceiver> {
    return this.#stack.use(await misbehaviour.open(this.#context))
  }

  async attempt({ url }: { readonly url: string }): Promise<TimedResult> {
    const started = performance.now()
    const result = await this.#sender.send({
      url,
      headers: {},
      body: Buffer.from(BODY),
      deliveryId: 'msg_1',
      attempt: 1,
      sharedSecret: 'a shared secret',
    })
    return { result, tookMs: performance.now() - started }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}
