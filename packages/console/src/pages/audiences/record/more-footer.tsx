import type { ReactElement } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { countText } from '../../../format/figures.ts'

interface MoreFooterProps {
  readonly shown: number
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
}

export function MoreFooter({ shown, query }: MoreFooterProps): ReactElement {
  return (
    <footer className="text-ink-soft text-dense flex items-center gap-3 px-4 py-3">
      Showing {countText(shown, 'user')}
      {query.hasNextPage && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </footer>
  )
}
