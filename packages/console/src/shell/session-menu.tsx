import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { CONSOLE_PATH } from '../api/addresses.ts'
import { api } from '../api/client.ts'
import { sessionQuery } from '../api/session.ts'
import { Button } from '../design/controls/button.tsx'
import { shownText } from '../format/shown-text.ts'

export function SessionMenu(): ReactElement | null {
  const { data: session } = useQuery(sessionQuery)
  if (session === undefined) return null
  if (session.kind === 'open')
    return (
      <p className="text-ink-faint text-note px-2">
        Development mode: browsers on this machine need no sign-in.
      </p>
    )
  const signOut = async (): Promise<void> => {
    await api.removeSession(session.id)
    // A new document clears the session from memory.
    location.assign(`${CONSOLE_PATH}sign-in`)
  }
  return (
    <div className="text-note flex flex-col items-start gap-1 px-2">
      <p className="text-ink-soft">
        {shownText(session.name, 60)} <span className="text-ink-faint">({session.role})</span>
      </p>
      <Button variant="quiet" className="-ml-3 min-h-7" onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  )
}
