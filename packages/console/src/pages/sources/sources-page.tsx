import { BUILT_IN_SOURCE_ID } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Source } from '@hookline/cli/management-client'
import { sourcesQuery } from '../../api/queries.ts'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { FilterInput } from '../../design/controls/filter-input.tsx'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { statisticsQuery } from '../../domain/statistics.ts'
import { shownText } from '../../format/shown-text.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { NewSource } from './new-source.tsx'
import { SourceDrawer } from './source-drawer.tsx'
import { matchingSources } from './source-facts.ts'
import { RejectedCalls } from './rejected-calls.tsx'
import { SourceTable } from './source-table.tsx'

/** The minimum length of a list with a filter. */
const MIN_FILTERED = 8

type Part = 'source' | 'filter' | 'new' | 'tab' | 'period' | 'code' | 'verify'

export function SourcesPage(): ReactElement {
  const query = useQuery(sourcesQuery)
  // Includes calls with an unknown write key, which belong to no source.
  const rejected = useQuery(statisticsQuery('24h'))
  const canEdit = useHasRole('editor')
  const [{ source: openId, new: isNew }, setUrl] = useUrlState<Part>()
  const create = (): void => setUrl({ new: '1', source: undefined }, { push: true })
  const close = (): void =>
    setUrl({
      source: undefined,
      new: undefined,
      tab: undefined,
      period: undefined,
      code: undefined,
      verify: undefined,
    })
  const button = (
    <Button variant="primary" onClick={create}>
      <Icon name="plus" className="size-3.5" />
      New source
    </Button>
  )
  if (openId === BUILT_IN_SOURCE_ID) return <Navigate to="/alerts" replace />
  return (
    <div className="flex flex-col gap-4">
      <PageHeading
        title="Sources"
        about="Websites, apps and servers that send events to Hookline."
        actions={canEdit && button}
      />
      <Panel isFlush>
        <h2 className="sr-only">All sources</h2>
        <Loaded query={query} lines={6}>
          {(sources) =>
            sources.length === 0 ? (
              <Empty title="No sources yet" action={canEdit && button}>
                {canEdit
                  ? 'Create a source to get a write key and sample code.'
                  : 'Ask an editor to create one.'}
              </Empty>
            ) : (
              <FilteredSources sources={sources} openId={openId} />
            )
          }
        </Loaded>
      </Panel>
      <Panel title="Rejected calls, all sources, last 24 hours" isFlush>
        <Loaded query={rejected}>
          {({ points }) => <RejectedCalls points={points} className="px-4 pb-4" />}
        </Loaded>
      </Panel>
      {openId !== undefined && <SourceDrawer id={openId} onClose={close} />}
      {isNew !== undefined && canEdit && <NewSource onClose={close} />}
    </div>
  )
}

interface FilteredSourcesProps {
  readonly sources: readonly Source[]
  readonly openId: string | undefined
}

function FilteredSources({ sources, openId }: FilteredSourcesProps): ReactElement {
  const [{ filter = '' }, setUrl] = useUrlState<'filter' | 'source'>()
  const found = matchingSources(sources, filter)
  useRowKeys(found.length)
  return (
    <>
      {(sources.length >= MIN_FILTERED || filter !== '') && (
        <div className="border-line border-b px-4 py-2">
          <FilterInput
            data-filter
            type="search"
            aria-label="Filter sources"
            placeholder="Name, ID or write key"
            className="max-w-80"
            value={filter}
            onWrite={(text) => setUrl({ filter: text })}
          />
        </div>
      )}
      {found.length === 0 ? (
        <Empty
          title="No matching sources"
          action={<Button onClick={() => setUrl({ filter: undefined })}>Show all sources</Button>}
        >
          No name, ID or write key contains “{shownText(filter, 80)}”.
        </Empty>
      ) : (
        <SourceTable
          sources={found}
          openId={openId}
          onOpen={(source) => setUrl({ source }, { push: true })}
        />
      )}
    </>
  )
}
