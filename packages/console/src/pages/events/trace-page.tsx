import { isId } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { problemOf } from '../../api/problem.ts'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { TabList } from '../../design/controls/tab-list.tsx'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { JsonBlock } from '../../design/texts/json-block.tsx'
import { isComputed, summaryOf, titleOf } from '../../domain/events/event-summary.ts'
import { type Names, useNames } from '../../domain/names.ts'
import { DestinationOutcome } from '../../domain/trace/destination-outcome.tsx'
import { EventFacts } from '../../domain/trace/event-facts.tsx'
import { ExplanationText } from '../../domain/trace/explanation-text.tsx'
import { findingExplanations } from '../../domain/trace/explanations.ts'
import { replayChoices } from '../../domain/trace/replay-choices.ts'
import { ReplayDialog } from '../../domain/trace/replay-dialog.tsx'
import { TimeLine } from '../../domain/trace/time-line.tsx'
import { type Trace, traceQuery, useTraceUpdates } from '../../domain/trace/trace-query.ts'
import { byUrgency, verdictOf } from '../../domain/trace/verdict.ts'
import { shownText } from '../../format/shown-text.ts'
import { useKeys } from '../../shell/keys/keys.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { Exchanges } from './exchanges.tsx'
import { MissingCauses } from './missing-causes.tsx'

/** What happened to one event at each destination, and why. */
export function TracePage(): ReactElement {
  const { id = '' } = useParams({ strict: false })
  const query = useQuery(traceQuery(id))
  if (query.data !== undefined) return <ShownTrace trace={query.data} />
  if (query.error && problemOf(query.error).status === 404) return <NoSuchEvent id={id} />
  return (
    <>
      <PageHeading title="Event" />
      <Loaded query={query} lines={9}>
        {() => null}
      </Loaded>
    </>
  )
}

const TONE_WORDS = {
  delivered: 'Delivered',
  retrying: 'Retrying',
  failed: 'Failed',
  declined: 'Not sent',
  held: 'Held',
  waiting: 'Waiting',
} as const

function ShownTrace({ trace }: { readonly trace: Trace }): ReactElement {
  const names = useNames()
  useTraceUpdates(trace)
  const title = titleOf(summaryOf(trace.event, isComputed(trace.sourceId)))
  const { tone, sentence } = verdictOf(trace)
  return (
    <>
      <PageHeading
        title={shownText(title, 120)}
        up={
          <Link to="/events" className="text-accent hover:underline">
            All events
          </Link>
        }
        actions={<ReplayButton trace={trace} names={names} />}
      />
      <p role="status" className="mb-4 flex flex-wrap items-center gap-2 text-part">
        <StateBadge tone={tone}>{TONE_WORDS[tone]}</StateBadge>
        {sentence}
      </p>
      {findingExplanations(trace).map((each) => (
        <div key={each.cause} className="mb-4">
          <ExplanationText explanation={each} />
        </div>
      ))}
      <Panel title="Event" className="mb-4">
        <EventFacts trace={trace} />
      </Panel>
      <TraceTabs trace={trace} names={names} />
    </>
  )
}

interface TraceProps {
  readonly trace: Trace
  readonly names: Names
}

function ReplayButton({ trace, names }: TraceProps): ReactElement | undefined {
  const [isOpen, setOpen] = useState(false)
  const canReplay = useHasRole('editor')
  const choices = canReplay ? replayChoices(trace) : []
  useKeys({ r: choices.length === 0 ? undefined : () => setOpen(true) })
  if (choices.length === 0) return undefined
  return (
    <>
      <Button variant="primary" aria-keyshortcuts="r" onClick={() => setOpen(true)}>
        <Icon name="retry" /> Replay
      </Button>
      {isOpen && (
        <ReplayDialog
          choices={choices}
          names={names}
          eventId={trace.id}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

const TABS = [
  ['timeline', 'Timeline'],
  ['event', 'Event'],
  ['exchange', 'Request and response'],
] as const

function TraceTabs({ trace, names }: TraceProps): ReactElement {
  const [{ tab }, setUrl] = useUrlState<'tab'>()
  const open = tab === 'event' || tab === 'exchange' ? tab : 'timeline'
  return (
    <TabList
      label="Event details"
      tabs={TABS}
      value={open}
      onChange={(next) => setUrl({ tab: next === 'timeline' ? undefined : next })}
    >
      {open === 'timeline' && (
        <div className="flex flex-col gap-4">
          <Panel title="Timeline">
            <TimeLine trace={trace} names={names} />
          </Panel>
          {byUrgency(trace).map((decision) => (
            <DestinationOutcome key={decision.destinationId} {...{ decision, trace, names }} />
          ))}
        </div>
      )}
      {open === 'event' && <WholeEvent event={trace.event} />}
      {open === 'exchange' && <Exchanges trace={trace} names={names} />}
    </TabList>
  )
}

function WholeEvent({ event }: Pick<Trace, 'event'>): ReactElement {
  const [{ form }, setUrl] = useUrlState<'form'>()
  return (
    <TabList
      label="Format"
      tabs={[
        ['pretty', 'Pretty'],
        ['raw', 'Raw JSON'],
      ]}
      value={form === 'raw' ? 'raw' : 'pretty'}
      onChange={(next) => setUrl({ form: next === 'raw' ? 'raw' : undefined })}
    >
      {form === 'raw' ? (
        <CodeBlock text={JSON.stringify(event)} what="the event as JSON" />
      ) : (
        <JsonBlock value={event} what="the event" />
      )}
    </TabList>
  )
}

function NoSuchEvent({ id }: { readonly id: string }): ReactElement {
  return (
    <>
      <PageHeading title="Event" />
      <Empty
        title="Event not found"
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
            {shownText(id, 60)} is not a complete event ID. An event ID is <code>evt_</code>{' '}
            followed by 26 characters.
          </p>
        )}
      </Empty>
    </>
  )
}
