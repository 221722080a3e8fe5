import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useMay } from '../../../api/session.ts'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { TabList } from '../../../design/controls/tab-list.tsx'
import { PageHeading } from '../../../shell/page-heading.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import {
  AUDIENCES,
  type ComputationKind,
  computationsQuery,
  TRAITS,
} from '../record/computation-kind.ts'
import { ButtonLink } from '../record/page-link.tsx'
import { UserSearch } from '../record/user-search.tsx'
import { ComputationTable } from './computation-table.tsx'

const TABS = [
  ['audiences', 'Audiences'],
  ['traits', 'Computed traits'],
] as const

/** All audiences, or all computed traits. */
export function ListPage(): ReactElement {
  const [{ list = 'audiences' }, setUrl] = useUrlState<'list' | 'q'>()
  const mayEdit = useMay('editor')
  const navigate = useNavigate()
  const kind = list === 'traits' ? TRAITS : AUDIENCES
  return (
    <>
      <PageHeading
        title="Audiences"
        about="Groups of users, and values of users, computed from profiles and events. Destinations get every change."
        actions={
          mayEdit && (
            <>
              <ButtonLink search={{ new: 'trait' }}>New computed trait</ButtonLink>
              <ButtonLink search={{ new: 'audience' }} look="main">
                New audience
              </ButtonLink>
            </>
          )
        }
      />
      <div className="mb-4">
        <UserSearch
          label="Find a user"
          action="Open"
          onUser={(userId) => void navigate({ to: '/users/$userId', params: { userId } })}
        />
      </div>
      <TabList
        label="Lists"
        tabs={TABS}
        value={kind.resource}
        onChange={(next) => setUrl({ list: next === 'audiences' ? undefined : next, q: undefined })}
      >
        <Panel isFlush>
          <h2 className="sr-only">All {kind.many}</h2>
          <List kind={kind} key={kind.resource} />
        </Panel>
      </TabList>
    </>
  )
}

function List({ kind }: { readonly kind: ComputationKind }): ReactElement {
  const query = useQuery(computationsQuery(kind))
  return (
    <Loaded query={query} lines={6}>
      {(records) =>
        records.length === 0 ? (
          <None kind={kind} />
        ) : (
          <ComputationTable kind={kind} records={records} />
        )
      }
    </Loaded>
  )
}

function None({ kind }: { readonly kind: ComputationKind }): ReactElement {
  const mayEdit = useMay('editor')
  const isAudience = kind === AUDIENCES
  return (
    <Empty
      title={isAudience ? 'No audiences yet' : 'No computed traits yet'}
      action={
        mayEdit && (
          <ButtonLink search={{ new: kind.param }} look="main">
            {isAudience ? 'Build the first audience' : 'Make the first computed trait'}
          </ButtonLink>
        )
      }
    >
      {isAudience
        ? 'An audience is a group of users, such as those with two orders in the last 30 days. The builder shows at once how many users there are.'
        : 'A computed trait is a value of each user that is made from events, such as the sum of all orders of the last 30 days.'}
    </Empty>
  )
}
