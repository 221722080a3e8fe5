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
        This page does not exist in this version of the console.
      </Empty>
    </main>
  )
}
