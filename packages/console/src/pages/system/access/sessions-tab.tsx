import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { CONSOLE_PATH } from '../../../api/addresses.ts'
import { api } from '../../../api/client.ts'
import type { Session } from '@hookline/cli/management-client'
import { allOf } from '../../../api/queries.ts'
import { sessionQuery, useHasRole } from '../../../api/session.ts'
import { Confirm } from '../../../design/dialogs/confirm.tsx'
import { Panel } from '../../../design/panel.tsx'
import { StateBadge } from '../../../design/state-badge.tsx'
import { Empty, Loaded, Skeleton } from '../../../design/states.tsx'
import { toast } from '../../../design/dialogs/toasts.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { AccessTable } from './access-table.tsx'
import { SignInLink } from './sign-in-link.tsx'

export function SessionsTab(): ReactElement {
  const isAdmin = useHasRole('admin')
  const { data: own } = useQuery(sessionQuery)
  if (own === undefined) return <Skeleton />
  if (!isAdmin)
    return (
      <Panel title="Your session">
        <p>
          You are signed in as {shownText(own.name, 80)} ({own.role}). Admins can see and end all
          sessions. To sign in on another browser, run <code>npx hookline console</code> with a
          token.
        </p>
      </Panel>
    )
  return (
    <div className="flex flex-col gap-4">
      <SignInLink role={own.role} />
      <SessionList ownId={own.id} />
    </div>
  )
}

function SessionList({ ownId }: { readonly ownId: string }): ReactElement {
  const [ending, setEnding] = useState<Session>()
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: () => allOf((page) => api.listSessions(page)),
  })
  const note = ({ id, openedBy }: Session): ReactElement => (
    <>
      {id === ownId && (
        <StateBadge tone="waiting" icon="check">
          This browser
        </StateBadge>
      )}
      <span className="text-ink-faint text-note block">opened by {openedBy}</span>
    </>
  )
  return (
    <Panel title="Sessions" isFlush>
      <Loaded query={query} lines={4}>
        {(sessions) =>
          sessions.length === 0 ? (
            <Empty title="No sessions">
              Browsers on this machine need no sign-in. A sign-in link opens a session.
            </Empty>
          ) : (
            <AccessTable items={sessions} noun="session" verb="End" onEnd={setEnding} note={note} />
          )
        }
      </Loaded>
      {ending !== undefined && (
        <EndSession
          session={ending}
          isOwn={ending.id === ownId}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Panel>
  )
}

interface EndSessionProps {
  readonly session: Session
  readonly isOwn: boolean
  readonly onClose: () => void
}

function EndSession({ session: { id, name }, isOwn, onClose }: EndSessionProps): ReactElement {
  const client = useQueryClient()
  const end = async (): Promise<void> => {
    await api.removeSession(id)
    // A full page load clears the session's data from memory.
    if (isOwn) return location.assign(`${CONSOLE_PATH}sign-in`)
    toast('Session ended.')
    await client.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <Confirm
      title={isOwn ? 'Sign out of this browser?' : 'End this session?'}
      action={isOwn ? 'Sign out' : 'End session'}
      onClose={onClose}
      onConfirm={end}
    >
      <p>
        The browser signed in with <strong className="break-words">{shownText(name, 80)}</strong>{' '}
        will have to sign in again.
        {!isOwn && ' To revoke access, also delete the token.'}
      </p>
    </Confirm>
  )
}
