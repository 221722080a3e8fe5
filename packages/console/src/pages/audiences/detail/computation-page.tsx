import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { TabList } from '../../../design/controls/tab-list.tsx'
import { Loaded } from '../../../design/states.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { PageHeading } from '../../../shell/page-heading.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import {
  type ComputationKind,
  type ComputationProps,
  computationQuery,
  definitionOf,
} from '../record/computation-kind.ts'
import { ComputationState } from '../record/computation-state.tsx'
import { PageLink } from '../record/page-link.tsx'
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

export function ComputationPage({ kind, id }: ComputationPageProps): ReactElement {
  const query = useQuery(computationQuery(kind, id))
  return (
    <>
      <p className="text-dense mb-2">
        <PageLink search={kind.listSearch}>All {kind.one}s</PageLink>
      </p>
      <Loaded query={query} lines={6}>
        {(record) => <Opened kind={kind} record={record} />}
      </Loaded>
    </>
  )
}

function Opened({ kind, record }: ComputationProps): ReactElement {
  const [{ tab = 'overview' }, setUrl] = useUrlState<'tab'>()
  const tabs: readonly (readonly [string, string])[] = [
    ['overview', 'Overview'],
    ['values', kind.valuesLabel],
    ...(definitionOf(record) === null ? ([['list', 'List']] as const) : []),
    ['explain', 'Explain'],
    ...(definitionOf(record) === null ? [] : ([['definition', kind.definitionLabel]] as const)),
    ['settings', 'Settings'],
  ]
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
        label="Sections"
        tabs={tabs}
        value={open}
        onChange={(next) => setUrl({ tab: next === 'overview' ? undefined : next })}
      >
        <Tab kind={kind} record={record} tab={open} />
      </TabList>
    </>
  )
}

function Tab({ tab, ...props }: ComputationProps & { readonly tab: string }): ReactElement {
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
