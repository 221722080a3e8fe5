/** The key of the time of the last backup, which is not the state of an alert. */
export const LAST_BACKUP = 'last_backup'

/** What the alerts about one subject have reported, as JSON, by key. The component `alerts` interprets it. */
export interface AlertStates {
  all(): Promise<ReadonlyMap<string, string>>
  /** Replaces these states, and removes those that are `null`. */
  put(states: ReadonlyMap<string, string | null>): Promise<void>
}
