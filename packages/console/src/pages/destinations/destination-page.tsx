import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { TabList } from '../../design/controls/tab-list.tsx'
import { Icon } from '../../design/icon.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Confirm } from '../../design/dialogs/confirm.tsx'
import { toast } from '../../design/dialogs/toasts.tsx'
import { useDestinationState, WhyState } from '../../domain/destinations/destination-badge.tsx'
import {
  type DestinationProps,
  destinationQuery,
} from '../../domain/destinations/destination-query.ts'
import { useNames } from '../../domain/names.ts'
import { useAction } from '../../domain/use-action.ts'
import { shownText } from '../../format/shown-text.ts'
import { Redirect } from '../../shell/redirect.tsx'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { AuditTab } from './audit/audit-tab.tsx'
import { DeliveriesTab } from './deliveries/deliveries-tab.tsx'
import { OverviewTab } from './overview/overview-tab.tsx'
import { ReplayTab } from './replay/replay-tab.tsx'
import { SettingsTab } from './settings/settings-tab.tsx'
import { TestTab } from './test/test-tab.tsx'

export function DestinationPage(): ReactElement {
  const { id = '' } = useParams({ strict: false })
  const query = useQuery(destinationQuery(id))
  return (
    <Redirect
      id={id}
      title="Destination"
      query={query}
      found={(destination) => <ShownDestination key={id} destination={destination} />}
      why="the destination was deleted"
      all={{ to: '/destinations', words: 'Show all destinations' }}
    />
  )
}

const TABS: Readonly<
  Record<string, readonly [label: string, content: (props: DestinationProps) => ReactElement]>
> = {
  overview: ['Overview', OverviewTab],
  deliveries: ['Deliveries', DeliveriesTab],
  settings: ['Settings', SettingsTab],
  test: ['Test', TestTab],
  replay: ['Replay', ReplayTab],
  audit: ['Audit', AuditTab],
}

function ShownDestination({ destination }: DestinationProps): ReactElement {
  const [search, setUrl] = useUrlState<'tab'>()
  const tab = search.tab !== undefined && Object.hasOwn(TABS, search.tab) ? search.tab : 'overview'
  const [, Content] = TABS[tab]!
  const open = (next: string): void => {
    // Filters and drawers belong to one tab.
    const cleared = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]))
    setUrl({ ...cleared, tab: next === 'overview' ? undefined : next }, { push: true })
  }
  return (
    <>
      <PageHeading
        title={shownText(destination.name, 120)}
        up={
          <Link to="/destinations" className="text-accent hover:underline">
            All destinations
          </Link>
        }
        about={<About destination={destination} />}
        actions={<PauseButton destination={destination} />}
      />
      <TabList
        label="Destination"
        tabs={Object.entries(TABS).map(([name, [label]]) => [name, label] as const)}
        value={tab}
        onChange={open}
      >
        <Content destination={destination} />
      </TabList>
    </>
  )
}

function About({ destination }: DestinationProps): ReactElement {
  const names = useNames()
  const { id, sourceId, health } = destination
  const state = useDestinationState(destination, health)
  return (
    <span className="text-dense flex flex-col gap-0.5 pt-1">
      <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <StateBadge tone={state.tone}>{state.words}</StateBadge>
        <span>Source: {names.source(sourceId)}</span>
        <IdText id={id} what="the destination ID" />
      </span>
      <WhyState {...state} />
    </span>
  )
}

/** Pauses a destination, or resumes it and all its webhooks. */
function PauseButton({ destination }: DestinationProps): ReactElement | undefined {
  const { id, name, paused, settings } = destination
  const canEdit = useHasRole('editor')
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const resume = useAction(
    () => api.resumeDestination(id, {}),
    'Resumed. Held deliveries are being sent.',
    ['destinations', 'deliveries'],
  )
  const pause = async (): Promise<void> => {
    await api.pauseDestination(id, {})
    toast('Paused.')
    await client.invalidateQueries({ queryKey: ['destinations'] })
  }
  if (!canEdit) return undefined
  if (paused !== null || settings.webhooks.some((webhook) => webhook.paused !== null))
    return (
      <Button variant="primary" isBusy={resume.isBusy} onClick={resume.run}>
        <Icon name="play" /> Resume
      </Button>
    )
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Icon name="pause" /> Pause
      </Button>
      {isOpen && (
        <Confirm
          title={`Pause ${shownText(name, 60)}?`}
          action="Pause"
          onConfirm={pause}
          onClose={() => setOpen(false)}
        >
          <p>Deliveries, including new ones, are held until you resume. They do not expire.</p>
        </Confirm>
      )}
    </>
  )
}
