import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Suppression } from '../../api/generated/management-client.ts'
import { Empty } from '../../design/states.tsx'
import { Button } from '../../design/button.tsx'
import { Time } from '../../design/time.tsx'
import { useNames } from '../../domain/names.ts'
import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { type EventFilters, filterWords, FILTERS } from './event-filters.ts'

interface NoEventsProps {
  readonly filters: EventFilters
  readonly suppressions: readonly Suppression[]
}

/** In place of an empty list: why it may be empty, and what to do. */
export function NoEvents({ filters, suppressions }: NoEventsProps): ReactElement {
  const [, change] = useUrlState()
  const names = useNames()
  const words = filterWords(filters, names.source)
  if (words.length === 0)
    return (
      <Empty
        title="No events yet"
        action={
          <Link to="/get-started" className="text-accent underline">
            Send the first event
          </Link>
        }
      >
        Events appear here as soon as a source sends them.
      </Empty>
    )
  return (
    <Empty
      title="No event matches"
      action={
        <Button
          onClick={() => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
        >
          Clear the filters
        </Button>
      }
    >
      <p>The list has only events of which all of this is true:</p>
      <ul className="my-2 list-disc pl-5">
        {words.map((each) => (
          <li key={each}>{shownText(each, 120)}</li>
        ))}
      </ul>
      <Suppressions suppressions={suppressions} />
      <p>
        Capital letters count in every filter but “contains”. A call that was refused made no event:
        the <SourcesLink /> say how many were refused, and why.
      </p>
    </Empty>
  )
}

function SourcesLink(): ReactElement {
  return (
    <Link to="/sources" className="text-accent underline">
      sources
    </Link>
  )
}

/** The user was deleted: later calls get a 200, and are not kept. */
function Suppressions({
  suppressions,
}: Pick<NoEventsProps, 'suppressions'>): ReactElement | undefined {
  if (suppressions.length === 0) return undefined
  return (
    <ul className="text-ink mb-2">
      {suppressions.map(({ deletionId, since, callsLeftOut }) => (
        <li key={deletionId}>
          The user was deleted <Time at={since} />. Since then, {counted(callsLeftOut, 'call')} got
          a 200 and {callsLeftOut === 1 ? 'was' : 'were'} not kept.{' '}
          <Link to="/privacy" className="text-accent underline">
            Open privacy
          </Link>
        </li>
      ))}
    </ul>
  )
}
