import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { FactList } from '../../design/lists/fact-list.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Time } from '../../design/texts/time.tsx'
import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { isComputed, summaryOf } from '../events/event-summary.ts'
import type { Trace } from './trace-query.ts'

const MARKS: Readonly<Record<Trace['marks'][number], string>> = {
  precision_lost:
    'It has a number that was rounded: one beyond 2⁵³, or one that became 0. Send it as text.',
  characters_lost:
    'It had bytes that are not UTF-8, which became U+FFFD. Two keys may have become one. Send UTF-8.',
  timestamp_unreadable:
    'Its timestamp could not be read, so the time of receipt stands in its place. Send ISO 8601.',
}

/** Who sent the event, when, and what Hookline noticed about it. */
export function EventFacts({ trace }: { readonly trace: Trace }): ReactElement {
  const { id, event, sourceId, source, receivedAt, marks } = trace
  const computed = isComputed(sourceId)
  const { type, userId, anonymousId, messageId } = summaryOf(event, computed)
  return (
    <FactList
      isWide
      facts={[
        ['Type', shownText(computed ? `${type}, computed` : type, 40)],
        ['Received', <ReceivedAt key="at" at={receivedAt} />],
        ['User', userId === null ? undefined : <User key="user" id={userId} />],
        [
          'anonymousId',
          anonymousId === null ? undefined : <IdText id={anonymousId} what="the anonymousId" />,
        ],
        [
          'messageId',
          messageId === null ? undefined : <IdText id={messageId} what="the messageId" />,
        ],
        ['Event', <IdText key="id" id={id} what="the id of the event" />],
        [
          computed ? 'Computed by' : 'Source',
          <Origin key="source" id={sourceId} name={source.name} />,
        ],
        ['Sent by', senderOf(event['context'])],
        ['Duplicates', duplicatesOf(trace)],
        ['Noticed', marks.length === 0 ? undefined : marks.map((mark) => MARKS[mark]).join(' ')],
      ]}
    />
  )
}

function ReceivedAt({ at }: { readonly at: string }): ReactElement {
  return (
    <span className="*:whitespace-normal">
      <Time at={at} form="full" /> (<Time at={at} />)
    </span>
  )
}

function User({ id }: { readonly id: string }): ReactElement {
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-3">
      <IdText id={id} what="the userId" />
      <Link to="/users/$userId" params={{ userId: id }} className="text-accent hover:underline">
        Open the user
      </Link>
    </span>
  )
}

interface OriginProps {
  readonly id: string
  readonly name: string | null
}

/** The source; of a computed event, the audience or the computed trait. */
function Origin({ id, name }: OriginProps): ReactElement {
  const shown = name === null ? `${id} (removed)` : shownText(name, 80)
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

/** The library and the address that the call names in its context. */
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

function duplicatesOf({ duplicates, lastDuplicateAt }: Trace): ReactNode {
  if (duplicates === 0) return undefined
  return (
    <>
      {counted(duplicates, 'later call')} with the same messageId
      {duplicates === 1 ? ' was' : ' were'} dropped
      {lastDuplicateAt !== null && (
        <>
          , the last one <Time at={lastDuplicateAt} />
        </>
      )}
      . A client that repeats a request sends the same messageId, and then this is right. Otherwise
      give each call a messageId of its own.
    </>
  )
}
