import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { problemOf } from '../api/problem.ts'
import { Empty, Failed, Skeleton } from '../design/states.tsx'
import { shownText } from '../format/shown-text.ts'
import { PageHeading } from './page-heading.tsx'

interface LeadOnProps<T> {
  readonly id: string
  /** What the id is one of, as a title: `Delivery`. */
  readonly title: string
  readonly query: UseQueryResult<T>
  /** Leads to the place of what was found. */
  readonly found: (data: T) => ReactElement
  /** Why it may not be there. */
  readonly why: string
  /** Where all are that may be meant. */
  readonly all: { readonly to: string; readonly words: string }
}

/** Leads from the id of something that has no page to where it is shown, or says that it is nowhere. */
export function LeadOn<T>({ id, title, query, found, why, all }: LeadOnProps<T>): ReactElement {
  const { data, error, refetch } = query
  if (data !== undefined) return found(data)
  return (
    <>
      <PageHeading title={title} />
      {error === null ? (
        <Skeleton />
      ) : problemOf(error).status === 404 ? (
        <Empty
          title={`No ${title.toLowerCase()} has this id`}
          action={
            <Link to={all.to} className="text-accent underline">
              {all.words}
            </Link>
          }
        >
          {shownText(id, 60)} is not stored: the id is not complete, or {why}.
        </Empty>
      ) : (
        <Failed error={error} onRetry={() => void refetch()} />
      )}
    </>
  )
}
