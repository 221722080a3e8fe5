import type { ReactElement } from 'react'
import { Panel } from '../../design/panel.tsx'
import { Select } from '../../design/controls/field.tsx'
import { Empty } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import type { Names } from '../../domain/names.ts'
import { classInfo } from '../../domain/trace/explanations.ts'
import type { Trace, TracedAttempt } from '../../domain/trace/trace-query.ts'
import { duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { Part, RequestPart } from './request-part.tsx'

interface ExchangesProps {
  readonly trace: Trace
  readonly names: Names
}

/** What is sent, and what the receiver responded to one attempt; at first, to the last one. */
export function Exchanges({ trace, names }: ExchangesProps): ReactElement {
  const [{ attempt: wanted }, change] = useUrlState<'attempt'>()
  const attempts = trace.deliveries
    .flatMap(({ id, destinationId, attempts: made }) =>
      made.map((attempt) => ({ attempt, id, name: names.destination(destinationId) })),
    )
    .toSorted((a, b) => Date.parse(b.attempt.startedAt) - Date.parse(a.attempt.startedAt))
  const shown = attempts.find(({ attempt }) => attempt.id === wanted) ?? attempts[0]
  if (shown === undefined)
    return (
      <Empty title="No attempt yet">
        Nothing was sent of this event. The timeline says why, for each destination.
      </Empty>
    )
  return (
    <div className="flex flex-col gap-4">
      <label className="text-dense flex flex-wrap items-center gap-2">
        <span className="font-medium">Attempt</span>
        <Select
          value={shown.attempt.id}
          onPick={(id) => change({ attempt: id })}
          options={attempts.map(({ attempt, name }) => [
            attempt.id,
            `${name} #${attempt.number}: ${attempt.status ?? shownText(attempt.class, 40)}, ${attempt.startedAt}`,
          ])}
        />
      </label>
      {/* Of a failure, the response is what people look for. */}
      {shown.attempt.class !== 'delivered' && <Response attempt={shown.attempt} />}
      <RequestPart deliveryId={shown.id} url={shown.attempt.url} />
      {shown.attempt.class === 'delivered' && <Response attempt={shown.attempt} />}
    </div>
  )
}

const NOT_KEPT =
  'Its headers and body were not kept: of failures with one cause, Hookline keeps 40 responses an hour, then one a minute. Of deliveries it keeps none.'

function Response({ attempt }: { readonly attempt: TracedAttempt }): ReactElement {
  const { url, status, durationMs, startedAt, error } = attempt
  const info = classInfo(attempt.class)
  return (
    <Panel title={status === undefined ? 'No response' : `Response ${status}`}>
      <div className="flex flex-col gap-3">
        <p className="text-ink-soft">
          From <code>{shownText(url)}</code>, <Time at={startedAt} form="full" />, in{' '}
          {duration(durationMs)}.
        </p>
        {error !== undefined && <p className="text-failed">{shownText(error, 1_000)}</p>}
        {info !== undefined && (
          <p className="max-w-prose">
            {info.meaning} {attempt.class === 'delivered' ? '' : info.help}
          </p>
        )}
        {status !== undefined && <Kept attempt={attempt} />}
      </div>
    </Panel>
  )
}

/** What is kept of a response. */
function Kept({ attempt: { headers, body } }: { readonly attempt: TracedAttempt }): ReactElement {
  if (headers === undefined && body === undefined)
    return <p className="text-ink-faint">{NOT_KEPT}</p>
  const head = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      {head.length > 0 && (
        <Part title="Headers" what="the response headers" text={head.join('\n')} />
      )}
      {body === undefined || body === '' ? (
        <p className="text-ink-faint">Its body was empty.</p>
      ) : (
        <Part title="Body" what="the beginning of the response body" text={body} />
      )}
    </>
  )
}
