import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import type { api } from '../../api/client.ts'
import { destinationsQuery } from '../../api/queries.ts'
import { FactList } from '../../design/lists/fact-list.tsx'
import { Panel } from '../../design/panel.tsx'
import { Loaded } from '../../design/states.tsx'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { inspectorQuery } from '../../domain/inspector.ts'
import { bytes, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { ResponsesPanel } from './responses-panel.tsx'
import { RequestDrawer } from './request-drawer.tsx'
import { RequestsPanel } from './requests-panel.tsx'
import { destinationsTo } from './requests.ts'

/** How often the inspector is refetched: other people and commands also change the counts and the response. */
const REFETCH_MS = 1_500

const MAX_NAMES = 5

export function InspectorPage(): ReactElement {
  const [{ request }, setUrl] = useUrlState<'request' | 'body'>()
  const inspector = useQuery({ ...inspectorQuery, refetchInterval: REFETCH_MS })
  const { data: all } = useQuery(destinationsQuery)
  return (
    <>
      <PageHeading
        title="Inspector"
        about="A built-in receiver for testing: it shows each request, checks its signature, and returns the response you choose."
      />
      <Loaded query={inspector} lines={6}>
        {(data) => {
          const destinations = all && destinationsTo(data.url, all)
          return (
            <div className="flex flex-col gap-4">
              <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
                <Panel title="Webhook URL">
                  <Address inspector={data} destinations={destinations} />
                </Panel>
                <Panel title="Response">
                  <ResponsesPanel responses={data.responses} />
                </Panel>
              </div>
              <RequestsPanel stored={data.requests.stored} destinations={destinations} />
            </div>
          )
        }}
      </Loaded>
      {request !== undefined && (
        <RequestDrawer
          id={request}
          onClose={() => setUrl({ request: undefined, body: undefined })}
        />
      )}
    </>
  )
}

interface AddressProps {
  readonly inspector: Awaited<ReturnType<typeof api.getInspector>>
  /** The destinations that deliver to the inspector; `undefined` while loading. */
  readonly destinations: readonly Destination[] | undefined
}

function Address({ inspector, destinations }: AddressProps): ReactElement {
  const { url, requests, limits } = inspector
  return (
    <div className="flex flex-col gap-3">
      <CodeBlock text={url} what="the webhook URL" />
      <FactList
        facts={[
          ['Used by', destinations && <UsedBy key="used" destinations={destinations} />],
          [
            'Requests',
            `${wholeNumber(requests.received)} since startup, ${wholeNumber(requests.stored)} stored (${bytes(requests.bytes)})`,
          ],
          [
            'Storage',
            `The most recent ${wholeNumber(limits.requests)} requests, up to ${bytes(limits.bytes)}, in memory until a restart.`,
          ],
          ['Maximum body', `${bytes(limits.bodyBytes)}; larger ones get 413.`],
        ]}
      />
    </div>
  )
}

function UsedBy({ destinations }: { readonly destinations: readonly Destination[] }): ReactElement {
  return (
    <ul className="flex flex-col gap-0.5">
      {destinations.length === 0 && <li>No destinations yet.</li>}
      {destinations.slice(0, MAX_NAMES).map(({ id, name, enabled, paused }) => (
        <li key={id}>
          <Link to="/destinations/$id" params={{ id }} className="text-accent underline">
            {shownText(name, 60)}
          </Link>
          {!enabled ? ' (disabled)' : paused !== null && ' (paused)'}
        </li>
      ))}
      {destinations.length > MAX_NAMES && (
        <li>and {wholeNumber(destinations.length - MAX_NAMES)} more</li>
      )}
    </ul>
  )
}
