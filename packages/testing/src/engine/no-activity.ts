import type { ActivityListener } from '../../../server/src/telemetry/activity-listener.ts'

const nothing = (): void => undefined

export const NO_ACTIVITY: ActivityListener = {
  received: nothing,
  rejected: nothing,
  decided: nothing,
  recorded: nothing,
  changed: nothing,
  unlinked: nothing,
  purged: nothing,
  updated: nothing,
}
