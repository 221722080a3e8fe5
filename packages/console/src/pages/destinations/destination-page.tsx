import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { problemOf } from '../../api/problem.ts'
import { IdText } from '../../design/texts/id-text.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { TabList } from '../../design/controls/tab-list.tsx'
import { WhyState } from '../../domain/destinations/destination-badge.tsx'
import {
  destinationQuery,
  type HealthyDestination,
} from '../../domain/destinations/destination-query.ts'
import { destinationState } from '../../domain/destinations/destination-state.ts'
import { useNames } from '../../domain/names.ts'
import { shownText } from '../../format/shown-text.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { AuditTab } from './audit/audit-tab.tsx'
import { DeliveriesTab } from './deliveries/deliveries-tab.tsx'
import { OverviewTab } from './overview/overview-tab.tsx'
import { PauseButton } from './pause/pause-button.tsx'
import { ReplayTab } from './replay/replay-tab.tsx'
import { SettingsTab } from './settings/settings-tab.tsx'
import { TestTab } from './test/test-tab.tsx'

/** One destination: how it does, what it got, and everything that can be set and done. */
export function DestinationPage(): ReactElement {
  const { id = '' } = useParams({ strict: false })
  const query = useQuery(destinationQuery(id))
  if (query.error && problemOf(query.error).status === 404) return <NoSuchDestination id={id} />
  if (query.data !== undefined) return <ShownDestination key={id} destination={query.data} />
  return (
    <>
      <PageHeading title="Destination" />
      <Loaded query={query} lines={9}>
        {() => null}
      </Loaded>
    </>
  )
}

interface TabProps {
  readonly destination: HealthyDestination
}

const TABS: Readonly<
  Record<string, readonly [words: string, content: (props: TabProps) => ReactElement]>
> = {
  overview: ['Overview', OverviewTab],
  deliveries: ['Deliveries', DeliveriesTab],
  settings: ['Settings', SettingsTab],
  test: ['Test', TestTab],
  replay: ['Replay', ReplayTab],
  audit: ['Audit', AuditTab],
}

function ShownDestination({ destination }: TabProps): ReactElement {
  const [search, setUrl] = useUrlState<'tab'>()
  const tab = search.tab !== undefined && Object.hasOwn(TABS, search.tab) ? search.tab : 'overview'
  const [, Content] = TABS[tab]!
  // The filters and drawers of a tab are its own.
  const open = (next: string): void => {
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
        label="Parts of the destination"
        tabs={Object.entries(TABS).map(([name, [words]]) => [name, words] as const)}
        value={tab}
        onChange={open}
      >
        <Content destination={destination} />
      </TabList>
    </>
  )
}

function About({ destination }: TabProps): ReactElement {
  const names = useNames()
  const { id, sourceId, health } = destination
  const { tone, words } = destinationState(destination, health)
  return (
    <span className="text-dense flex flex-col gap-0.5 pt-1">
      <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <StateBadge tone={tone}>{words}</StateBadge>
        <span>Events of {names.source(sourceId)}</span>
        <IdText id={id} what="the id of the destination" />
      </span>
      <WhyState destination={destination} health={health} />
    </span>
  )
}

function NoSuchDestination({ id }: { readonly id: string }): ReactElement {
  return (
    <>
      <PageHeading title="Destination" />
      <Empty
        title="No destination has this id"
        action={
          <Link to="/destinations" className="text-accent underline">
            Show all destinations
          </Link>
        }
      >
        {shownText(id, 60)} was deleted, or the id is not complete.
      </Empty>
    </>
  )
}
