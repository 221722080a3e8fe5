import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { Empty } from '../../design/states.tsx'
import { Button } from '../../design/controls/button.tsx'
import { useNames } from '../../domain/names.ts'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { type EventFilters, filterWords, FILTERS } from './event-filters.ts'
import { MissingCauses } from './missing-causes.tsx'

interface NoEventsProps {
  readonly filters: EventFilters
}

/** In place of an empty list: why it may be empty, and what to do. */
export function NoEvents({ filters }: NoEventsProps): ReactElement {
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
      <MissingCauses filters={filters} />
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
