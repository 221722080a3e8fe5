import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import type { Delivery } from '@hookline/cli/management-client'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { FactList } from '../../design/lists/fact-list.tsx'
import { Icon } from '../../design/icon.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Modal } from '../../design/windows/modal.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { shownText } from '../../format/shown-text.ts'
import { shownState } from '../trace/states.ts'
import { WebhookPart } from '../trace/webhook-part.tsx'
import { useAction } from '../use-action.ts'
import { AttemptList } from './attempt-list.tsx'
import { deliveryQuery } from './delivery-query.ts'

interface DeliveryDrawerProps {
  readonly id: string
  readonly onClose: () => void
}

/** One delivery: what became of it at each webhook, its attempts, and what to do. */
export function DeliveryDrawer({ id, onClose }: DeliveryDrawerProps): ReactElement {
  const query = useQuery(deliveryQuery(id))
  return (
    <Modal title="Delivery" place="drawer" isOpen onClose={onClose}>
      <Loaded query={query} lines={8}>
        {(delivery) => <ShownDelivery delivery={delivery} />}
      </Loaded>
    </Modal>
  )
}

function ShownDelivery({ delivery }: { readonly delivery: Delivery }): ReactElement {
  const { id, destinationId, state, webhooks, attempts } = delivery
  const mayRetry = useMay('editor') && state !== 'held'
  const { isBusy, run } = useAction(() => api.retryDelivery(id, {}), 'It is tried again now.', [
    'deliveries',
    'destinations',
  ])
  return (
    // The keys of the list below do not reach a drawer; `r` is for what is open.
    <div
      className="flex flex-col gap-5"
      onKeyDown={({ key, ctrlKey, metaKey }) => {
        if (key === 'r' && mayRetry && !isBusy && !ctrlKey && !metaKey) run()
      }}
    >
      <Facts delivery={delivery} />
      {mayRetry && (
        <Button look="main" className="self-start" isBusy={isBusy} onClick={run}>
          <Icon name="retry" /> Retry now
        </Button>
      )}
      <section className="flex flex-col gap-3">
        <h3 className="font-semibold">Webhooks</h3>
        {webhooks.length === 0 && <p className="text-ink-soft">It is due, and not sent yet.</p>}
        {webhooks.map((part) => (
          <WebhookPart
            key={part.url}
            part={part}
            attempts={attempts}
            destinationId={destinationId}
          />
        ))}
      </section>
      <AttemptList attempts={attempts} />
    </div>
  )
}

function Facts({ delivery }: { readonly delivery: Delivery }): ReactElement {
  const { id, eventId, state, attempts, firstDueAt, nextAttemptAt, quarantine, replayId } = delivery
  const hasFailed = attempts.some(({ outcome }) => outcome === 'retry')
  const { tone, words } = shownState(state, hasFailed)
  return (
    <FactList
      facts={[
        ['State', <StateBadge tone={tone}>{words}</StateBadge>],
        ['Id', <IdText id={id} what="the id of the delivery" />],
        [
          'Event',
          <>
            <Link
              to="/events/$id"
              params={{ id: eventId }}
              preload={false}
              className="text-accent mr-2 underline"
            >
              See its trace
            </Link>
            <IdText id={eventId} what="the id of the event" />
          </>,
        ],
        ['First due', <Time at={firstDueAt} form="full" />],
        [
          'Next attempt',
          nextAttemptAt === null ? undefined : (
            <>
              <Time at={nextAttemptAt} /> (<Time at={nextAttemptAt} form="clock" />)
            </>
          ),
        ],
        ['Replay', replayId === undefined ? undefined : <IdText id={replayId} />],
        ['In quarantine', quarantine && shownText(quarantine.reason, 1_000)],
      ]}
    />
  )
}
