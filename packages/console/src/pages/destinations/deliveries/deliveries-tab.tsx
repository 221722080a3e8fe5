import type { ReactElement } from 'react'
import type { Delivery } from '@hookline/cli/management-client'
import { Button } from '../../../design/controls/button.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { DeliveryDrawer } from '../../../domain/deliveries/delivery-drawer.tsx'
import type { HealthyDestination } from '../../../domain/destinations/destination-query.ts'
import { listed } from '../../../format/figures.ts'
import { useRowKeys } from '../../../shell/keys/row-keys.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { DeliveryFilterBar } from './delivery-filter-bar.tsx'
import { type FilterName, FILTERS, filtersIn } from './delivery-filters.ts'
import { DeliveryTable } from './delivery-table.tsx'
import { useDeliveries } from './use-deliveries.ts'

/** What the destination got, or did not get: filters, a list, and a drawer for one of them. */
export function DeliveriesTab({
  destination,
}: {
  readonly destination: HealthyDestination
}): ReactElement {
  const [url, setUrl] = useUrlState<FilterName | 'delivery'>()
  const filters = filtersIn(url)
  const query = useDeliveries(destination.id, filters)
  return (
    <div className="flex flex-col gap-4">
      <DeliveryFilterBar
        filters={filters}
        isBusy={query.isFetching}
        onRefresh={() => void query.refetch()}
      />
      <Panel isFlush>
        <Loaded query={{ ...query, data: query.data?.pages }} lines={9}>
          {(pages) => (
            <DeliveryList
              deliveries={pages.flatMap((page) => page.items)}
              hasMore={pages.at(-1)?.next !== null}
              isBusy={query.isFetchingNextPage}
              onMore={() => void query.fetchNextPage()}
            />
          )}
        </Loaded>
      </Panel>
      {url.delivery !== undefined && (
        <DeliveryDrawer id={url.delivery} onClose={() => setUrl({ delivery: undefined })} />
      )}
    </div>
  )
}

interface DeliveryListProps {
  readonly deliveries: readonly Delivery[]
  readonly hasMore: boolean
  readonly isBusy: boolean
  readonly onMore: () => void
}

function DeliveryList(props: DeliveryListProps): ReactElement {
  const { deliveries, hasMore, isBusy, onMore } = props
  useRowKeys(deliveries.length)
  if (deliveries.length === 0 && !hasMore) return <NoDelivery />
  return (
    <>
      {deliveries.length > 0 && <DeliveryTable deliveries={deliveries} />}
      <footer className="text-ink-faint border-line text-note flex flex-wrap items-center gap-3 border-t px-4 py-2">
        <span role="status">
          {deliveries.length === 0
            ? 'Nothing matches among the newest deliveries.'
            : listed(hasMore, deliveries.length, 'delivery', 'deliveries')}
        </span>
        {hasMore && (
          <Button isBusy={isBusy} onClick={onMore}>
            {deliveries.length === 0 ? 'Look through older deliveries' : 'Load older'}
          </Button>
        )}
      </footer>
    </>
  )
}

function NoDelivery(): ReactElement {
  const [url, setUrl] = useUrlState<FilterName | 'tab'>()
  if (Object.keys(filtersIn(url)).length > 0) {
    const cleared = Object.fromEntries(FILTERS.map((name) => [name, undefined]))
    return (
      <Empty
        title="No delivery matches the filters"
        action={<Button onClick={() => setUrl(cleared)}>Clear the filters</Button>}
      >
        Other deliveries of this destination may be stored.
      </Empty>
    )
  }
  return (
    <Empty
      title="No delivery yet"
      action={<Button onClick={() => setUrl({ tab: 'test' })}>Send a test</Button>}
    >
      Each event of the source that this destination takes becomes a delivery, and appears here with
      its attempts. A test delivery is shown on its own page, and is not kept.
    </Empty>
  )
}
