import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { Empty } from '../design/states.tsx'

export function NotFoundPage(): ReactElement {
  return (
    <main>
      <Empty
        title="Page not found"
        action={
          <Link to="/" className="text-accent underline">
            Go to the overview
          </Link>
        }
      >
        This version of the console does not have this page.
      </Empty>
    </main>
  )
}
