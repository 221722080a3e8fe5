import type { ActivityListener } from '../../src/telemetry/activity-listener.ts'

const nothing = (): void => undefined

/** Ignores all activity. For tests that do not look at it. */
export const NO_ACTIVITY: ActivityListener = {
  received: nothing,
  refused: nothing,
  decided: nothing,
  recorded: nothing,
  purged: nothing,
}
