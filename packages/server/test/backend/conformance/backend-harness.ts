import type { Backend } from '../../../src/backend/backend.ts'

/** The window of every backend that the suites open. */
export const DEDUPE_WINDOW_MS = 60_000

/** How a conformance suite gets at an adapter: on a real engine, with a state of its own. */
export interface BackendHarness extends AsyncDisposable {
  /** What is open now. */
  readonly backend: Backend
  /** Closes the backend and opens it again on the same state, as a restart does. */
  reopen(): Promise<void>
}

export type OpenBackendHarness = () => Promise<BackendHarness>
