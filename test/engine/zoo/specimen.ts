import type { Certificates } from '../../../packages/server/test/harness/certificates.ts'
import type { DnsServer } from '../../../packages/server/test/harness/dns-server.ts'

/** The time an attempt has in the zoo, up to the last response header. */
export const TIMEOUT_MS = 700

/** What a specimen is opened with. */
export interface Zoo {
  readonly certificates: Certificates
  readonly dns: DnsServer
}

/** A receiver that misbehaves in one way, and what must come of every attempt at it. */
export interface Specimen extends AsyncDisposable {
  /** Where a visit goes. */
  readonly url: string
  /** As `toMatchObject` takes it. */
  readonly expected: Readonly<Record<string, unknown>>
  /** Connections it has open; none may be left at the end. */
  readonly openConnections: number
  /** What it has seen that it should not have, in words. */
  readonly complaints: readonly string[]
  /** Forgets what it has recorded, for there are many visits. */
  forget(): void
}

export interface Species {
  readonly name: string
  open(zoo: Zoo): Promise<Specimen>
}
