import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { IdText } from '../../../design/texts/id-text.tsx'
import { Loaded } from '../../../design/states.tsx'
import { TabList } from '../../../design/controls/tab-list.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { PageHeading } from '../../../shell/page-heading.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import {
  type Computation,
  type ComputationKind,
  computationQuery,
  definitionOf,
} from '../record/computation-kind.ts'
import { ComputationState } from '../record/computation-state.tsx'
import { ListLink } from '../record/page-link.tsx'
import { DefinitionTab } from './definition-tab.tsx'
import { ExplainTab } from './explain-tab.tsx'
import { ListTab } from './list-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { ValuesTab } from './values-tab.tsx'

interface ComputationPageProps {
  readonly kind: ComputationKind
  readonly id: string
}

/** One audience or computed trait. */
export function ComputationPage({ kind, id }: ComputationPageProps): ReactElement {
  const query = useQuery(computationQuery(kind, id))
  return (
    <>
      <p className="text-dense mb-2">
        <ListLink kind={kind} />
      </p>
      <Loaded query={query} lines={6}>
        {(record) => <Opened kind={kind} record={record} />}
      </Loaded>
    </>
  )
}

interface OpenedProps {
  readonly kind: ComputationKind
  readonly record: Computation
}

function Opened({ kind, record }: OpenedProps): ReactElement {
  const [{ tab = 'overview' }, setUrl] = useUrlState<'tab'>()
  const tabs = tabsOf(kind, record)
  const open = tabs.some(([each]) => each === tab) ? tab : 'overview'
  return (
    <>
      <PageHeading title={shownText(record.name, 120)} />
      <div className="-mt-3 mb-4 flex flex-wrap items-center gap-x-4 gap-y-1">
        <ComputationState record={record} />
        <IdText id={record.id} />
      </div>
      {record.reason !== null && <p className="text-failed mb-4">{shownText(record.reason)}</p>}
      <TabList
        label={`Parts of the ${kind.one}`}
        tabs={tabs}
        value={open}
        onChange={(next) => setUrl({ tab: next === 'overview' ? undefined : next })}
      >
        <Tab kind={kind} record={record} tab={open} />
      </TabList>
    </>
  )
}

function tabsOf(kind: ComputationKind, record: Computation): [string, string][] {
  const isList = definitionOf(record) === null
  return [
    ['overview', 'Overview'],
    ['values', kind.param === 'trait' ? 'Values' : 'Members'],
    ...(isList ? ([['list', 'List']] as [string, string][]) : []),
    ['explain', 'Explain'],
    ...(isList
      ? []
      : ([['definition', kind.param === 'trait' ? 'Function' : 'Condition']] as [
          string,
          string,
        ][])),
    ['settings', 'Settings'],
  ]
}

function Tab({ tab, ...props }: OpenedProps & { readonly tab: string }): ReactElement {
  switch (tab) {
    case 'values':
      return <ValuesTab {...props} />
    case 'list':
      return <ListTab audienceId={props.record.id} space={props.record.space} />
    case 'explain':
      return <ExplainTab {...props} />
    case 'definition':
      return <DefinitionTab {...props} />
    case 'settings':
      return <SettingsTab {...props} />
    default:
      return <OverviewTab {...props} />
  }
}
