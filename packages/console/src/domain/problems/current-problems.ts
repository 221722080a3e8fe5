import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { FailureGroup as AnyFailureGroup } from '../failures/failures-query.ts'
import type { CurrentProblem } from './current-problem.ts'
import { type CheckedDestination, destinationProblems } from './destination-problems.ts'
import { identityProblems, type UnlinkedOfSource } from './identity-problems.ts'
import { type SystemFacts, systemProblems } from './system-problems.ts'

type FailureGroup = Pick<
  AnyFailureGroup,
  'destinationId' | 'class' | 'status' | 'count' | 'meaning' | 'remedy'
>

interface Facts {
  readonly checked: readonly CheckedDestination[]
  /** Destinations whose health is unknown. */
  readonly others: readonly Pick<CheckedDestination, 'id' | 'name'>[]
  readonly failures: readonly FailureGroup[]
  readonly system: SystemFacts
  readonly unlinked: readonly UnlinkedOfSource[]
}

/** Problems of the service first, then of destinations, deliveries and ids. */
export function currentProblems({
  checked,
  others,
  failures,
  system,
  unlinked,
}: Facts): CurrentProblem[] {
  const names = new Map([...checked, ...others].map(({ id, name }) => [id, name]))
  return [
    ...systemProblems(system),
    // The clock of the browser may be wrong.
    ...destinationProblems(checked, Date.parse(system.time)),
    ...failures.map((group) => failureProblem(group, names.get(group.destinationId))),
    ...identityProblems(unlinked),
  ]
}

function failureProblem(group: FailureGroup, name: string | undefined): CurrentProblem {
  const { destinationId, class: failure, status, count, meaning, remedy } = group
  return {
    key: `failure ${destinationId} ${failure} ${status ?? ''}`,
    severity: 'failing',
    title: `${shownText(name ?? destinationId, 80)}: ${counted(count, 'delivery', 'deliveries')} failed${status === null ? '' : ` with ${status}`}. ${meaning}`,
    remedy,
    to: `/failures?destination=${encodeURIComponent(destinationId)}`,
  }
}
