import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { CopyButton } from '../../design/controls/copy-button.tsx'
import { Panel } from '../../design/panel.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Time } from '../../design/texts/time.tsx'
import type { Names } from '../names.ts'
import { AttemptTable } from './attempt-table.tsx'
import { ExplanationText } from './explanation-text.tsx'
import { decisionExplanation } from './explanations.ts'
import { shownState } from './states.ts'
import type { Decision, Trace, TracedDelivery } from './trace-query.ts'
import { WebhookPart } from './webhook-part.tsx'

interface DestinationOutcomeProps {
  readonly decision: Decision
  readonly trace: Trace
  readonly names: Names
  /** Omits the attempt table. */
  readonly isShort?: boolean
}

/** The outcome of an event at one destination: the decision, each webhook, and every attempt. */
export function DestinationOutcome({
  decision,
  trace,
  names,
  isShort = false,
}: DestinationOutcomeProps): ReactElement {
  const { destinationId } = decision
  const delivery = trace.deliveries.find((each) => each.destinationId === destinationId)
  const isRemoved = names.isRemoved(destinationId)
  const { tone, words } = shownDecision(decision, delivery)
  return (
    <Panel
      title={`${names.destination(destinationId)}${isRemoved ? ' (deleted)' : ''}`}
      actions={<StateBadge tone={tone}>{words}</StateBadge>}
    >
      <div className="text-dense flex flex-col gap-3">
        {delivery?.webhooks.map((part) => (
          <WebhookPart
            key={part.url}
            part={part}
            attempts={delivery.attempts}
            destinationId={destinationId}
            isOnly={delivery.webhooks.length === 1}
          />
        ))}
        {delivery?.state !== 'delivered' && (
          <ExplanationText
            explanation={decisionExplanation(decision, delivery, isRemoved)}
            destinationId={destinationId}
          />
        )}
        {decision.since !== null && !isRemoved && (
          <p>
            It had been disabled since <Time at={decision.since} form="full" />.
          </p>
        )}
        {delivery?.quarantine !== undefined && (
          <p className="text-failed">
            {delivery.quarantine.reason} (<Time at={delivery.quarantine.at} />)
          </p>
        )}
        {!isShort && <AttemptTable delivery={delivery} />}
        <Links destinationId={destinationId} delivery={delivery} isRemoved={isRemoved} />
      </div>
    </Panel>
  )
}

interface LinksProps {
  readonly destinationId: string
  readonly delivery: TracedDelivery | undefined
  readonly isRemoved: boolean
}

function Links({ destinationId, delivery, isRemoved }: LinksProps): ReactElement {
  return (
    <p className="text-ink-faint text-note flex flex-wrap items-center gap-x-4">
      {!isRemoved && (
        <Link
          to="/destinations/$id"
          params={{ id: destinationId }}
          className="text-accent hover:underline"
        >
          Open destination
        </Link>
      )}
      {delivery !== undefined && (
        <span className="inline-flex items-center gap-1">
          Delivery <code>{delivery.id}</code>
          <CopyButton text={delivery.id} what="the delivery ID" />
        </span>
      )}
    </p>
  )
}

function shownDecision(
  { decision }: Decision,
  delivery: TracedDelivery | undefined,
): ReturnType<typeof shownState> {
  if (decision === 'declined') return { tone: 'declined', words: 'declined' }
  if (delivery === undefined)
    return decision === 'pending'
      ? { tone: 'waiting', words: 'processing' }
      : { tone: 'declined', words: 'created later' }
  return shownState(
    delivery.state,
    delivery.attempts.some(({ outcome }) => outcome === 'retry'),
  )
}
