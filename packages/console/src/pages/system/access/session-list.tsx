import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { CONSOLE_PATH } from '../../../api/addresses.ts'
import { api } from '../../../api/client.ts'
import type { Session } from '@hookline/cli/management-client'
import { allOf } from '../../../api/queries.ts'
import { Confirm } from '../../../design/windows/confirm.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { SessionTable } from './session-table.tsx'

interface SessionListProps {
  /** The session of this browser. */
  readonly ownId: string
}

/** All open sessions, which an admin can end. */
export function SessionList({ ownId }: SessionListProps): ReactElement {
  const [ending, setEnding] = useState<Session>()
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: () => allOf((page) => api.listSessions(page)),
  })
  return (
    <Panel title="Sessions" isFlush>
      <Loaded query={query} lines={4}>
        {(sessions) =>
          sessions.length === 0 ? (
            <Empty title="No browser is signed in">
              This service needs no sign-in on this machine. A sign-in link opens a session.
            </Empty>
          ) : (
            <SessionTable sessions={sessions} ownId={ownId} onEnd={setEnding} />
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
    // A new document: nothing of the session is left in the memory of the tab.
    if (isOwn) return location.assign(`${CONSOLE_PATH}sign-in`)
    toast('The session has ended.')
    await client.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <Confirm
      title={isOwn ? 'Sign out this browser?' : 'End this session?'}
      action={isOwn ? 'Sign out' : 'End the session'}
      onClose={onClose}
      onConfirm={end}
    >
      <p>
        The browser that signed in as <strong className="break-words">{shownText(name, 80)}</strong>{' '}
        has to sign in again.
        {!isOwn && ' To keep its person out, remove the token that it signs in with, too.'}
      </p>
    </Confirm>
  )
}
