import type { Backend } from '../../../src/backend/backend.ts'

/** The deduplication window of every backend under test. */
export const DEDUPE_WINDOW_MS = 60_000

/** A backend under test, on a real engine with its own state. */
export interface BackendHarness extends AsyncDisposable {
  /** The currently open backend. */
  readonly backend: Backend
  /** Restarts the backend on the same state. */
  reopen(): Promise<void>
  /**
   * Resolves when all appended events are archived. The embedded backend archives during the append; on the
   * cluster, this consumes and archives the log.
   */
  settle(): Promise<void>
  /** Makes every write of an audit entry fail from now on. */
  failAuditWrites(): Promise<void>
}

export type OpenBackendHarness = () => Promise<BackendHarness>
