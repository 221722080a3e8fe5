import type { Certificates } from '@hookline/testing/network/certificates'
import type { DnsServer } from '@hookline/testing/network/dns-server'

/**
 * The deadline of an attempt in these tests, up to the last response header. With 100 concurrent attempts on two cores, a
 * receiver that responds immediately may take 600 ms. The rest is a margin for a busy machine.
 */
export const TIMEOUT_MS = 1800

/** Dependencies of the receivers. */
export interface ReceiverContext {
  readonly certificates: Certificates
  readonly dns: DnsServer
}

/** A receiver that misbehaves in one way, and the expected result of every attempt. */
export interface MisbehavingReceiver extends AsyncDisposable {
  /** The URL of its webhook. */
  readonly url: string
  /** A pattern for `toMatchObject`. */
  readonly expected: Readonly<Record<string, unknown>>
  /** The number of open connections, which must be 0 at the end. */
  readonly openConnections: number
  /** Descriptions of the sender's faults. */
  readonly violations: readonly string[]
  /** Checks the recorded requests and deletes them, because there are many. */
  checkRequests(): void
}

export interface Misbehaviour {
  readonly name: string
  open(context: ReceiverContext): Promise<MisbehavingReceiver>
}
