import { isId } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { problemOf } from '../../api/problem.ts'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { isComputed, summaryOf, titleOf } from '../../domain/events/event-summary.ts'
import { useNames } from '../../domain/names.ts'
import { EventFacts } from '../../domain/trace/event-facts.tsx'
import { Explained } from '../../domain/trace/explained.tsx'
import { findingExplanations } from '../../domain/trace/explanations.ts'
import { type Trace, traceQuery, useTraceUpdates } from '../../domain/trace/trace-query.ts'
import { verdictOf } from '../../domain/trace/verdict.ts'
import { shownText } from '../../format/shown-text.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { MissingCauses } from './missing-causes.tsx'
import { ReplayButton } from './replay-button.tsx'
import { TraceTabs } from './trace-tabs.tsx'

const MOST_CHARACTERS = 120

/** Answers for one event: what became of it at each destination, why, and what to do. */
export function TracePage(): ReactElement {
  const { id = '' } = useParams({ strict: false })
  const query = useQuery(traceQuery(id))
  if (query.data === undefined && query.error && problemOf(query.error).status === 404)
    return <NoSuchEvent id={id} />
  if (query.data === undefined)
    return (
      <>
        <PageHeading title="Event" />
        <Loaded query={query} lines={9}>
          {() => null}
        </Loaded>
      </>
    )
  return <ShownTrace trace={query.data} />
}

function ShownTrace({ trace }: { readonly trace: Trace }): ReactElement {
  const names = useNames()
  useTraceUpdates(trace)
  const title = titleOf(summaryOf(trace.event, isComputed(trace.sourceId)))
  const { tone, sentence } = verdictOf(trace)
  return (
    <>
      <PageHeading
        title={shownText(title, MOST_CHARACTERS)}
        up={
          <Link to="/events" className="text-accent hover:underline">
            All events
          </Link>
        }
        actions={<ReplayButton trace={trace} names={names} />}
      />
      <p role="status" className="mb-4 flex flex-wrap items-center gap-2 text-part">
        <StateBadge tone={tone}>{WORDS[tone]}</StateBadge>
        {sentence}
      </p>
      {findingExplanations(trace).map((each) => (
        <div key={each.cause} className="mb-4">
          <Explained explanation={each} />
        </div>
      ))}
      <Panel title="The event" className="mb-4">
        <EventFacts trace={trace} />
      </Panel>
      <TraceTabs trace={trace} names={names} />
    </>
  )
}

const WORDS = {
  delivered: 'Delivered',
  retrying: 'Retrying',
  failed: 'Failed',
  declined: 'Not sent',
  held: 'Held',
  waiting: 'Waiting',
} as const

function NoSuchEvent({ id }: { readonly id: string }): ReactElement {
  return (
    <>
      <PageHeading title="Event" />
      <Empty
        title="No event has this id"
        action={
          <Link to="/events" className="text-accent underline">
            Show all events
          </Link>
        }
      >
        {isId('evt', id) ? (
          <>
            <p>{shownText(id, 60)} is not stored.</p>
            <MissingCauses filters={{}} eventId={id} />
          </>
        ) : (
          <p>
            {shownText(id, 60)} is not a complete id: <code>evt_</code> and 26 characters. Copy it
            again.
          </p>
        )}
      </Empty>
    </>
  )
}
