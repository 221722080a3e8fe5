import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { Empty } from '../../design/states.tsx'

/** An empty list because no event was received yet. The children say what will appear. */
export function NoEventsYet({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <Empty
      title="No events yet"
      action={
        <Link to="/get-started" className="text-accent underline">
          Send the first event
        </Link>
      }
    >
      {children}
    </Empty>
  )
}
