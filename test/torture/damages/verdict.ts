import { tellsOfDelivery, tellsOfEvent } from './told.ts'
import type { Observed } from './trial.ts'

export type Outcome = 'whole' | 'lost, told' | 'refused, told' | 'down, told' | 'FAILED'

export interface Verdict {
  readonly outcome: Outcome
  /** What failed, in words. */
  readonly faults: readonly string[]
}

const NAMES_A_REMEDY = /--accept-loss|hookline restore|from its backup|Put the file|Put it back/

/** @param mayLose the events that the damage may have cost at most */
export function judge(observed: Observed, mayLose: number): Verdict {
  const faults = observed.end === 'ready' ? faultsWhileReady(observed, mayLose) : faultsOf(observed)
  if (faults.length > 0) return { outcome: 'FAILED', faults }
  if (observed.end === 'refused') return { outcome: 'refused, told', faults }
  if (observed.end !== 'ready') return { outcome: 'down, told', faults }
  const isWhole =
    observed.lost.size === 0 && observed.gone.size === 0 && observed.refusals.length === 0
  return { outcome: isWhole ? 'whole' : 'lost, told', faults }
}

function faultsOf({ end, refusals, reason }: Observed): string[] {
  if (end === 'refused') {
    const last = refusals.at(-1) ?? ''
    return NAMES_A_REMEDY.test(last) ? [] : [`refused without a remedy: ${last.slice(0, 200)}`]
  }
  return reason === '' ? [`${end} without a reason`] : []
}

function faultsWhileReady(
  { newEvent, lost, apiFault, changed, gone, told }: Observed,
  mayLose: number,
): string[] {
  // What waits cannot be known without the API.
  const untold =
    apiFault === undefined ? [...lost].filter((seq) => !tellsOfDelivery(told, seq)) : []
  const shown = `told: ${[...told.texts, ...[...told.quarantined].map((seq) => `event ${seq} in quarantine.`)].join(' ')}`
  const untoldGone = [...gone].filter((seq) => !tellsOfEvent(told, seq))
  return [
    ...(newEvent === 'delivered' ? [] : [`ready, but a new event: ${newEvent}`]),
    ...(apiFault === undefined ? [] : [`the management API cannot be asked: ${apiFault}`]),
    ...(untold.length === 0 ? [] : [`lost and not told: events ${untold.join()}; ${shown}`]),
    ...(changed.length === 0 ? [] : [`${changed.length} events came with another content`]),
    ...(gone.size > mayLose
      ? [`${gone.size} events are gone from the database; the damage can explain ${mayLose}`]
      : []),
    ...(untoldGone.length === 0
      ? []
      : [`gone from the database and not told: events ${untoldGone.join()}; ${shown}`]),
  ]
}
