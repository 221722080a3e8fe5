import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { useMay } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { Panel } from '../../../design/panel.tsx'
import { StateBadge, type Tone } from '../../../design/state-badge.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type {
  HealthyDestination,
  WebhookHealth,
} from '../../../domain/destinations/destination-query.ts'
import { PAUSE_CAUSES } from '../../../domain/destinations/destination-state.ts'
import { WaitingText } from '../../../domain/destinations/waiting-text.tsx'
import { useAction } from '../../../domain/use-action.ts'

interface WebhooksPanelProps {
  readonly destination: HealthyDestination
}

/** Each webhook: whether attempts are made on it, and if not, why and until when. */
export function WebhooksPanel({ destination }: WebhooksPanelProps): ReactElement {
  const { id, health, settings } = destination
  const mayEdit = useMay('editor')
  const isBroken = health.webhooks.some(({ breaker }) => breaker !== 'closed')
  const rests = health.webhooks.some(({ retryAfterUntil }) => retryAfterUntil !== null)
  return (
    <Panel
      title="Webhooks"
      actions={
        mayEdit &&
        (isBroken || rests) && (
          <CloseBreaker id={id} words={isBroken ? 'Close breaker' : 'Do not wait'} />
        )
      }
      isFlush
    >
      <ul>
        {health.webhooks.map((webhook) => (
          <li key={webhook.url} className="border-line flex flex-col gap-1 border-t px-4 py-2.5">
            <WebhookState
              webhook={webhook}
              pause={settings.webhooks.find(({ url }) => url === webhook.url)?.paused ?? null}
            />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

interface CloseBreakerProps {
  readonly id: string
  readonly words: string
}

/** Ends what breakers and Retry-After stop: the service does both in one. */
function CloseBreaker({ id, words }: CloseBreakerProps): ReactElement {
  const { isBusy, run } = useAction(
    () => api.closeBreaker(id, {}),
    'The next attempts are made now.',
    ['destinations', 'deliveries'],
  )
  return (
    <Button isBusy={isBusy} onClick={run}>
      {words}
    </Button>
  )
}

const BREAKERS: Readonly<Record<WebhookHealth['breaker'], readonly [tone: Tone, words: string]>> = {
  closed: ['delivered', 'takes deliveries'],
  open: ['failed', 'breaker open'],
  half_open: ['retrying', 'breaker half open'],
}

interface WebhookStateProps {
  readonly webhook: WebhookHealth
  readonly pause: HealthyDestination['paused']
}

function WebhookState({ webhook, pause }: WebhookStateProps): ReactElement {
  const { url, breaker, retryAfterUntil, pacePerSecond } = webhook
  const [tone, words] = BREAKERS[breaker]
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {pause === null ? (
          <StateBadge tone={tone}>{words}</StateBadge>
        ) : (
          <StateBadge tone="held">paused</StateBadge>
        )}
        <IdText id={url} what="the URL" />
      </div>
      {pause !== null && (
        <p>
          Paused since <Time at={pause.since} />. {PAUSE_CAUSES[pause.reason]} Its deliveries are
          held until the destination is resumed.
        </p>
      )}
      <BreakerWords {...webhook} />
      {retryAfterUntil !== null && (
        <p>
          The receiver asked for a pause with Retry-After: no attempt until{' '}
          <Time at={retryAfterUntil} form="clock" /> (<Time at={retryAfterUntil} />
          ).
        </p>
      )}
      {pacePerSecond !== null && (
        <p>
          The receiver throttles its requests, so it gets about {pacePerSecond} attempts a second.
        </p>
      )}
      <p className="text-ink-soft text-dense">
        Waits: <WaitingText {...webhook} />
      </p>
    </>
  )
}

function BreakerWords(webhook: WebhookHealth): ReactElement | undefined {
  const { breaker, brokenSince, restsUntil } = webhook
  if (breaker === 'closed') return undefined
  return (
    <p>
      Too many attempts failed, so the breaker opened
      {brokenSince !== null && (
        <>
          {' '}
          <Time at={brokenSince} />
        </>
      )}
      .{' '}
      {breaker === 'half_open'
        ? 'One attempt checks now whether the receiver works again.'
        : 'One attempt at a time checks whether the receiver works again. '}
      {breaker === 'open' && restsUntil !== null && (
        <>
          The next is made <Time at={restsUntil} />.
        </>
      )}
    </p>
  )
}
