import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { destinationsQuery } from '../../api/queries.ts'
import { Panel } from '../../design/panel.tsx'
import { Loaded } from '../../design/states.tsx'
import { inspectorQuery } from '../../domain/inspector.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { AddressPanel } from './address-panel.tsx'
import { AnswersPanel } from './answers-panel.tsx'
import { RequestDrawer } from './request-drawer.tsx'
import { RequestsPanel } from './requests-panel.tsx'
import { destinationsTo } from './requests.ts'

/** How soon the counts and the answers are looked at again: other people and commands change them, too. */
const REFETCH_MS = 1_500

/** The receiver inside the service: what it got, and what it responds. */
export function InspectorPage(): ReactElement {
  const [{ request }, setUrl] = useUrlState<'request' | 'body'>()
  const inspector = useQuery({ ...inspectorQuery, refetchInterval: REFETCH_MS })
  const destinations = useQuery(destinationsQuery)
  return (
    <>
      <PageHeading
        title="Inspector"
        about="A receiver inside Hookline. It shows each request as it came, checks its signature, and responds what you tell it: so you see deliveries, and retries, before you have a receiver of your own."
      />
      <Loaded query={inspector} lines={6}>
        {(shown) => {
          const leading = destinations.data && destinationsTo(shown.url, destinations.data)
          return (
            <div className="flex flex-col gap-4">
              <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
                <Panel title="Its address">
                  <AddressPanel inspector={shown} destinations={leading} />
                </Panel>
                <Panel title="What it answers">
                  <AnswersPanel answers={shown.answers} />
                </Panel>
              </div>
              <RequestsPanel kept={shown.requests.kept} destinations={leading} />
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
