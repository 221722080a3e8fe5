import { limitsText } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { useHasRole } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { Panel } from '../../../design/panel.tsx'
import { StateBadge } from '../../../design/state-badge.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type {
  DestinationProps,
  HealthyDestination,
  WebhookHealth,
} from '../../../domain/destinations/destination-query.ts'
import { PAUSE_CAUSES, webhookState } from '../../../domain/destinations/destination-state.ts'
import { WaitingText } from '../../../domain/destinations/waiting-text.tsx'
import { useProblemOf } from '../../../domain/problems.ts'
import { useAction } from '../../../domain/use-action.ts'

/** Each webhook, with anything that stops or slows its attempts. */
export function WebhooksPanel({ destination }: DestinationProps): ReactElement {
  const { id, health, settings } = destination
  const canEdit = useHasRole('editor')
  const problem = useProblemOf(id)
  const isBroken = health.webhooks.some(({ breaker }) => breaker !== 'closed')
  const isThrottled = health.webhooks.some(({ retryAfterUntil }) => retryAfterUntil !== null)
  // Closing breakers also clears Retry-After.
  const { isBusy, run } = useAction(() => api.closeBreaker(id, {}), 'Retrying now.', [
    'destinations',
    'deliveries',
  ])
  return (
    <Panel
      title="Webhooks"
      actions={
        canEdit &&
        (isBroken || isThrottled) && (
          <Button isBusy={isBusy} onClick={run}>
            {isBroken ? 'Close breaker' : 'Retry now'}
          </Button>
        )
      }
      isFlush
    >
      <ul>
        {health.webhooks.map((webhook) => (
          <li key={webhook.url} className="border-line flex flex-col gap-1 border-t px-4 py-2.5">
            <WebhookState
              webhook={webhook}
              badge={webhookState(webhook, destination, problem)}
              settings={settings.webhooks.find(({ url }) => url === webhook.url)}
            />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

interface WebhookStateProps {
  readonly webhook: WebhookHealth
  readonly badge: ReturnType<typeof webhookState>
  readonly settings: HealthyDestination['settings']['webhooks'][number] | undefined
}

function WebhookState({ webhook, badge, settings }: WebhookStateProps): ReactElement {
  const { paused: pause = null, limits } = settings ?? {}
  const { url, breaker, retryAfterUntil, pacePerSecond } = webhook
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StateBadge tone={badge.tone}>{badge.words}</StateBadge>
        <IdText id={url} what="the URL" />
      </div>
      {pause !== null && (
        <p>
          Paused <Time at={pause.since} />. {PAUSE_CAUSES[pause.reason]} Deliveries are held until
          you change the URL or resume the destination
          {pause.reason === 'url_forbidden' && ', or until their retry window ends'}.
        </p>
      )}
      {breaker !== 'closed' && <BreakerText {...webhook} />}
      {retryAfterUntil !== null && (
        <p>
          Waiting for an access token, or for the receiver’s Retry-After. Next attempt:{' '}
          <Time at={retryAfterUntil} form="due" /> (
          <Time at={retryAfterUntil} form="clock" />
          ).
        </p>
      )}
      {pacePerSecond !== null && (
        <p>Throttled by the receiver: about {pacePerSecond} attempts/s.</p>
      )}
      {limits && <p>Limits: {limitsText(limits)}.</p>}
      <p className="text-ink-soft text-dense">
        Backlog: <WaitingText {...webhook} />
      </p>
    </>
  )
}

function BreakerText({ breaker, brokenSince, openUntil }: WebhookHealth): ReactElement {
  return (
    <p>
      Breaker opened{' '}
      {brokenSince !== null && (
        <>
          <Time at={brokenSince} />,{' '}
        </>
      )}
      after too many failures.{' '}
      {breaker === 'half_open'
        ? 'The next attempt closes or reopens it.'
        : openUntil !== null && (
            <>
              Next probe: <Time at={openUntil} form="due" />.
            </>
          )}
    </p>
  )
}
