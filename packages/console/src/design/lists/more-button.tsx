import type { ReactElement } from 'react'
import { Button } from '../controls/button.tsx'
import { ErrorText } from '../states.tsx'

interface MoreButtonProps {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly error: unknown
    readonly fetchNextPage: () => Promise<unknown>
  }
  readonly children: string
}

/** Loads the next page of a list. Shows nothing after the last page. */
export function MoreButton({ query, children }: MoreButtonProps): ReactElement | null {
  if (!query.hasNextPage) return null
  return (
    <div className="flex flex-wrap items-center gap-3 p-4">
      <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {children}
      </Button>
      <ErrorText error={query.error} />
    </div>
  )
}
