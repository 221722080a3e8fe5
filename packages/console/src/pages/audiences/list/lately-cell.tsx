import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { wholeNumber } from '../../../format/figures.ts'
import { changesQuery } from '../record/changes-query.ts'
import type { Computation, ComputationKind } from '../record/computation-kind.ts'

interface LatelyCellProps {
  readonly kind: ComputationKind
  readonly record: Computation
}

/** How many users entered and left in the last 24 hours. */
export function LatelyCell({ kind, record }: LatelyCellProps): ReactElement {
  const { data } = useQuery(changesQuery(kind, record, 1))
  if (data === undefined) return <span className="text-ink-faint">–</span>
  const sum = (of: 'entered' | 'left'): number =>
    data.data.reduce((total, hour) => total + hour[of], 0)
  const [entered, left] = [sum('entered'), sum('left')]
  if (entered + left === 0) return <span className="text-ink-faint">no change</span>
  return (
    <>
      +{wholeNumber(entered)} −{wholeNumber(left)}
    </>
  )
}
