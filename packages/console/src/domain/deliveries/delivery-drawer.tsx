import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactElement, type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Delivery } from '@hookline/cli/management-client'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { FactList } from '../../design/lists/fact-list.tsx'
import { Icon } from '../../design/icon.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Confirm } from '../../design/windows/confirm.tsx'
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
  const { isBusy, run } = useAction(() => api.retryDelivery(id, {}), 'It is tried again now.', [
    'deliveries',
    'destinations',
  ])
  const [isAsking, setAsking] = useState(false)
  const state = query.data?.state
  const mayRetry = useMay('editor') && state !== undefined && state !== 'held'
  // A receiver that has it gets it twice.
  const retry = state === 'delivered' ? () => setAsking(true) : run
  return (
    <>
      <Modal
        title="Delivery"
        place="drawer"
        isOpen
        onClose={onClose}
        onKeyDown={({ key, ctrlKey, metaKey, altKey, repeat }) => {
          if (key !== 'r' || ctrlKey || metaKey || altKey || repeat) return
          if (mayRetry && !isBusy) retry()
        }}
      >
        <Loaded query={query} lines={8}>
          {(delivery) => (
            <ShownDelivery delivery={delivery}>
              {mayRetry && (
                <Button
                  look="main"
                  className="self-start"
                  aria-keyshortcuts="r"
                  isBusy={isBusy}
                  onClick={retry}
                >
                  <Icon name="retry" /> Retry now
                </Button>
              )}
            </ShownDelivery>
          )}
        </Loaded>
      </Modal>
      {/* Not inside the window above: its keys would reach that one. */}
      {isAsking && <SendAgain onConfirm={run} onClose={() => setAsking(false)} />}
    </>
  )
}

interface SendAgainProps {
  readonly onConfirm: () => void
  readonly onClose: () => void
}

function SendAgain({ onConfirm, onClose }: SendAgainProps): ReactElement {
  return (
    <Confirm
      title="Send it again?"
      action="Send again"
      onConfirm={() => Promise.resolve(onConfirm())}
      onClose={onClose}
    >
      <p>It was delivered. A receiver that has it gets it once more.</p>
    </Confirm>
  )
}

interface ShownDeliveryProps {
  readonly delivery: Delivery
  /** What can be done with it. */
  readonly children: ReactNode
}

function ShownDelivery({ delivery, children }: ShownDeliveryProps): ReactElement {
  const { destinationId, webhooks, attempts } = delivery
  return (
    <div className="flex flex-col gap-5">
      <Facts delivery={delivery} />
      {children}
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
