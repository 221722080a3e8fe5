import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { useMay } from '../../api/session.ts'
import { CopyButton } from '../../design/controls/copy-button.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Failed, Skeleton } from '../../design/states.tsx'
import { shownText } from '../../format/shown-text.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { EventsPanel, userEventsQuery } from './events-panel.tsx'
import { ProfileView } from './profile-view.tsx'
import { SpacePicker } from './space-picker.tsx'

const AGAIN_MS = 5_000

/** Everything that is known of a user: the profile, the last events, and whether it is suppressed. */
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
        <Profile userId={userId} space={space} />
        <EventsPanel userId={userId} />
      </div>
    </>
  )
}

interface UserInSpace {
  readonly userId: string
  readonly space: string
}

/** The profile of a user. One that is missing is not asked for again: most often, the id is of another thing. */
function profileQuery({ userId, space }: UserInSpace) {
  return queryOptions({
    queryKey: ['profiles', space, userId],
    queryFn: () => api.findProfile(userId, { space }),
    refetchInterval: ({ state }) => (isMissing(state.error) ? false : AGAIN_MS),
  })
}

function isMissing(error: unknown): boolean {
  return error !== null && problemOf(error).status === 404
}

function Profile(user: UserInSpace): ReactElement {
  const { userId } = user
  const query = useQuery(profileQuery(user))
  if (isMissing(query.error))
    return (
      <Panel title="Profile" isFlush>
        <Empty title="No profile">
          <p>{problemOf(query.error).message}</p>
          <p>
            Profiles are kept from the first <AudiencesLink /> or computed trait on. The events of
            the user are below.
          </p>
        </Empty>
      </Panel>
    )
  if (query.data !== undefined) return <ProfileView profile={query.data} userId={userId} />
  if (query.error !== null)
    return <Failed error={query.error} onRetry={() => void query.refetch()} />
  return <Skeleton lines={6} />
}

function AudiencesLink(): ReactElement {
  return (
    <Link to="/audiences" className="text-accent underline">
      audience
    </Link>
  )
}

/** Only of whom something is kept: an id that is mistyped, or of another thing, invites to no deletion. */
function DeleteLink(user: UserInSpace): ReactElement | null {
  const { userId } = user
  const mayDelete = useMay('admin')
  const { data: profile } = useQuery(profileQuery(user))
  const { data: events } = useQuery(userEventsQuery(userId))
  const isKnown = profile !== undefined || (events?.data.length ?? 0) > 0
  if (!mayDelete || !isKnown) return null
  return (
    <Link
      to="/privacy"
      search={{ userId }}
      className="bg-surface text-failed border-failed hover:bg-failed-soft rounded-small text-dense inline-flex min-h-8 items-center border px-3 py-1 font-medium"
    >
      Delete this user
    </Link>
  )
}
