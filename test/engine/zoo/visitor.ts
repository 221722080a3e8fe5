import { WebhookSender } from '../../../packages/server/src/delivery/sending/sender.ts'
import type { AttemptResult } from '../../../packages/server/src/delivery/sending/outcome.ts'
import { makeCertificates } from '../../../packages/server/test/harness/certificates.ts'
import { DnsServer } from '../../../packages/server/test/harness/dns-server.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { Names } from './names.ts'
import { type Species, type Specimen, TIMEOUT_MS, type Zoo } from './specimen.ts'

/** Visits at a time. As many sockets: a wait for one counts as part of an attempt. */
export const AT_ONCE = 100
const BODY = JSON.stringify({ version: 1, type: 'track', properties: { note: 'x'.repeat(1000) } })

/** One visit: what came of it, and how long it took until the sender was done with it. */
export interface Visit {
  readonly result: AttemptResult
  readonly tookMs: number
}

/** The sender as the service has it, with a deadline that is short, and a name server of its own. */
export class Visitor implements AsyncDisposable {
  readonly clock = new SkippingClock()
  readonly #sender: WebhookSender
  readonly #zoo: Zoo
  readonly #stack: AsyncDisposableStack

  private constructor(stack: AsyncDisposableStack, dns: DnsServer) {
    const certificates = makeCertificates()
    this.#stack = stack
    this.#zoo = { certificates, dns }
    this.#sender = stack.use(
      new WebhookSender({
        clock: this.clock,
        timeoutMs: TIMEOUT_MS,
        allowedNetworks: ['127.0.0.1/32'],
        ca: certificates.ca,
        maxConnectionsPerWebhook: AT_ONCE,
        dnsServers: [dns.address],
      }),
    )
  }

  static async open(): Promise<Visitor> {
    const stack = new AsyncDisposableStack()
    const names = new Names()
    const answer: DnsServer['answer'] = (question) => names.answer(question)
    return new Visitor(stack, stack.use(await DnsServer.open(answer)))
  }

  async meet(species: Species): Promise<Specimen> {
    return this.#stack.use(await species.open(this.#zoo))
  }

  async visit({ url }: { readonly url: string }): Promise<Visit> {
    const started = performance.now()
    const result = await this.#sender.send({
      url,
      headers: {},
      body: BODY,
      deliveryId: 'msg_zoo',
      attempt: 1,
      sharedSecret: 'a shared secret',
    })
    return { result, tookMs: performance.now() - started }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}
