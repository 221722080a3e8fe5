import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { problemOf } from '../api/problem.ts'
import { Empty, Failed, Skeleton } from '../design/states.tsx'
import { shownText } from '../format/shown-text.ts'
import { PageHeading } from './page-heading.tsx'

interface Props<T> {
  readonly id: string
  /** The kind of record: `Delivery`. */
  readonly title: string
  readonly query: UseQueryResult<T>
  readonly found: (data: T) => ReactElement
  /** Why it may be missing. */
  readonly why: string
  /** The list of all such records. */
  readonly all: { readonly to: string; readonly words: string }
}

/** Redirects from the id of a record without its own page, or reports that it does not exist. */
export function Redirect<T>({ id, title, query, found, why, all }: Props<T>): ReactElement {
  const { data, error, refetch } = query
  const isMissing = error !== null && problemOf(error).status === 404
  if (data !== undefined && !isMissing) return found(data)
  return (
    <>
      <PageHeading title={title} />
      {error === null ? (
        <Skeleton />
      ) : isMissing ? (
        <Empty
          title={`${title} not found`}
          action={
            <Link to={all.to} className="text-accent underline">
              {all.words}
            </Link>
          }
        >
          {shownText(id, 60)} was not found. The ID is incomplete, or {why}.
        </Empty>
      ) : (
        <Failed error={error} onRetry={() => void refetch()} />
      )}
    </>
  )
}
