import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { ActivityCall } from './base-functions.ts'

/** The ActivityListener of a thread, which main repeats to its own. */
export function threadActivity(send: (call: ActivityCall) => void): ActivityListener {
  return {
    received: (events) => send(['received', events]),
    refused: (code, calls, sourceId) => send(['refused', code, calls, sourceId]),
    decided: (decision) => send(['decided', decision]),
    recorded: (delivery) => send(['recorded', delivery]),
    changed: (change) => send(['changed', change]),
    purged: (purge) => send(['purged', purge]),
    updated: (update) => send(['updated', update]),
  }
}

/** Repeats to a listener what a thread reported. */
export function repeatActivity(listener: ActivityListener, [name, ...args]: ActivityCall): void {
  const report = listener[name].bind(listener) as (...values: readonly unknown[]) => void
  report(...args)
}
