import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { FactList } from '../../design/lists/fact-list.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Time } from '../../design/texts/time.tsx'
import { countText } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { isComputed, summaryOf } from '../events/event-summary.ts'
import { useNames } from '../names.ts'
import type { Trace } from './trace-query.ts'

const EVENT_WARNINGS: Readonly<Record<Trace['warnings'][number], string>> = {
  precision_lost: 'A number was rounded: it exceeds 2⁵³ or became 0. Send it as a string.',
  characters_lost:
    'Invalid UTF-8 was replaced with U+FFFD, which can make two keys identical. Send valid UTF-8.',
  timestamp_unreadable:
    'The timestamp was invalid and was replaced with the time of receipt. Send ISO 8601.',
}

export function EventFacts({ trace }: { readonly trace: Trace }): ReactElement {
  const { id, event, sourceId, source, receivedAt, warnings } = trace
  const computed = isComputed(sourceId)
  const { type, userId, anonymousId, messageId } = summaryOf(event, computed)
  return (
    <FactList
      isWide
      facts={[
        ['Type', shownText(computed ? `${type}, computed` : type, 40)],
        [
          'Received',
          <span className="*:whitespace-normal">
            <Time at={receivedAt} form="full" /> (<Time at={receivedAt} />)
          </span>,
        ],
        ['User', userId === null ? undefined : <User id={userId} sourceId={sourceId} />],
        ['anonymousId', idOrNothing(anonymousId, 'the anonymousId')],
        ['messageId', idOrNothing(messageId, 'the messageId')],
        ['Event ID', <IdText id={id} what="the event ID" />],
        [computed ? 'Computed by' : 'Source', <Origin id={sourceId} name={source.name} />],
        ['Sent by', senderOf(event['context'])],
        ['Distributed trace', traceOf(trace)],
        ['Duplicates', duplicatesOf(trace)],
        [
          'Warnings',
          warnings.length === 0
            ? undefined
            : warnings.map((warning) => EVENT_WARNINGS[warning]).join(' '),
        ],
      ]}
    />
  )
}

function idOrNothing(id: string | null, what: string): ReactNode {
  return id === null ? undefined : <IdText id={id} what={what} />
}

interface UserProps {
  readonly id: string
  readonly sourceId: string
}

function User({ id, sourceId }: UserProps): ReactElement {
  const { spaceOf } = useNames()
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-3">
      <IdText id={id} what="the userId" />
      <Link
        to="/users/$userId"
        params={{ userId: id }}
        search={{ space: spaceOf(sourceId) }}
        className="text-accent hover:underline"
      >
        Open profile
      </Link>
    </span>
  )
}

interface OriginProps {
  readonly id: string
  readonly name: string | null
}

function Origin({ id, name }: OriginProps): ReactElement {
  const shown = name === null ? `${id} (deleted)` : shownText(name, 80)
  const look = 'text-accent hover:underline'
  return id.startsWith('src_') ? (
    <Link to="/sources" search={{ source: id }} className={look}>
      {shown}
    </Link>
  ) : (
    <Link
      to="/audiences"
      search={id.startsWith('trt_') ? { trait: id } : { audience: id }}
      className={look}
    >
      {shown}
    </Link>
  )
}

/** The library and the IP address in the context of the call. */
function senderOf(context: unknown): ReactNode {
  const { library, ip } = objectOr(context)
  const { name, version } = objectOr(library)
  const program = [name, version].filter((each) => typeof each === 'string').join(' ')
  const address = typeof ip === 'string' ? `from ${ip}` : ''
  const words = [program, address].filter(Boolean).join(' ')
  return words === '' ? undefined : shownText(words, 160)
}

function objectOr(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function traceOf({ traceId, traceUrl }: Trace): ReactNode {
  if (traceId === null) return undefined
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-3">
      <IdText id={traceId} what="the distributed trace ID" />
      {traceUrl !== null && (
        <a href={traceUrl} rel="noreferrer" className="text-accent hover:underline">
          Open distributed trace
        </a>
      )}
    </span>
  )
}

function duplicatesOf({ duplicates, lastDuplicateAt }: Trace): ReactNode {
  if (duplicates === 0) return undefined
  return (
    <>
      Dropped {countText(duplicates, 'later call')} with the same messageId
      {lastDuplicateAt !== null && (
        <>
          , the last one <Time at={lastDuplicateAt} />
        </>
      )}
      . Use a unique messageId for each call. Duplicates are normal if a client retried a request.
    </>
  )
}
