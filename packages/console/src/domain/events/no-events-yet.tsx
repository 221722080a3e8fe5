import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { Empty } from '../../design/states.tsx'

/** Shown in a list while no event has been received. The children explain what will appear. */
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
