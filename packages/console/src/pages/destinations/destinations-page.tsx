import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { destinationsQuery } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { useNames } from '../../domain/names.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { DestinationFilter, matching } from './destination-filter.tsx'
import { DestinationTable } from './destination-table.tsx'
import { NewDestination } from './new-destination.tsx'
import { ReplayDestination } from './replay/replay-destination.tsx'

/** Where events go, and how each of these places does. */
export function DestinationsPage(): ReactElement {
  const [url, setUrl] = useUrlState<'new' | 'text' | 'source' | 'replay'>()
  const destinations = useQuery(destinationsQuery)
  const mayEdit = useMay('editor')
  if (url.replay !== undefined) return <ReplayDestination id={url.replay} />
  return (
    <>
      <PageHeading
        title="Destinations"
        about="Where events go. A destination sends the events of one source to your webhooks, signed, and tries again until they are accepted."
        actions={mayEdit && <NewButton />}
      />
      <Loaded query={destinations} lines={6}>
        {(all) => (all.length === 0 ? <NoDestination /> : <Shown all={all} />)}
      </Loaded>
      {url.new !== undefined && mayEdit && (
        <NewDestination sourceId={url.source} onClose={() => setUrl({ new: undefined })} />
      )}
    </>
  )
}

function NewButton(): ReactElement {
  const [, setUrl] = useUrlState<'new'>()
  return (
    <Button look="main" onClick={() => setUrl({ new: '1' }, { push: true })}>
      <Icon name="plus" /> New destination
    </Button>
  )
}

function Shown({ all }: { readonly all: readonly Destination[] }): ReactElement {
  const [{ text, source }, setUrl] = useUrlState<'text' | 'source'>()
  const names = useNames()
  const shown = matching(all, { text, source })
  return (
    <div className="flex flex-col gap-4">
      <DestinationFilter all={all} />
      <Panel isFlush>
        {shown.length === 0 ? (
          <Empty
            title="No destination matches"
            action={
              <Button onClick={() => setUrl({ text: undefined, source: undefined })}>
                Show all {all.length}
              </Button>
            }
          >
            None of the {all.length} destinations has this text in its name, its id or its URLs.
          </Empty>
        ) : (
          <DestinationTable destinations={shown} names={names} />
        )}
      </Panel>
    </div>
  )
}

function NoDestination(): ReactElement {
  const mayEdit = useMay('editor')
  return (
    <Panel isFlush>
      <Empty title="No destination yet" action={mayEdit && <NewButton />}>
        Events are kept, and delivered nowhere. A destination sends them to your webhooks.{' '}
        {mayEdit
          ? 'If you have no receiver yet, the built-in inspector shows what one would get.'
          : 'Your role may not create one: ask an editor.'}
      </Empty>
    </Panel>
  )
}
