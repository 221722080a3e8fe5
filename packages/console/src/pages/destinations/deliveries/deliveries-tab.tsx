import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { filledPage } from '../../../api/filled-page.ts'
import { pagesOptions } from '../../../api/use-pages.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Select } from '../../../design/controls/field.tsx'
import { FilterInput } from '../../../design/controls/filter-input.tsx'
import { ListFooter } from '../../../design/lists/list-footer.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { DeliveryDrawer } from '../../../domain/deliveries/delivery-drawer.tsx'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { useRowKeys } from '../../../shell/keys/row-keys.ts'
import { useNames } from '../../../domain/names.ts'
import { SaveViewButton } from '../../../shell/saved-views.tsx'
import { useSetUrl, useUrlState } from '../../../shell/url-state.ts'
import {
  CHOICES,
  type DeliveryFilters,
  type FilterName,
  filtersIn,
  NO_FILTERS,
  queryOf,
} from './delivery-filters.ts'
import { DeliveryTable } from './delivery-table.tsx'

const PAGE = 50

export function DeliveriesTab({ destination: { id, sourceId } }: DestinationProps): ReactElement {
  const [url, setUrl] = useUrlState<FilterName | 'delivery'>()
  const filters = filtersIn(url)
  const space = useNames().spaceOf(sourceId)
  const query = useInfiniteQuery({
    ...pagesOptions({
      queryKey: ['deliveries', 'list', id, filters],
      fetch: (page, signal) => {
        const deliveryQuery = { ...queryOf(filters, Date.now()), destinationId: id }
        return filledPage({ ...page, limit: PAGE }, (next) =>
          api.listDeliveries({ ...deliveryQuery, ...next }, { signal }),
        )
      },
    }),
    refetchOnWindowFocus: false,
  })
  useRowKeys(query.data?.length ?? 0)
  return (
    <div className="flex flex-col gap-4">
      <search className="flex flex-wrap items-center gap-2">
        <Filters filters={filters} />
        <Button
          className="sm:ml-auto"
          isBusy={query.isFetching}
          onClick={() => void query.refetch()}
        >
          Refresh
        </Button>
      </search>
      <Panel isFlush>
        <Loaded query={query} lines={9}>
          {(deliveries) =>
            deliveries.length === 0 && !query.hasNextPage ? (
              <NoDeliveries isFiltered={Object.keys(filters).length > 0} />
            ) : (
              <>
                {deliveries.length > 0 && <DeliveryTable deliveries={deliveries} space={space} />}
                <ListFooter
                  query={query}
                  count={deliveries.length}
                  one="delivery"
                  many="deliveries"
                />
              </>
            )
          }
        </Loaded>
      </Panel>
      {url.delivery !== undefined && (
        <DeliveryDrawer id={url.delivery} onClose={() => setUrl({ delivery: undefined })} />
      )}
    </div>
  )
}

function Filters({ filters }: { readonly filters: DeliveryFilters }): ReactElement {
  const setUrl = useSetUrl<FilterName>()
  return (
    <>
      {CHOICES.map(([name, label, options]) => (
        <Select
          key={name}
          aria-label={label}
          value={filters[name] ?? ''}
          options={options}
          onPick={(value) => setUrl({ [name]: value })}
        />
      ))}
      <FilterInput
        data-filter
        aria-label="Last HTTP status"
        placeholder="Status"
        inputMode="numeric"
        maxLength={3}
        className="max-w-24"
        value={filters.status ?? ''}
        clean={(text) => text.replaceAll(/\D/g, '')}
        onWrite={(status) => setUrl({ status })}
      />
      {Object.keys(filters).length > 0 && (
        <>
          <Button variant="quiet" onClick={() => setUrl(NO_FILTERS)}>
            Clear filters
          </Button>
          <SaveViewButton />
        </>
      )}
    </>
  )
}

function NoDeliveries({ isFiltered }: { readonly isFiltered: boolean }): ReactElement {
  const setUrl = useSetUrl<FilterName | 'tab'>()
  if (isFiltered)
    return (
      <Empty
        title="No matching deliveries"
        action={<Button onClick={() => setUrl(NO_FILTERS)}>Clear filters</Button>}
      >
        Remove some filters.
      </Empty>
    )
  return (
    <Empty
      title="No deliveries yet"
      action={<Button onClick={() => setUrl({ tab: 'test' })}>Send a test</Button>}
    >
      Deliveries of new events appear here. Test deliveries are not stored.
    </Empty>
  )
}
