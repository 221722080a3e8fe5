import type { ReactElement, ReactNode } from 'react'
import { listCountText } from '../../format/figures.ts'
import { Button } from '../controls/button.tsx'

interface ListFooterProps {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
  readonly count: number
  readonly one: string
  readonly many?: string
  /** The label of the button. */
  readonly more?: string
  readonly children?: ReactNode
}

/** The number of loaded rows, and a button for the next page. */
export function ListFooter(props: ListFooterProps): ReactElement {
  const { query, count, one, many = `${one}s`, more = 'Load older', children } = props
  return (
    <footer className="text-ink-faint border-line text-note flex flex-wrap items-center gap-3 border-t px-4 py-2">
      <span role="status">
        {count === 0
          ? `No matches among the newest ${many}.`
          : listCountText(query.hasNextPage, count, one, many)}
      </span>
      {children}
      {query.hasNextPage && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {count === 0 ? `Search older ${many}` : more}
        </Button>
      )}
    </footer>
  )
}
