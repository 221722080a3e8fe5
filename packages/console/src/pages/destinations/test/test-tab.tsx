import { useMutation } from '@tanstack/react-query'
import { PAYLOAD_TYPES, type PayloadType } from '@hookline/protocol'
import { type ReactElement, useId } from 'react'
import { api } from '../../../api/client.ts'
import { errorAt } from '../../../api/problem.ts'
import { useHasRole } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, Select, TextInput } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty } from '../../../design/states.tsx'
import { StateBadge } from '../../../design/state-badge.tsx'
import { CodeBlock } from '../../../design/texts/code-block.tsx'
import { AttemptDetails } from '../../../domain/deliveries/attempt-list.tsx'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { PayloadColumns } from '../../../domain/destinations/payload-columns.tsx'
import {
  isUnchanged,
  payloadsOf,
  type TestResponse,
} from '../../../domain/destinations/tested-payloads.ts'
import { Warnings } from '../../../domain/destinations/warnings.tsx'
import { requestText } from '../../../domain/request-text.ts'
import { shownOutcome } from '../../../domain/trace/states.ts'
import { duration } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useZone } from '../../../format/time-zone.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { FormError } from '../form/form-error.tsx'
import { useRecentEvents } from '../recent-events.ts'
import { eventOptions } from '../settings/transform-choices.ts'

/** Previews a test request, or sends it and shows the response. */
export function TestTab({ destination }: DestinationProps): ReactElement {
  const canTest = useHasRole('editor')
  if (canTest) return <TestForm destination={destination} />
  return (
    <Panel isFlush>
      <Empty title="Sending a test requires the editor role">
        See past deliveries under Deliveries.
      </Empty>
    </Panel>
  )
}

function TestForm({ destination }: DestinationProps): ReactElement {
  const [url, setUrl] = useUrlState<'type' | 'event'>()
  const event = url.event ?? ''
  const type = PAYLOAD_TYPES.find((each) => each === url.type) ?? 'track'
  const test = useMutation({
    mutationFn: (dryRun: boolean) =>
      api.testDestination(destination.id, {
        ...(event === '' ? { type } : { eventId: event.trim() }),
        dryRun,
      }),
  })
  const isOff = !destination.enabled || destination.paused !== null
  const fieldError = errorAt(test.error, '/eventId')
  return (
    <div className="flex flex-col gap-4">
      <Panel title="Test">
        <div className="flex flex-col gap-4">
          <p className="max-w-prose">
            A test is sent once to each webhook
            {isOff && ', even though the destination is disabled or paused'}. It is not stored or
            retried.
          </p>
          <EventChoice
            sourceId={destination.sourceId}
            type={type}
            event={event}
            fieldError={fieldError}
            onChange={setUrl}
          />
          {fieldError === undefined && <FormError error={test.error} />}
          <div className="flex flex-wrap gap-2">
            <Button isBusy={test.isPending} onClick={() => test.mutate(true)}>
              Preview
            </Button>
            <Button variant="primary" isBusy={test.isPending} onClick={() => test.mutate(false)}>
              Send
            </Button>
          </div>
        </div>
      </Panel>
      {test.data !== undefined && <TestResult result={test.data} />}
    </div>
  )
}

interface EventChoiceProps {
  readonly sourceId: string
  readonly type: PayloadType
  readonly event: string
  readonly fieldError: string | undefined
  readonly onChange: (change: { type?: string; event?: string }) => void
}

function EventChoice(props: EventChoiceProps): ReactElement {
  const { sourceId, type, event, fieldError, onChange } = props
  const { recent } = useRecentEvents(sourceId)
  const list = useId()
  const zone = useZone()
  return (
    <div className="grid max-w-2xl grid-cols-1 gap-3 sm:grid-cols-[auto_1fr]">
      <Field label="Sample type">
        {(ids) => (
          <Select
            {...ids}
            value={type}
            disabled={event !== ''}
            options={PAYLOAD_TYPES.map((each) => [each, each] as const)}
            onPick={(picked) => onChange({ type: picked })}
          />
        )}
      </Field>
      <Field
        label="Or a stored event"
        hint="A recent event or an event ID. Leave empty to send a sample."
        fieldError={fieldError}
      >
        {(ids) => (
          <>
            <TextInput
              {...ids}
              placeholder="evt_…"
              list={list}
              value={event}
              onChange={({ target }) => onChange({ event: target.value })}
            />
            <datalist id={list}>
              {eventOptions(recent, zone).map(([id, words]) => (
                <option key={id} value={id}>
                  {words}
                </option>
              ))}
            </datalist>
          </>
        )}
      </Field>
    </div>
  )
}

type TestedWebhook = TestResponse['webhooks'][number]

function TestResult({ result }: { readonly result: TestResponse }): ReactElement {
  const payloads = payloadsOf(result)
  return (
    <div className="flex flex-col gap-4" role="status">
      <Warnings warnings={result.warnings} />
      {isUnchanged(payloads) ? (
        <p>The stored payload is sent unchanged.</p>
      ) : (
        <Panel title="Stored payload and body">
          <PayloadColumns payloads={payloads} />
        </Panel>
      )}
      {result.webhooks.map((webhook) => (
        <Panel
          key={webhook.url}
          title={shownText(webhook.url, 120)}
          actions={<Verdict {...webhook} />}
        >
          <TestedRequest webhook={webhook} />
        </Panel>
      ))}
    </div>
  )
}

function Verdict({ request, attempt }: TestedWebhook): ReactElement {
  if (attempt === null) return <StateBadge tone="declined">not sent</StateBadge>
  const { outcome, status, durationMs } = attempt
  if (request === null)
    return (
      <StateBadge tone={shownOutcome(outcome).tone}>
        {`not sent: ${shownText(attempt.class, 40)}`}
      </StateBadge>
    )
  const result = `${status ?? shownText(attempt.class, 40)} in ${duration(durationMs)}`
  return outcome === 'delivered' ? (
    <StateBadge tone="delivered">{`accepted: ${result}`}</StateBadge>
  ) : (
    <StateBadge tone="failed">{`not accepted: ${result}`}</StateBadge>
  )
}

function TestedRequest({ webhook }: { readonly webhook: TestedWebhook }): ReactElement {
  const { attempt } = webhook
  return (
    <div className="flex flex-col gap-4">
      {attempt !== null && (
        <div className="border-line rounded-small border [&>div]:border-t-0">
          <AttemptDetails attempt={attempt} explanation="remedy" />
        </div>
      )}
      <Request {...webhook} />
    </div>
  )
}

/** Nothing if the transform failed or returned nothing. */
function Request({ request, attempt, signature }: TestedWebhook): ReactElement | undefined {
  if (request === null) return undefined
  const headers = Object.entries(request.headers).map(([name, value]) => ({ name, value }))
  const { method, url, body } = request
  const path = URL.canParse(url) ? new URL(url).pathname + new URL(url).search : '/'
  return (
    <div className="flex flex-col gap-1">
      <h3 className="text-dense font-medium">
        {attempt === null ? 'Request (not sent)' : 'Request'}
      </h3>
      <CodeBlock text={requestText({ method, path, headers, body })} what="the request" />
      <p className="text-ink-faint text-note">
        {signature.webhookSignature === null
          ? 'Not signed: no secret or key signs requests to this webhook.'
          : 'The body is shown formatted; the signature covers the compact body.'}
      </p>
    </div>
  )
}
