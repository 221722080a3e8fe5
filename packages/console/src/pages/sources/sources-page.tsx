import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import type { Source } from '@hookline/cli/management-client'
import { sourcesQuery } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { FilterInput } from '../../design/controls/filter-input.tsx'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { shownText } from '../../format/shown-text.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { NewSource } from './new-source.tsx'
import { SourceDrawer } from './source-drawer.tsx'
import { matchingSources } from './source-facts.ts'
import { statsQuery } from './source-stats.ts'
import { SourceTable } from './source-table.tsx'
import { RefusedTable } from './refused-table.tsx'
import { refusalsIn } from './volume.ts'

/** A list shorter than this needs no filter. */
const FILTERED_FROM = 8

type Part = 'source' | 'filter' | 'new' | 'tab' | 'period' | 'code' | 'verify'

/** Where events come from. */
export function SourcesPage(): ReactElement {
  const query = useQuery(sourcesQuery)
  const mayEdit = useMay('editor')
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
    <Button look="main" onClick={create}>
      <Icon name="plus" className="size-3.5" />
      New source
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      <PageHeading
        title="Sources"
        about="A source is a program that sends events: a web page, a backend. Its write key says which one it is."
        actions={mayEdit && button}
      />
      <Panel isFlush>
        <h2 className="sr-only">All sources</h2>
        <Loaded query={query} lines={6}>
          {(sources) =>
            sources.length === 0 ? (
              <Empty title="No sources yet" action={mayEdit && button}>
                {mayEdit
                  ? 'Create a source. You get a write key, and code that sends a first event.'
                  : 'An editor or an admin can create one. Ask for a write key then.'}
              </Empty>
            ) : (
              <FilteredSources sources={sources} openId={openId} />
            )
          }
        </Loaded>
      </Panel>
      <RefusedCalls />
      {openId !== undefined && <SourceDrawer id={openId} onClose={close} />}
      {isNew !== undefined && mayEdit && <NewSource onClose={close} />}
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
      {(sources.length >= FILTERED_FROM || filter !== '') && (
        <div className="border-line border-b px-4 py-2">
          <FilterInput
            data-filter
            type="search"
            aria-label="Filter sources"
            placeholder="Name, id or write key"
            className="max-w-80"
            value={filter}
            onWrite={(text) => setUrl({ filter: text })}
          />
        </div>
      )}
      {found.length === 0 ? (
        <Empty
          title="No source matches"
          action={<Button onClick={() => setUrl({ filter: undefined })}>Show all sources</Button>}
        >
          No name, id or write key contains “{shownText(filter, 80)}”.
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

/** Those of all sources, and those that belong to none because their write key is not known. */
function RefusedCalls(): ReactElement | null {
  const query = useQuery(statsQuery('24h'))
  if (query.data === undefined && query.error === null) return null
  return (
    <Panel title="Refused calls of the last 24 hours, all sources" isFlush>
      <Loaded query={query}>
        {({ points }) => {
          const refusals = refusalsIn(points)
          if (refusals.length > 0) return <RefusedTable refusals={refusals} />
          return <p className="text-ink-soft px-4 pb-4">Hookline refused no call.</p>
        }}
      </Loaded>
    </Panel>
  )
}
