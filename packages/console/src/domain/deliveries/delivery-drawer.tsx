import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Delivery } from '@hookline/cli/management-client'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { FactList } from '../../design/lists/fact-list.tsx'
import { Icon } from '../../design/icon.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Confirm } from '../../design/dialogs/confirm.tsx'
import { Modal } from '../../design/dialogs/modal.tsx'
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

export function DeliveryDrawer({ id, onClose }: DeliveryDrawerProps): ReactElement {
  const query = useQuery(deliveryQuery(id))
  const { isBusy, run } = useAction(() => api.retryDelivery(id, {}), 'Retrying now.', [
    'deliveries',
    'destinations',
  ])
  const [isConfirming, setConfirming] = useState(false)
  const state = query.data?.state
  const canRetry = useHasRole('editor') && state !== undefined && state !== 'held'
  const retry = state === 'delivered' ? () => setConfirming(true) : run
  const onKeyDown = ({ key, ctrlKey, metaKey, altKey, repeat }: KeyboardEvent): void => {
    if (key !== 'r' || ctrlKey || metaKey || altKey || repeat) return
    if (canRetry && !isBusy) retry()
  }
  return (
    <>
      <Modal title="Delivery" place="drawer" isOpen onClose={onClose} onKeyDown={onKeyDown}>
        <Loaded query={query} lines={8}>
          {(delivery) => (
            <div className="flex flex-col gap-5">
              <Facts delivery={delivery} />
              {canRetry && (
                <Button
                  variant="primary"
                  className="self-start"
                  aria-keyshortcuts="r"
                  isBusy={isBusy}
                  onClick={retry}
                >
                  <Icon name="retry" /> Retry now
                </Button>
              )}
              <Webhooks delivery={delivery} />
              <AttemptList attempts={delivery.attempts} />
            </div>
          )}
        </Loaded>
      </Modal>
      {/* Outside of the drawer, which would otherwise also handle the keys pressed in this dialog. */}
      {isConfirming && (
        <Confirm
          title="Send again?"
          action="Send again"
          onConfirm={() => Promise.resolve(run())}
          onClose={() => setConfirming(false)}
        >
          <p>This event has already been delivered. The receiver will get it a second time.</p>
        </Confirm>
      )}
    </>
  )
}

interface DeliveryProps {
  readonly delivery: Delivery
}

function Webhooks({
  delivery: { destinationId, webhooks, attempts },
}: DeliveryProps): ReactElement {
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">Webhooks</h3>
      {webhooks.length === 0 && <p className="text-ink-soft">No attempt recorded.</p>}
      {webhooks.map((part) => (
        <WebhookPart key={part.url} part={part} attempts={attempts} destinationId={destinationId} />
      ))}
    </section>
  )
}

function Facts({ delivery }: DeliveryProps): ReactElement {
  const { id, eventId, state, attempts, firstDueAt, nextAttemptAt, quarantine, replayId } = delivery
  const hasFailed = attempts.some(({ outcome }) => outcome === 'retry')
  const { tone, words } = shownState(state, hasFailed)
  return (
    <FactList
      facts={[
        ['State', <StateBadge tone={tone}>{words}</StateBadge>],
        ['ID', <IdText id={id} what="the delivery ID" />],
        [
          'Event',
          <>
            <Link
              to="/events/$id"
              params={{ id: eventId }}
              preload={false}
              className="text-accent mr-2 underline"
            >
              View trace
            </Link>
            <IdText id={eventId} what="the event ID" />
          </>,
        ],
        ['First due', <Time at={firstDueAt} form="full" />],
        [
          'Next attempt',
          nextAttemptAt === null ? undefined : (
            <>
              <Time at={nextAttemptAt} form="due" /> (<Time at={nextAttemptAt} form="clock" />)
            </>
          ),
        ],
        ['Replay', replayId === undefined ? undefined : <IdText id={replayId} />],
        ['Quarantine', quarantine && shownText(quarantine.reason, 1_000)],
      ]}
    />
  )
}
