import type { Backend } from '../../../src/backend/backend.ts'

/** The window of every backend that the suites open. */
export const DEDUPE_WINDOW_MS = 60_000

/** A backend under test: on a real engine, with its own state. */
export interface BackendHarness extends AsyncDisposable {
  /** The backend that is open now. */
  readonly backend: Backend
  /** Closes the backend and opens it again on the same state, as a restart does. */
  reopen(): Promise<void>
  /**
   * Resolves when the archive has every event that was appended. On the embedded backend an append archives its events; on
   * the cluster, consuming and archiving them does.
   */
  settle(): Promise<void>
  /** Makes every write of an audit entry fail from now on. */
  failAuditWrites(): Promise<void>
}

export type OpenBackendHarness = () => Promise<BackendHarness>
