/** The key of the time of the last backup. Not the state of an alert. */
export const LAST_BACKUP = 'last_backup'

/**
 * The key of the ids of channels that have received a summary of current problems. Not the state of
 * an alert.
 */
export const SUMMARIZED_CHANNELS = 'summarized_channels'

/** The states of alerts as JSON, by key, interpreted by `alerts/`. */
export interface AlertStates {
  all(): Promise<ReadonlyMap<string, string>>
  /** Replaces these states. `null` removes one. */
  put(states: ReadonlyMap<string, string | null>): Promise<void>
}
