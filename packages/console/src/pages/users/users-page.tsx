import type { ProfileSummary } from '@hookline/cli/management-client'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { usePages } from '../../api/use-pages.ts'
import { Button } from '../../design/controls/button.tsx'
import { SearchForm } from '../../design/controls/search-form.tsx'
import { MoreButton } from '../../design/lists/more-button.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { shownText } from '../../format/shown-text.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { SpacePicker } from './space-picker.tsx'

/** How often the search is repeated while the index is built. */
const INDEXING_MS = 1_000

export function UsersPage(): ReactElement {
  const [{ search = '', space = 'default', order }, setUrl] = useUrlState<
    'search' | 'space' | 'order'
  >()
  const [indexed, setIndexed] = useState<number>()
  const isLargest = order === 'largest'
  const query = usePages<ProfileSummary>({
    queryKey: ['profiles', 'list', space, search, order],
    fetch: async (page, signal) => {
      const filter = search === '' ? isLargest && { order: 'largest' as const } : { search }
      const found = await api.listProfiles({ ...page, space, ...filter }, { signal })
      setIndexed(found.indexed)
      return found
    },
    refetchMs: () => (indexed === undefined ? false : INDEXING_MS),
  })
  return (
    <>
      <PageHeading title="Users" actions={<SpacePicker space={space} />} />
      <Panel isFlush>
        <SearchForm
          key={search}
          label="userId, anonymousId or email"
          search={search}
          onSearch={(text) => (text === search ? void query.refetch() : setUrl({ search: text }))}
        >
          {search === '' && (
            <Button
              aria-pressed={isLargest}
              onClick={() => setUrl({ order: isLargest ? undefined : 'largest' })}
            >
              Most IDs first
            </Button>
          )}
        </SearchForm>
        {indexed !== undefined && (
          <p role="status" className="text-ink-soft px-4 pt-3">
            Results are incomplete: {Math.round(indexed * 100)}% of the profiles are indexed so far.
          </p>
        )}
        <Loaded query={query} lines={8}>
          {(profiles) =>
            profiles.length === 0 ? (
              indexed === undefined && <NoProfiles search={search} />
            ) : (
              <ProfileTable profiles={profiles} space={space} />
            )
          }
        </Loaded>
        <MoreButton query={query}>Show more</MoreButton>
      </Panel>
    </>
  )
}

function NoProfiles({ search }: { readonly search: string }): ReactElement {
  return search !== '' ? (
    <Empty
      title="No matches"
      action={
        <Link to="/events" search={{ text: search }} className="text-accent underline">
          Find events containing “{shownText(search, 60)}”
        </Link>
      }
    >
      Search by userId prefix, full anonymousId or full email address. Profiles are built once there
      is an audience or a computed trait.
    </Empty>
  ) : (
    <Empty title="No profiles">
      Profiles are built once there is an audience or a computed trait.
    </Empty>
  )
}

interface ProfileTableProps {
  readonly profiles: readonly ProfileSummary[]
  readonly space: string
}

function ProfileTable({ profiles, space }: ProfileTableProps): ReactElement {
  return (
    <Table label="Profiles" head={['User', 'Email', 'Name', 'Last seen', 'anonymousIds']}>
      {profiles.map(({ userIds, anonymousIds, traits, lastSeenAt }) => (
        <Row key={[...userIds, ...anonymousIds].join('\n')}>
          <Cell className="min-w-32 font-medium">
            {userIds[0] === undefined ? (
              <span className="text-ink-soft">no userId yet</span>
            ) : (
              <Link
                to="/users/$userId"
                params={{ userId: userIds[0] }}
                search={{ space }}
                className="text-accent hover:underline"
              >
                {userIds.map((id) => shownText(id, 60)).join(', ')}
              </Link>
            )}
          </Cell>
          <Cell className="min-w-32">{textOf(traits['email'])}</Cell>
          <Cell className="min-w-24">{textOf(traits['name'])}</Cell>
          <Cell>{lastSeenAt === null ? 'never' : <Time at={lastSeenAt} />}</Cell>
          <Cell className="min-w-24">
            {shownText(anonymousIds.slice(0, 3).join(', '), 100)}
            {anonymousIds.length > 3 && ' …'}
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? shownText(value, 100) : ''
}
