import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { api } from '../../api/client.ts'
import { destinationsQuery } from '../../api/queries.ts'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Select } from '../../design/controls/field.tsx'
import { FilterInput } from '../../design/controls/filter-input.tsx'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { idChoices, useNames } from '../../domain/names.ts'
import { Redirect } from '../../shell/redirect.tsx'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useSetUrl, useUrlState } from '../../shell/url-state.ts'
import { DestinationTable } from './destination-table.tsx'
import { NewDestination } from './new-destination.tsx'

/** The minimum length of a list with filters. */
const MIN_FILTERED = 8

export function DestinationsPage(): ReactElement {
  const [url, setUrl] = useUrlState<'new' | 'source' | 'replay'>()
  const destinations = useQuery(destinationsQuery)
  const canEdit = useHasRole('editor')
  if (url.replay !== undefined) return <ReplayDestination id={url.replay} />
  return (
    <>
      <PageHeading
        title="Destinations"
        about="A destination delivers the events from one source to your webhooks, with signatures and retries."
        actions={canEdit && <NewButton />}
      />
      <Loaded query={destinations} lines={6}>
        {(all) => (all.length === 0 ? <NoDestinations /> : <Shown all={all} />)}
      </Loaded>
      {url.new !== undefined && canEdit && (
        <NewDestination sourceId={url.source} onClose={() => setUrl({ new: undefined })} />
      )}
    </>
  )
}

/** Redirects from a replay to the replays of its destination. */
function ReplayDestination({ id }: { readonly id: string }): ReactElement {
  const query = useQuery({
    queryKey: ['replays', id],
    queryFn: ({ signal }) => api.getReplay(id, { signal }),
  })
  return (
    <Redirect
      id={id}
      title="Replay"
      query={query}
      found={({ destinationId }) => (
        <Navigate
          to="/destinations/$id"
          params={{ id: destinationId }}
          search={{ tab: 'replay' }}
          replace
        />
      )}
      why="the replay has been removed"
      all={{ to: '/destinations', words: 'Show all destinations' }}
    />
  )
}

function NewButton(): ReactElement {
  const setUrl = useSetUrl<'new'>()
  return (
    <Button variant="primary" onClick={() => setUrl({ new: '1' }, { push: true })}>
      <Icon name="plus" /> New destination
    </Button>
  )
}

interface ShownProps {
  readonly all: readonly Destination[]
}

function Shown({ all }: ShownProps): ReactElement {
  const [{ text = '', source = '' }, setUrl] = useUrlState<'text' | 'source'>()
  const names = useNames()
  const lowerText = text.trim().toLowerCase()
  const shown = all.filter(({ id, name, sourceId, settings }) => {
    const texts = [id, name, ...settings.webhooks.map(({ url }) => url)]
    const isOfSource = source === '' || sourceId === source
    return isOfSource && texts.some((each) => each.toLowerCase().includes(lowerText))
  })
  return (
    <div className="flex flex-col gap-4">
      {(all.length >= MIN_FILTERED || text !== '' || source !== '') && <Filters all={all} />}
      <Panel isFlush>
        {shown.length === 0 ? (
          <Empty
            title="No matching destinations"
            action={
              <Button onClick={() => setUrl({ text: undefined, source: undefined })}>
                Show all {all.length}
              </Button>
            }
          >
            The filter searches names, IDs and URLs.
          </Empty>
        ) : (
          <DestinationTable destinations={shown} names={names} />
        )}
      </Panel>
    </div>
  )
}

function Filters({ all }: ShownProps): ReactElement {
  const [{ text = '', source = '' }, setUrl] = useUrlState<'text' | 'source'>()
  const names = useNames()
  const sourceIds = [...all.map(({ sourceId }) => sourceId), source]
  return (
    <search className="flex flex-wrap gap-2">
      <FilterInput
        data-filter
        type="search"
        aria-label="Filter by name, ID or URL"
        placeholder="Name, ID or URL"
        className="max-w-xs"
        value={text}
        onWrite={(next) => setUrl({ text: next })}
      />
      <Select
        aria-label="Source"
        value={source}
        onPick={(picked) => setUrl({ source: picked })}
        options={idChoices('All sources', sourceIds, names.source)}
      />
    </search>
  )
}

function NoDestinations(): ReactElement {
  const canEdit = useHasRole('editor')
  return (
    <Panel isFlush>
      <Empty title="No destinations yet" action={canEdit && <NewButton />}>
        Events are stored but not delivered.{' '}
        {canEdit
          ? 'No receiver yet? Use the built-in inspector.'
          : 'Ask an editor to create a destination.'}
      </Empty>
    </Panel>
  )
}
