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
    observed.lost.size === 0 && observed.lostRows === 0 && observed.refusals.length === 0
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
  { newEvent, lost, apiFault, changed, lostRows, told }: Observed,
  mayLose: number,
): string[] {
  // What waits cannot be known without the API.
  const untold = apiFault === undefined ? untoldOf(lost, told) : []
  return [
    ...(newEvent === 'delivered' ? [] : [`ready, but a new event: ${newEvent}`]),
    ...(apiFault === undefined ? [] : [`the management API cannot be asked: ${apiFault}`]),
    ...(untold.length === 0 ? [] : [`${untold.length} events lost and not told`]),
    ...(changed.length === 0 ? [] : [`${changed.length} events came with another content`]),
    ...(lostRows > mayLose
      ? [`${lostRows} events are gone from the database; the damage can explain ${mayLose}`]
      : []),
    ...(lostRows > 0 && told.length === 0
      ? [`${lostRows} events gone from the history, not told`]
      : []),
  ]
}

/** The lost events of which nothing tells. What names no numbers tells of all. */
function untoldOf(lost: ReadonlySet<number>, told: readonly string[]): number[] {
  const ranges = told.map((text) => /numbers (\d+) to (\d+)/.exec(text))
  if (ranges.some((range) => range === null)) return []
  return [...lost].filter(
    (seq) => !ranges.some((range) => seq >= Number(range![1]) && seq <= Number(range![2])),
  )
}
