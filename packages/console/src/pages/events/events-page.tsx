import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { filledPage } from '../../api/filled-page.ts'
import { pagesOptions } from '../../api/use-pages.ts'
import { Button } from '../../design/controls/button.tsx'
import { ListFooter } from '../../design/lists/list-footer.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { NoEventsYet } from '../../domain/events/no-events-yet.tsx'
import { useNames } from '../../domain/names.ts'
import { shownText } from '../../format/shown-text.ts'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { Redirect } from '../../shell/redirect.tsx'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useSetUrl, useUrlState } from '../../shell/url-state.ts'
import { EventFilterBar } from './event-filter-bar.tsx'
import {
  type EventFilters,
  describeFilters,
  type FilterName,
  filtersIn,
  NO_FILTERS,
  queryOf,
} from './event-filters.ts'
import { EventTable } from './event-table.tsx'
import { MissingCauses } from './missing-causes.tsx'

const PAGE = 50

export function EventsPage(): ReactElement {
  const [search] = useUrlState<FilterName | 'delivery'>()
  return search.delivery === undefined ? (
    <EventSearch filters={filtersIn(search)} />
  ) : (
    <DeliveryEvent id={search.delivery} />
  )
}

/** Redirects from a delivery to the trace of its event. */
function DeliveryEvent({ id }: { readonly id: string }): ReactElement {
  const query = useQuery({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => api.getDelivery(id, { signal }),
  })
  return (
    <Redirect
      id={id}
      title="Delivery"
      query={query}
      found={({ eventId }) => <Navigate to="/events/$id" params={{ id: eventId }} replace />}
      why="the delivery has been removed"
      all={{ to: '/events', words: 'Show all events' }}
    />
  )
}

interface EventSearchProps {
  readonly filters: EventFilters
}

function EventSearch({ filters }: EventSearchProps): ReactElement {
  const names = useNames()
  const client = useQueryClient()
  const queryKey = ['events', 'list', filters]
  const query = useInfiniteQuery({
    ...pagesOptions({
      queryKey,
      fetch: (page, signal) => {
        const eventQuery = queryOf(filters, Date.now())
        return filledPage({ ...page, limit: PAGE }, (next) =>
          api.listEvents({ ...eventQuery, ...next }, { signal }),
        )
      },
    }),
    // Loaded events stay as they are until “Refresh”.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  })
  const count = query.data?.length ?? 0
  useRowKeys(count)
  // A search without matches has many empty pages: start it again instead.
  const refresh = () => (count === 0 ? client.resetQueries({ queryKey }) : query.refetch())
  return (
    <>
      <PageHeading
        title="Events"
        actions={
          <Button isBusy={query.isFetching} onClick={() => void refresh()}>
            Refresh
          </Button>
        }
      />
      <EventFilterBar filters={filters} error={query.error} />
      <Panel className="mt-4" isFlush>
        <Loaded query={query} lines={9}>
          {(events) =>
            events.length === 0 && !query.hasNextPage ? (
              <NoEvents filters={filters} />
            ) : (
              <>
                {events.length > 0 && <EventTable events={events} names={names} />}
                <ListFooter query={query} count={events.length} one="event">
                  {events.length > 0 && (
                    <span>
                      Outcomes as of <Time at={new Date(query.dataUpdatedAt).toISOString()} />
                    </span>
                  )}
                </ListFooter>
              </>
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}

function NoEvents({ filters }: EventSearchProps): ReactElement {
  const setUrl = useSetUrl<FilterName>()
  const names = useNames()
  const words = describeFilters(filters, names.source)
  if (words.length === 0)
    return <NoEventsYet>After a source has sent its first event, refresh the list.</NoEventsYet>
  return (
    <Empty
      title="No matching events"
      action={<Button onClick={() => setUrl(NO_FILTERS)}>Clear filters</Button>}
    >
      <p>Active filters (case-sensitive, except “contains”):</p>
      <ul className="my-2 list-disc pl-5">
        {words.map((each) => (
          <li key={each}>{shownText(each, 120)}</li>
        ))}
      </ul>
      <MissingCauses filters={filters} />
      <p>
        Rejected calls create no events: see{' '}
        <Link to="/sources" className="text-accent underline">
          Sources
        </Link>{' '}
        for their number and reasons.
      </p>
    </Empty>
  )
}
