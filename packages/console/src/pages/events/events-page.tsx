import type { ReactElement } from 'react'
import type { Event } from '@hookline/cli/management-client'
import type { FilledPage } from '../../api/filled-page.ts'
import { Button } from '../../design/controls/button.tsx'
import { Panel } from '../../design/panel.tsx'
import { Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { useNames } from '../../domain/names.ts'
import { listed } from '../../format/figures.ts'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { DeliveryEvent } from './delivery-event.tsx'
import { EventFilterBar } from './event-filter-bar.tsx'
import { type FilterName, filtersIn } from './event-filters.ts'
import { EventTable } from './event-table.tsx'
import { NoEvents } from './no-events.tsx'
import { useEvents } from './use-events.ts'

/** Finds an event. What became of it is on its own page. */
export function EventsPage(): ReactElement {
  const [search, change] = useUrlState<FilterName | 'delivery'>()
  const filters = filtersIn(search)
  const query = useEvents(filters, search.delivery === undefined)
  if (search.delivery !== undefined) return <DeliveryEvent id={search.delivery} />
  return (
    <>
      <PageHeading
        title="Events"
        about="Every event that Hookline has stored, and what became of it. Open one to see why."
        actions={
          <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
            Refresh
          </Button>
        }
      />
      <EventFilterBar filters={filters} error={query.error} onChange={change} />
      <Panel className="mt-4" isFlush>
        <Loaded query={{ ...query, data: query.data?.pages }} lines={9}>
          {(pages) => (
            <EventList
              pages={pages}
              loadedAt={query.dataUpdatedAt}
              isBusy={query.isFetchingNextPage}
              onMore={() => void query.fetchNextPage()}
            />
          )}
        </Loaded>
      </Panel>
    </>
  )
}

interface EventListProps {
  readonly pages: readonly FilledPage<Event>[]
  /** Milliseconds since the epoch. */
  readonly loadedAt: number
  readonly isBusy: boolean
  readonly onMore: () => void
}

function EventList({ pages, loadedAt, isBusy, onMore }: EventListProps): ReactElement {
  const [search] = useUrlState<FilterName>()
  const names = useNames()
  const events = pages.flatMap((page) => page.items)
  const hasMore = pages.at(-1)?.next !== null
  useRowKeys(events.length)
  if (events.length === 0 && !hasMore) return <NoEvents filters={filtersIn(search)} />
  return (
    <>
      {events.length > 0 && <EventTable events={events} names={names} />}
      <footer className="text-ink-faint border-line text-note flex flex-wrap items-center gap-3 border-t px-4 py-2">
        <span role="status">
          {events.length === 0
            ? 'Nothing matches among the newest events.'
            : listed(hasMore, events.length, 'event')}
        </span>
        {events.length > 0 && (
          <span>
            Outcomes as of <Time at={new Date(loadedAt).toISOString()} />
          </span>
        )}
        {hasMore && (
          <Button isBusy={isBusy} onClick={onMore}>
            {events.length === 0 ? 'Look through older events' : 'Load older'}
          </Button>
        )}
      </footer>
    </>
  )
}
