import { type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { listCountText } from '../../format/figures.ts'
import { Button } from '../controls/button.tsx'
import { ErrorText } from '../states.tsx'

/** The number of pages searched for a first match before the user is asked whether to continue. */
const MAX_SEARCHED_PAGES = 40

interface ListQuery {
  readonly hasNextPage: boolean
  readonly isFetching: boolean
  readonly isFetchingNextPage: boolean
  readonly error: unknown
  readonly fetchNextPage: () => unknown
}

interface ListFooterProps {
  readonly query: ListQuery
  readonly count: number
  readonly one: string
  readonly many?: string
  /** The label of the button. */
  readonly more?: string
  readonly children?: ReactNode
}

/**
 * The number of loaded rows, and a button for the next page. While there are no rows, it loads up
 * to `MAX_SEARCHED_PAGES` more pages.
 */
export function ListFooter(props: ListFooterProps): ReactElement {
  const { query, count, one, many = `${one}s`, more = 'Load older', children } = props
  const search = useSearchForFirst(query, count)
  return (
    <footer className="text-ink-faint border-line text-note flex flex-wrap items-center gap-3 border-t px-4 py-2">
      <span role="status">
        {count > 0
          ? listCountText(query.hasNextPage, count, one, many)
          : search.isSearching
            ? `No matches among the newest ${many}. Searching older ${many}…`
            : `No matches among the newest ${many}.`}
      </span>
      {children}
      <ErrorText error={query.error} />
      {search.isSearching ? (
        <Button onClick={search.stop}>Stop</Button>
      ) : (
        query.hasNextPage && (
          <Button
            isBusy={query.isFetchingNextPage}
            onClick={count === 0 ? search.start : () => void query.fetchNextPage()}
          >
            {count === 0 ? `Search older ${many}` : more}
          </Button>
        )
      )}
    </footer>
  )
}

/** Loads pages until one has a match. A page of a selective search is often empty. */
function useSearchForFirst(query: ListQuery, count: number) {
  const { hasNextPage, isFetching, error, fetchNextPage } = query
  const [pagesLeft, setPagesLeft] = useState(MAX_SEARCHED_PAGES)
  const isSearching = count === 0 && hasNextPage && error === null && pagesLeft > 0
  useEffect(() => {
    if (!isSearching || isFetching) return
    setPagesLeft((left) => left - 1)
    void fetchNextPage()
  }, [isSearching, isFetching, fetchNextPage])
  return {
    isSearching,
    stop: () => setPagesLeft(0),
    start: () => {
      setPagesLeft(MAX_SEARCHED_PAGES)
      // After an error, the search continues only when the user asks.
      if (error !== null) void fetchNextPage()
    },
  }
}
