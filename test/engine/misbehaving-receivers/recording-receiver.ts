import type { ServerCertificate } from '@hookline/testing/network/certificates'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import type { ReceiverResponse } from '@hookline/testing/receiver/receiver-response'
import type { MisbehavingReceiver } from './misbehaving-receiver.ts'

export interface RecordingReceiverOptions {
  readonly respond?: ReceiverResponse
  readonly tls?: ServerCertificate
  readonly expected: Readonly<Record<string, unknown>>
  /** Derives the URL of the webhook from the receiver's. Default: the same URL. */
  readonly urlOf?: (url: URL) => string
  readonly mustGetNoRequest?: boolean
}

/** A misbehaving receiver based on the receiver of other tests. */
export class RecordingReceiver implements MisbehavingReceiver {
  readonly expected: Readonly<Record<string, unknown>>
  readonly #receiver: Receiver
  readonly #options: RecordingReceiverOptions
  readonly #violations = new Set<string>()

  private constructor(receiver: Receiver, options: RecordingReceiverOptions) {
    this.#receiver = receiver
    this.#options = options
    this.expected = options.expected
  }

  static async open(options: RecordingReceiverOptions): Promise<RecordingReceiver> {
    const { tls, respond = 200 } = options
    const receiver = await openReceiver({ respond, ...(tls !== undefined && { tls }) })
    return new RecordingReceiver(receiver, options)
  }

  get url(): string {
    const { urlOf } = this.#options
    return urlOf?.(new URL(this.#receiver.url)) ?? this.#receiver.url
  }

  get openConnections(): number {
    return this.#receiver.openConnections
  }

  get violations(): readonly string[] {
    return [...this.#violations]
  }

  checkRequests(): void {
    const { requests } = this.#receiver
    if (this.#options.mustGetNoRequest && requests.length > 0)
      this.#violations.add('a request was sent to it')
    if (requests.some(({ path }) => path !== '/hook'))
      this.#violations.add('a request was sent to a path other than /hook')
    requests.length = 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receiver[Symbol.asyncDispose]()
  }
}
