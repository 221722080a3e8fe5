import type { Certificates } from '@hookline/testing/network/certificates'
import type { DnsServer } from '@hookline/testing/network/dns-server'

/**
 * The deadline of an attempt in these tests, up to the last response header. With 100 attempts at a time on two cores,
 * a receiver that responds at once was seen to take 600 ms. The rest is a margin for a busy machine.
 */
export const TIMEOUT_MS = 1800

/** What a receiver is opened with. */
export interface ReceiverContext {
  readonly certificates: Certificates
  readonly dns: DnsServer
}

/** A receiver that misbehaves in one way, and the result that every attempt on it must have. */
export interface MisbehavingReceiver extends AsyncDisposable {
  /** The URL of its webhook. */
  readonly url: string
  /** A pattern for `toMatchObject`. */
  readonly expected: Readonly<Record<string, unknown>>
  /** Its open connections. At the end there must be none. */
  readonly openConnections: number
  /** What the sender did wrong, as sentences. */
  readonly violations: readonly string[]
  /** Checks the recorded requests and deletes them, because there are many. */
  checkRequests(): void
}

export interface Misbehaviour {
  readonly name: string
  open(context: ReceiverContext): Promise<MisbehavingReceiver>
}
