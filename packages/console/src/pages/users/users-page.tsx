import type { ProfileSummary } from '@hookline/cli/management-client'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { usePages } from '../../api/use-pages.ts'
import { Button } from '../../design/controls/button.tsx'
import { SearchForm } from '../../design/controls/search-form.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { shownText } from '../../format/shown-text.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { SpacePicker } from './space-picker.tsx'

/** The profiles of a space, and the search for one. */
export function UsersPage(): ReactElement {
  const [{ search = '', space = 'default', order }, setUrl] = useUrlState<
    'search' | 'space' | 'order'
  >()
  const [indexed, setIndexed] = useState<number>()
  const query = usePages<ProfileSummary>({
    queryKey: ['profiles', 'list', space, search, order],
    fetch: async (page, signal) => {
      const found = await api.listProfiles(
        {
          ...page,
          space,
          ...(search !== '' ? { search } : order === 'largest' && { order }),
        },
        { signal },
      )
      setIndexed(found.indexed)
      return found
    },
  })
  return (
    <>
      <PageHeading title="Users" actions={<SpacePicker space={space} />} />
      <Panel isFlush>
        <SearchForm
          key={search}
          label="userId, anonymousId or e-mail"
          search={search}
          onSearch={(text) => setUrl({ search: text === '' ? undefined : text })}
        >
          {search === '' && (
            <OrderButton order={order} onOrder={(next) => setUrl({ order: next })} />
          )}
        </SearchForm>
        {indexed !== undefined && <Indexing share={indexed} />}
        <Loaded query={query} lines={8}>
          {(profiles) =>
            profiles.length === 0 ? (
              <Empty title={search === '' ? 'No profiles' : 'Nobody found'}>
                {search === ''
                  ? 'Profiles of each space are kept from the first audience or computed trait on.'
                  : 'Search for the beginning of a userId, or for a whole anonymousId or e-mail address.'}
              </Empty>
            ) : (
              <ProfileTable profiles={profiles} space={space} />
            )
          }
        </Loaded>
        {query.hasNextPage && (
          <div className="p-4">
            <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </Panel>
    </>
  )
}

function Indexing({ share }: { readonly share: number }): ReactElement {
  return (
    <p role="status" className="text-ink-soft px-4 pt-3">
      E-mail addresses are being indexed: {Math.round(share * 100)} % done. Search again in a
      moment.
    </p>
  )
}

interface OrderButtonProps {
  readonly order: string | undefined
  readonly onOrder: (order: string | undefined) => void
}

function OrderButton({ order, onOrder }: OrderButtonProps): ReactElement {
  const isLargest = order === 'largest'
  return (
    <Button aria-pressed={isLargest} onClick={() => onOrder(isLargest ? undefined : 'largest')}>
      Most ids first
    </Button>
  )
}

interface ProfileTableProps {
  readonly profiles: readonly ProfileSummary[]
  readonly space: string
}

function ProfileTable({ profiles, space }: ProfileTableProps): ReactElement {
  return (
    <Table label="Profiles" head={['User', 'E-mail', 'Name', 'Last seen', 'anonymousIds']}>
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
