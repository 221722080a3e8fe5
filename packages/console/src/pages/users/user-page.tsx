import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { useHasRole } from '../../api/session.ts'
import { CopyButton } from '../../design/controls/copy-button.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { shownText } from '../../format/shown-text.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { EventsPanel, userEventsQuery } from './events-panel.tsx'
import { ProfileView } from './profile-view.tsx'
import { SpacePicker } from './space-picker.tsx'

const REFETCH_MS = 5_000

export function UserPage(): ReactElement {
  const { userId = '' } = useParams({ strict: false })
  const [{ space = 'default' }] = useUrlState<'space'>()
  return (
    <>
      <PageHeading
        title={`User ${shownText(userId, 80)}`}
        actions={
          <>
            <CopyButton text={userId} what="the userId" className="self-center" />
            <SpacePicker space={space} />
            <DeleteLink userId={userId} space={space} />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <EventsPanel userId={userId} />
        <Profile userId={userId} space={space} />
      </div>
    </>
  )
}

interface UserInSpace {
  readonly userId: string
  readonly space: string
}

/** A missing profile is not polled: the id is most likely mistyped. */
function profileQuery({ userId, space }: UserInSpace) {
  return queryOptions({
    queryKey: ['profiles', space, userId],
    queryFn: () => api.findProfile(userId, { space }),
    refetchInterval: ({ state }) => (isMissing(state.error) ? false : REFETCH_MS),
  })
}

function isMissing(error: unknown): boolean {
  return error !== null && problemOf(error).status === 404
}

function Profile(user: UserInSpace): ReactElement {
  const query = useQuery(profileQuery(user))
  if (isMissing(query.error))
    return (
      <Panel title="Profile" isFlush>
        <Empty title="No profile">
          <p>{problemOf(query.error).message}</p>
          <p>
            Profiles are built once there is an{' '}
            <Link to="/audiences" className="text-accent underline">
              audience
            </Link>{' '}
            or a computed trait.
          </p>
        </Empty>
      </Panel>
    )
  return (
    <Loaded query={query} lines={6}>
      {(profile) => <ProfileView profile={profile} userId={user.userId} />}
    </Loaded>
  )
}

/** Hidden for unknown users: a mistyped id should not invite a deletion. */
function DeleteLink(user: UserInSpace): ReactElement | null {
  const { userId } = user
  const canDelete = useHasRole('admin')
  const { data: profile } = useQuery(profileQuery(user))
  const { data: events } = useQuery(userEventsQuery(userId))
  const isKnown = profile !== undefined || (events?.data.length ?? 0) > 0
  if (!canDelete || !isKnown) return null
  return (
    <Link
      to="/privacy"
      search={{ userId }}
      className="bg-surface text-failed border-failed hover:bg-failed-soft rounded-small text-dense inline-flex min-h-8 items-center border px-3 py-1 font-medium"
    >
      Delete user
    </Link>
  )
}
