/**
 * The engine behind a port cannot do its work now: disk full, connection lost, too much waiting.
 * Nothing of the failed call was done. The same call may succeed later.
 */
export class BackendUnavailable extends Error {
  override readonly name = 'BackendUnavailable'
}
