import type { ActivityListener } from '../../src/telemetry/activity-listener.ts'

const nothing = (): void => undefined

/** For parts under test whose activity does not matter. */
export const NO_ACTIVITY: ActivityListener = {
  received: nothing,
  refused: nothing,
  decided: nothing,
  recorded: nothing,
  purged: nothing,
}
