import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { sessionQuery, useMay } from '../../../api/session.ts'
import { Panel } from '../../../design/panel.tsx'
import { Skeleton } from '../../../design/states.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { SessionList } from './session-list.tsx'
import { SignInLink } from './sign-in-link.tsx'

/** Who is signed in to the console, and the link that signs in another browser. */
export function SessionsTab(): ReactElement {
  const isAdmin = useMay('admin')
  const { data: own } = useQuery(sessionQuery)
  if (own === undefined) return <Skeleton />
  return (
    <div className="flex flex-col gap-4">
      {isAdmin && <SignInLink role={own.role} />}
      {isAdmin ? (
        <SessionList ownId={own.id} />
      ) : (
        <Panel title="Your session">
          <p>
            You are signed in as {shownText(own.name, 80)}, with the role {own.role}. An admin sees
            the sessions of everybody, and can end them. To sign another browser in, run{' '}
            <code>npx hookline console</code> with a token.
          </p>
        </Panel>
      )}
    </div>
  )
}
