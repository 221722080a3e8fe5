import { type Event, webhookPayload } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { useHasRole } from '../../api/session.ts'
import { Panel } from '../../design/panel.tsx'
import { Select } from '../../design/controls/field.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { CodeText } from '../../design/texts/code-text.tsx'
import { Time } from '../../design/texts/time.tsx'
import { PayloadColumns } from '../../domain/destinations/payload-columns.tsx'
import { isUnchanged, type TestedPayloads } from '../../domain/destinations/tested-payloads.ts'
import type { Names } from '../../domain/names.ts'
import { namedAttempts } from '../../domain/trace/attempt-names.ts'
import { classInfo, whyNotStored } from '../../domain/trace/explanations.ts'
import type { Trace, TracedAttempt } from '../../domain/trace/trace-query.ts'
import { duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useZone } from '../../format/time-zone.ts'
import { absoluteTime } from '../../format/times.ts'
import { useUrlState } from '../../shell/url-state.ts'

interface ExchangesProps {
  readonly trace: Trace
  readonly names: Names
}

/** The request and response of one attempt, by default the last failed one, or the most recent. */
export function Exchanges({ trace, names }: ExchangesProps): ReactElement {
  const [{ attempt: attemptId }, setUrl] = useUrlState<'attempt'>()
  const zone = useZone()
  const attempts = namedAttempts(trace, names).toReversed()
  const shown =
    attempts.find(({ attempt }) => attempt.id === attemptId) ??
    attempts.find(({ attempt }) => isFailed(attempt)) ??
    attempts[0]
  if (shown === undefined)
    return (
      <Empty title="No attempts yet">The timeline shows the reason for each destination.</Empty>
    )
  const isDelivered = shown.attempt.class === 'delivered'
  return (
    <div className="flex flex-col gap-4">
      <label className="text-dense flex flex-wrap items-center gap-2">
        <span className="font-medium">Attempt</span>
        <Select
          value={shown.attempt.id}
          onPick={(id) => setUrl({ attempt: id })}
          options={attempts.map(({ attempt, name }) => [
            attempt.id,
            `${name}: ${attempt.status ?? shownText(attempt.class, 40)}, ${absoluteTime(Date.parse(attempt.startedAt), zone)}`,
          ])}
        />
      </label>
      {/* People look for the response to a failed attempt first. */}
      {!isDelivered && <Response attempt={shown.attempt} />}
      <Request event={trace.event} deliveryId={shown.deliveryId} url={shown.attempt.url} />
      {isDelivered && <Response attempt={shown.attempt} />}
    </div>
  )
}

function isFailed({ outcome }: TracedAttempt): boolean {
  return outcome === 'retry' || outcome === 'rejected'
}

interface RequestProps extends Pick<Trace, 'event'> {
  readonly deliveryId: string
  readonly url: string
}

function Request({ event, deliveryId, url }: RequestProps): ReactElement {
  const canRead = useHasRole('editor')
  const query = useQuery({
    queryKey: ['deliveries', deliveryId, 'requests'],
    queryFn: ({ signal }) => api.getDeliveryRequests(deliveryId, { signal }),
    enabled: canRead,
  })
  if (!canRead)
    return (
      <Panel title="Request">
        Only editors and admins can see the request, because it contains a valid signature.
      </Panel>
    )
  return (
    <Panel title="Next request">
      <Loaded query={query}>
        {({ webhooks }) => {
          const found = webhooks.find((each) => each.url === url)
          if (found === undefined)
            return 'The destination no longer has this webhook, or would not send this event to it.'
          return (
            <div className="flex flex-col gap-3">
              <p className="text-ink-soft max-w-prose">
                This is what the next attempt would send, with a new signature, timestamp and
                attempt number, and a body built with the current settings.
              </p>
              <Part
                title="Headers"
                what="the request headers"
                text={lines(found.request.headers)}
              />
              <Body payloads={payloadsOf(event, found.request.body)} />
              <Part title="cURL" what="the curl command" text={found.curl} />
            </div>
          )
        }}
      </Loaded>
    </Panel>
  )
}

function payloadsOf(event: Trace['event'], body: string): TestedPayloads {
  return {
    stored: webhookPayload(event as unknown as Event),
    sent: { kind: 'body', body },
  }
}

/** The body, beside the stored payload if they differ. */
function Body({ payloads }: { readonly payloads: TestedPayloads }): ReactElement {
  return isUnchanged(payloads) ? (
    <Part title="Body" what="the request body" text={payloads.stored} />
  ) : (
    <PayloadColumns payloads={payloads} />
  )
}

function Response({ attempt }: { readonly attempt: TracedAttempt }): ReactElement {
  const { url, status, durationMs, startedAt, error, headers, body } = attempt
  const info = classInfo(attempt)
  return (
    <Panel title={status === undefined ? 'No response' : `Response ${status}`}>
      <div className="flex flex-col gap-3">
        <p className="text-ink-soft">
          From <code>{shownText(url)}</code>, <Time at={startedAt} form="full" />, in{' '}
          {duration(durationMs)}.
        </p>
        {error !== undefined && <p className="text-failed">{shownText(error, 1_000)}</p>}
        {body && <Part title="Body" what="the beginning of the response body" text={body} />}
        {info !== undefined && (
          <p className="max-w-prose">
            {info.meaning} <CodeText text={attempt.class === 'delivered' ? '' : info.help} />
          </p>
        )}
        {headers && <Part title="Headers" what="the response headers" text={lines(headers)} />}
        {status !== undefined && !body && (
          <p className="text-ink-faint">
            {headers === undefined && body === undefined ? whyNotStored(attempt) : 'Empty body.'}
          </p>
        )}
      </div>
    </Panel>
  )
}

function lines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

interface PartProps {
  readonly title: string
  readonly what: string
  readonly text: string
}

function Part({ title, what, text }: PartProps): ReactElement {
  return (
    <div>
      <h3 className="text-dense mb-1 font-medium">{title}</h3>
      <CodeBlock text={text} what={what} />
    </div>
  )
}
