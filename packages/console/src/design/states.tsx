import type { ReactElement, ReactNode } from 'react'
import { problemOf } from '../api/problem.ts'
import { Button } from './controls/button.tsx'
import { CopyButton } from './controls/copy-button.tsx'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'

interface EmptyProps {
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** An empty list, with the next step. */
export function Empty({ title, children, action }: EmptyProps): ReactElement {
  return (
    <div className="flex flex-col items-start gap-2 px-4 py-8">
      <h2 className="text-part font-semibold">{title}</h2>
      <div className="text-ink-soft max-w-prose">{children}</div>
      {action !== undefined && <div className="mt-2 flex flex-wrap gap-2">{action}</div>}
    </div>
  )
}

interface FailedProps {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
}

export function Failed({ error, onRetry }: FailedProps): ReactElement {
  const problem = problemOf(error)
  return (
    <div role="alert" className="flex flex-col items-start gap-2 px-4 py-6">
      <h2 className="text-failed text-part flex items-center gap-2 font-semibold">
        <Icon name="warning" />
        {problem.status === 404 ? 'Not found' : 'Failed to load'}
      </h2>
      <p className="text-ink-soft max-w-prose">{problem.message}</p>
      {problem.requestId !== undefined && (
        <p className="text-ink-faint text-note">
          Request {problem.requestId}
          <CopyButton text={problem.requestId} what="the request ID" />
        </p>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

/** Below a form or a list: why it could not be submitted or loaded. */
export function ErrorText({ error }: { readonly error: unknown }): ReactElement | null {
  if (error === null) return null
  return (
    <p role="alert" className="text-failed">
      {problemOf(error).message}
    </p>
  )
}

export function Skeleton({ lines = 3 }: { readonly lines?: number }): ReactElement {
  return (
    <div role="status" className="flex flex-col gap-2 p-4">
      <span className="sr-only">Loading</span>
      {Array.from({ length: lines }, (_, index) => (
        <div
          key={index}
          className={classNames(
            'bg-hover rounded-small h-4 animate-pulse',
            index % 3 === 2 ? 'w-1/2' : index % 3 === 1 ? 'w-4/5' : 'w-full',
          )}
        />
      ))}
    </div>
  )
}

interface LoadedProps<Data> {
  readonly query: {
    readonly data: Data | undefined
    readonly error: unknown
    readonly refetch: () => unknown
  }
  readonly lines?: number
  readonly children: (data: Data) => ReactNode
}

export function Loaded<Data>({ query, lines, children }: LoadedProps<Data>): ReactNode {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  return <Skeleton {...(lines === undefined ? {} : { lines })} />
}
