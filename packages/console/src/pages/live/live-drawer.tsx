import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/controls/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { Failed, Skeleton } from '../../design/states.tsx'
import { isComputed, summaryOf, titleOf } from '../../domain/events/event-summary.ts'
import { useNames } from '../../domain/names.ts'
import { DestinationOutcome } from '../../domain/trace/destination-outcome.tsx'
import { EventFacts } from '../../domain/trace/event-facts.tsx'
import { type Trace, traceQuery, useTraceUpdates } from '../../domain/trace/trace-query.ts'
import { byUrgency, verdictOf } from '../../domain/trace/verdict.ts'
import { shownText } from '../../format/shown-text.ts'

interface LiveDrawerProps {
  readonly id: string
  readonly onClose: () => void
}

/** The trace of one event beside the list, or over its lower part on a narrow screen. */
export function LiveDrawer({ id, onClose }: LiveDrawerProps): ReactElement {
  const query = useQuery({ ...traceQuery(id), retry: retriesUnstored })
  return (
    <section
      aria-label="Event details"
      className="bg-surface border-line shadow-float rounded-panel max-lg:fixed max-lg:inset-x-2 max-lg:bottom-2 max-lg:z-20 max-h-[70dvh] w-auto overflow-y-auto border lg:sticky lg:top-16 lg:max-h-[calc(100dvh-6rem)] lg:w-[26rem] lg:shadow-none"
      tabIndex={0}
    >
      <header className="border-line bg-surface sticky top-0 z-10 flex items-center justify-between gap-2 border-b px-4 py-2">
        <Link to="/events/$id" params={{ id }} className="text-accent font-medium hover:underline">
          View full trace
        </Link>
        <Button variant="quiet" className="px-2" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </Button>
      </header>
      {query.data !== undefined ? (
        <ShortTrace trace={query.data} />
      ) : query.error ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton lines={6} />
      )}
    </section>
  )
}

/** Live events become readable from the archive a few milliseconds later. */
function retriesUnstored(count: number, error: Error): boolean {
  const { status } = problemOf(error)
  return count < 4 && (status === 404 || status === 0 || status >= 500)
}

function ShortTrace({ trace }: { readonly trace: Trace }): ReactElement {
  const names = useNames()
  useTraceUpdates(trace)
  const title = titleOf(summaryOf(trace.event, isComputed(trace.sourceId)))
  return (
    <div className="flex flex-col gap-3 p-4">
      <h2 className="text-part font-semibold">{shownText(title, 80)}</h2>
      <p role="status">{verdictOf(trace).sentence}</p>
      <EventFacts trace={trace} />
      {byUrgency(trace).map((decision) => (
        <DestinationOutcome key={decision.destinationId} {...{ decision, trace, names }} isShort />
      ))}
    </div>
  )
}
