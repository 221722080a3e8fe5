import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useHasRole } from '../../../api/session.ts'
import { TabList } from '../../../design/controls/tab-list.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { PageHeading } from '../../../shell/page-heading.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import {
  AUDIENCES,
  type ComputationKind,
  computationsQuery,
  TRAITS,
} from '../record/computation-kind.ts'
import { ButtonLink } from '../record/page-link.tsx'
import { ComputationTable } from './computation-table.tsx'

const TABS = [
  ['audiences', 'Audiences'],
  ['traits', 'Computed traits'],
] as const

export function ListPage(): ReactElement {
  const [{ list }, setUrl] = useUrlState<'list' | 'q'>()
  const canEdit = useHasRole('editor')
  const kind = list === 'traits' ? TRAITS : AUDIENCES
  return (
    <>
      <PageHeading
        title="Audiences"
        about="Groups of users, and computed traits, kept up to date and sent to your destinations."
        actions={
          canEdit && (
            <>
              <ButtonLink search={{ new: 'trait' }}>New computed trait</ButtonLink>
              <ButtonLink search={{ new: 'audience' }} variant="primary">
                New audience
              </ButtonLink>
            </>
          )
        }
      />
      <TabList
        label="Lists"
        tabs={TABS}
        value={kind.resource}
        onChange={(next) => setUrl({ list: next === 'audiences' ? undefined : next, q: undefined })}
      >
        <Panel isFlush>
          <h2 className="sr-only">{`All ${kind.one}s`}</h2>
          <List kind={kind} key={kind.resource} />
        </Panel>
      </TabList>
    </>
  )
}

function List({ kind }: { readonly kind: ComputationKind }): ReactElement {
  const query = useQuery(computationsQuery(kind))
  const canEdit = useHasRole('editor')
  return (
    <Loaded query={query} lines={6}>
      {(records) =>
        records.length > 0 ? (
          <ComputationTable kind={kind} records={records} />
        ) : (
          <Empty
            title={`No ${kind.one}s yet`}
            action={
              canEdit && (
                <ButtonLink search={{ new: kind.param }} variant="primary">
                  Create {kind.one}
                </ButtonLink>
              )
            }
          >
            {kind === AUDIENCES
              ? 'An audience is a group of users, such as those with two orders in the last 30 days.'
              : 'A computed trait is a value per user, such as the sum of all orders in the last 30 days.'}
          </Empty>
        )
      }
    </Loaded>
  )
}
