import { reportsDelivery, reportsEvent } from './reported.ts'
import type { Observation } from './trial.ts'

export type Outcome = 'intact' | 'loss reported' | 'refused' | 'down' | 'FAILED'

export interface Verdict {
  readonly outcome: Outcome
  /** A description of each fault. */
  readonly faults: readonly string[]
}

const NAMES_A_REMEDY =
  /--accept-loss|hookline restore|from a backup|Restore the file|Put the original file back/

/** @param mayLose the maximum number of events that the corruption can explain as lost */
export function judge(observed: Observation, mayLose: number): Verdict {
  const faults = observed.end === 'ready' ? faultsWhileReady(observed, mayLose) : faultsOf(observed)
  if (faults.length > 0) return { outcome: 'FAILED', faults }
  if (observed.end === 'refused') return { outcome: 'refused', faults }
  if (observed.end !== 'ready') return { outcome: 'down', faults }
  const isWhole =
    observed.lost.size === 0 && observed.missing.size === 0 && observed.refusals.length === 0
  return { outcome: isWhole ? 'intact' : 'loss reported', faults }
}

function faultsOf({ end, refusals, reason }: Observation): string[] {
  if (end === 'refused') {
    const last = refusals.at(-1) ?? ''
    return NAMES_A_REMEDY.test(last) ? [] : [`refused without a remedy: ${last.slice(0, 200)}`]
  }
  return reason === '' ? [`${end} without a reason`] : []
}

function faultsWhileReady(
  { newEvent, lost, apiFault, changed, missing, reported }: Observation,
  mayLose: number,
): string[] {
  // Without the API, pending deliveries look lost.
  const unreportedLost =
    apiFault === undefined ? [...lost].filter((seq) => !reportsDelivery(reported, seq)) : []
  const shown = `reported: ${[...reported.texts, ...[...reported.quarantined].map((seq) => `event ${seq} in quarantine.`)].join(' ')}`
  const unreportedMissing = [...missing].filter((seq) => !reportsEvent(reported, seq))
  return [
    ...(newEvent === 'delivered' ? [] : [`ready, but the result of a new event is: ${newEvent}`]),
    ...(apiFault === undefined ? [] : [`the management API fails: ${apiFault}`]),
    ...(unreportedLost.length === 0
      ? []
      : [`lost without a report: events ${unreportedLost.join()}; ${shown}`]),
    ...(changed.length === 0 ? [] : [`${changed.length} events arrived with different content`]),
    ...(missing.size > mayLose
      ? [
          `${missing.size} events are missing from the database; the corruption can explain ${mayLose}`,
        ]
      : []),
    ...(unreportedMissing.length === 0
      ? []
      : [
          `missing from the database without a report: events ${unreportedMissing.join()}; ${shown}`,
        ]),
  ]
}
