import type { ReactElement } from 'react'
import { Figure } from '../../../design/figures/figure.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type { Health } from '../../../domain/destinations/destination-query.ts'
import type { StatisticsPoint } from '../../../domain/statistics.ts'
import { p95InWords, p95Of, sumOf, totalsOf } from '../../../domain/totals.ts'
import { percent, shortNumber, wholeNumber } from '../../../format/figures.ts'

interface DestinationFiguresProps {
  readonly points: readonly StatisticsPoint[]
  readonly health: Health
}

/** Four numbers of the period. */
export function DestinationFigures({ points, health }: DestinationFiguresProps): ReactElement {
  const { delivered, failed, retried } = totalsOf(points)
  const attempts = points.reduce((sum, point) => sum + sumOf(point.attempts), 0)
  const { pending, held, oldestPendingAt } = health
  return (
    <dl className="grid grid-cols-2 gap-3 xl:grid-cols-4">
      <Figure
        label="Delivered"
        value={percent(delivered, delivered + failed)}
        note={`${shortNumber(delivered)} of ${shortNumber(delivered + failed)} that ended`}
      />
      <Figure
        label="Attempts"
        value={wholeNumber(attempts)}
        note={`${shortNumber(retried)} failed first, and were or are tried again`}
      />
      <Figure
        label="Waits now"
        value={wholeNumber(pending + held)}
        note={
          oldestPendingAt === null ? (
            'nothing waits'
          ) : (
            <>
              the oldest from <Time at={oldestPendingAt} />
            </>
          )
        }
      />
      <Figure label="From receipt to delivery, p95" value={p95InWords(p95Of(points))} />
    </dl>
  )
}
