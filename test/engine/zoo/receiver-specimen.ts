import type { ServerCertificate } from '../../../packages/server/test/harness/certificates.ts'
import { openReceiver, type Receiver } from '../../../packages/server/test/harness/receiver.ts'
import type { ReceiverResponse } from '../../../packages/server/test/harness/receiver-response.ts'
import type { Specimen } from './specimen.ts'

export interface ReceiverSpecimenOptions {
  readonly respond?: ReceiverResponse
  readonly tls?: ServerCertificate
  readonly expected: Readonly<Record<string, unknown>>
  /** Where a visit goes, given the receiver's own URL. */
  readonly urlOf?: (url: URL) => string
  /** No request may arrive. */
  readonly isOffLimits?: boolean
}

/** A specimen on the receiver that the other tests use. */
export class ReceiverSpecimen implements Specimen {
  readonly expected: Readonly<Record<string, unknown>>
  readonly #receiver: Receiver
  readonly #options: ReceiverSpecimenOptions
  readonly #complaints = new Set<string>()

  private constructor(receiver: Receiver, options: ReceiverSpecimenOptions) {
    this.#receiver = receiver
    this.#options = options
    this.expected = options.expected
  }

  static async open(options: ReceiverSpecimenOptions): Promise<ReceiverSpecimen> {
    const { tls, respond = 200 } = options
    const receiver = await openReceiver({ respond, ...(tls !== undefined && { tls }) })
    return new ReceiverSpecimen(receiver, options)
  }

  get url(): string {
    const { urlOf } = this.#options
    return urlOf?.(new URL(this.#receiver.url)) ?? this.#receiver.url
  }

  get openConnections(): number {
    return this.#receiver.openConnections
  }

  get complaints(): readonly string[] {
    return [...this.#complaints]
  }

  forget(): void {
    const { requests } = this.#receiver
    if (this.#options.isOffLimits && requests.length > 0) this.#complaints.add('was sent a request')
    if (requests.some(({ path }) => path !== '/hook'))
      this.#complaints.add('was followed elsewhere')
    requests.length = 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receiver[Symbol.asyncDispose]()
  }
}
