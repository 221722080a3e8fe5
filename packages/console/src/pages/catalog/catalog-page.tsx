import { EVENT_TYPES } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { Select } from '../../design/controls/field.tsx'
import { ListFooter } from '../../design/lists/list-footer.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { NoEventsYet } from '../../domain/events/no-events-yet.tsx'
import { idChoices, useNames } from '../../domain/names.ts'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { type CatalogFilters, type CatalogPart, keyOf, useEventNames } from './event-names.ts'
import { NameDrawer } from './name-drawer.tsx'
import { NameTable } from './name-table.tsx'

export function CatalogPage(): ReactElement {
  const [{ source = '', type = '', open }, setUrl] = useUrlState<CatalogPart>()
  const query = useEventNames({ source, type })
  const names = useNames()
  useRowKeys(query.data?.length ?? 0)
  return (
    <>
      <PageHeading
        title="Catalog"
        about="The events your sources send, with counts, times and properties. Property values are not stored here."
      />
      <Filters source={source} type={type} />
      <Panel className="mt-4" isFlush>
        <Loaded query={query} lines={8}>
          {(eventNames) =>
            eventNames.length === 0 ? (
              <NoNames isFiltered={source !== '' || type !== ''} />
            ) : (
              <>
                <NameTable
                  eventNames={eventNames}
                  names={names}
                  openKey={open}
                  onOpen={(key) => setUrl({ open: key }, { push: true })}
                />
                <ListFooter query={query} count={eventNames.length} one="name" more="Show more" />
              </>
            )
          }
        </Loaded>
      </Panel>
      {open !== undefined && query.data !== undefined && (
        <NameDrawer
          eventName={query.data.find((each) => keyOf(each) === open)}
          onClose={() => setUrl({ open: undefined })}
        />
      )}
    </>
  )
}

function Filters({ source, type }: CatalogFilters): ReactElement {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const names = useNames()
  const [, setUrl] = useUrlState<CatalogPart>()
  const sourceIds = [...sources.map(({ id }) => id), source]
  return (
    <search className="flex flex-wrap gap-2">
      <Select
        data-filter
        aria-label="Source"
        value={source}
        onPick={(picked) => setUrl({ source: picked })}
        options={idChoices('All sources', sourceIds, names.source)}
      />
      <Select
        aria-label="Type"
        value={type}
        onPick={(picked) => setUrl({ type: picked })}
        options={idChoices('All types', EVENT_TYPES, String)}
      />
    </search>
  )
}

function NoNames({ isFiltered }: { readonly isFiltered: boolean }): ReactElement {
  const [, setUrl] = useUrlState<CatalogPart>()
  if (isFiltered)
    return (
      <Empty
        title="No matching names"
        action={
          <Button onClick={() => setUrl({ source: undefined, type: undefined })}>
            Clear filters
          </Button>
        }
      >
        No event that matches the filters has been received yet.
      </Empty>
    )
  return <NoEventsYet>Names appear here a few seconds after their first event.</NoEventsYet>
}
