import type { SharedChange } from '../../backend/threads.ts'
import type { Config } from '../../config.ts'
import type { WireError } from '../../threads/channel.ts'
import type { PrivateAddress } from '../../http/forwarding/private-address.ts'
import type { Listening } from '../../http/listen.ts'

/** The settings that a thread of ingestion needs. None of them is secret. */
export const INGEST_SETTINGS = [
  'clockSkewToleranceMs',
  'maxBatchBytes',
  'maxBatchGrowthBytes',
  'maxBatchMessages',
  'maxMessageBytes',
  'maxNestingLevels',
  'maxPartialBodyBytes',
  'maxPipelinedRequests',
  'requestTimeoutMs',
  'trustedProxies',
  'unreadTimeoutMs',
] as const satisfies readonly (keyof Config)[]

/** What a thread of ingestion is started with. */
export interface IngestThreadData {
  /** Of `BackendThreads.connectToLog`. */
  readonly backend: unknown
  /** From 1: main is 0. */
  readonly thread: number
  readonly settings: Pick<Config, (typeof INGEST_SETTINGS)[number]>
  readonly maxConnections: number
  /** Where main serves all requests that are not of ingestion. */
  readonly main: PrivateAddress
  /** The memory of the limits that all threads share. */
  readonly limits: { readonly rates: SharedArrayBuffer; readonly partialBodies: SharedArrayBuffer }
}

/** What a thread of ingestion offers to main. */
export interface IngestThreadFunctions {
  /** Resolves to the URL. Rejects with the error of the system. */
  listen(at: Listening): Promise<string>
  apply(change: SharedChange): Promise<void>
  /** Accepts no connection any more, and closes those that are idle. */
  close(): void
  /** Waits for no request any longer. */
  abort(): void
}

/** What main offers to a thread of ingestion. */
export interface IngestMainFunctions {
  keyUsed(use: { readonly key: string; readonly at: number }): Promise<void>
  /** The thread has found damage. */
  damaged(error: WireError): void
}
