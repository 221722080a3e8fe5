import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { Empty } from '../design/states.tsx'

export function NotFoundPage(): ReactElement {
  return (
    <main>
      <Empty
        title="There is no such page"
        action={
          <Link to="/" className="text-accent underline">
            Go to the overview
          </Link>
        }
      >
        The address may be of another version of the console.
      </Empty>
    </main>
  )
}
