import type { ReactElement } from 'react'
import { type ApiProblem, problemOf } from '../../../api/problem.ts'

/** An error that the service reports for part of a definition. */
export type PartFault = ApiProblem['errors'][number]

/** The distinct faults in these errors. */
export function faultsOf(errors: readonly unknown[]): readonly PartFault[] {
  return distinct(errors.flatMap((each) => (each === null ? [] : problemOf(each).errors)))
}

export function distinct(faults: readonly PartFault[]): readonly PartFault[] {
  return [...new Map(faults.map((each) => [`${each.pointer} ${each.message}`, each])).values()]
}

/** The faults at this pointer and below. */
export function faultsIn(faults: readonly PartFault[], pointer: string): readonly PartFault[] {
  return faults.filter((each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`))
}

interface FaultListProps {
  readonly faults: readonly PartFault[]
}

export function FaultList({ faults }: FaultListProps): ReactElement | null {
  if (faults.length === 0) return null
  return (
    <div role="alert" className="text-failed text-dense">
      <ul className="flex flex-col gap-0.5">
        {faults.map(({ pointer, message, hint }) => (
          <li key={`${pointer} ${message}`}>
            {message} {hint}
          </li>
        ))}
      </ul>
    </div>
  )
}
