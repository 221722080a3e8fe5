import type { ReactElement } from 'react'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { JsonBlock } from '../../design/texts/json-block.tsx'
import { Panel } from '../../design/panel.tsx'
import { TabList } from '../../design/controls/tab-list.tsx'
import type { Names } from '../../domain/names.ts'
import { DestinationOutcome } from '../../domain/trace/destination-outcome.tsx'
import { TimeLine } from '../../domain/trace/time-line.tsx'
import type { Trace } from '../../domain/trace/trace-query.ts'
import { byNeed } from '../../domain/trace/verdict.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { Exchanges } from './exchanges.tsx'

const TABS = [
  ['timeline', 'Timeline'],
  ['event', 'Event'],
  ['exchange', 'Request and response'],
] as const

interface TraceTabsProps {
  readonly trace: Trace
  readonly names: Names
}

export function TraceTabs({ trace, names }: TraceTabsProps): ReactElement {
  const [{ tab = 'timeline' }, change] = useUrlState<'tab'>()
  const known = TABS.some(([value]) => value === tab) ? tab : 'timeline'
  return (
    <TabList
      label="What to show of the event"
      tabs={TABS}
      value={known}
      onChange={(next) => change({ tab: next === 'timeline' ? undefined : next })}
    >
      {known === 'timeline' && <Outcomes trace={trace} names={names} />}
      {known === 'event' && <WholeEvent trace={trace} />}
      {known === 'exchange' && <Exchanges trace={trace} names={names} />}
    </TabList>
  )
}

function Outcomes({ trace, names }: TraceTabsProps): ReactElement {
  return (
    <div className="flex flex-col gap-4">
      <Panel title="Timeline">
        <TimeLine trace={trace} names={names} />
      </Panel>
      {byNeed(trace).map((decision) => (
        <DestinationOutcome key={decision.destinationId} {...{ decision, trace, names }} />
      ))}
    </div>
  )
}

/** The call as received: its values told apart, or as one line to copy. */
function WholeEvent({ trace }: { readonly trace: Trace }): ReactElement {
  const [{ form = 'pretty' }, change] = useUrlState<'form'>()
  return (
    <div className="flex flex-col gap-3">
      <TabList
        label="How to show the event"
        tabs={[
          ['pretty', 'Pretty'],
          ['raw', 'Raw JSON'],
        ]}
        value={form === 'raw' ? 'raw' : 'pretty'}
        onChange={(next) => change({ form: next === 'raw' ? 'raw' : undefined })}
      >
        {form === 'raw' ? (
          <CodeBlock text={JSON.stringify(trace.event)} what="the event as JSON" />
        ) : (
          <JsonBlock value={trace.event} what="the event" />
        )}
      </TabList>
    </div>
  )
}
