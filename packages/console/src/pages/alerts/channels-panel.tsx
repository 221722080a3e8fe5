import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { destinationsQuery } from '../../api/queries.ts'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { Confirm } from '../../design/dialogs/confirm.tsx'
import { toast } from '../../design/dialogs/toasts.tsx'
import { DestinationBadge } from '../../domain/destinations/destination-badge.tsx'
import { useAction } from '../../domain/use-action.ts'
import { confirmationText } from '../../format/confirmation-text.ts'
import { shownText } from '../../format/shown-text.ts'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import type { Channel } from './alerts-query.ts'
import { CHANNEL_FORMATS } from './channel-formats.ts'

export function ChannelsPanel({
  channels,
}: {
  readonly channels: readonly Channel[]
}): ReactElement {
  const [removing, setRemoving] = useState<Channel>()
  useRowKeys(channels.length)
  const actions = (
    <span key="actions" className="sr-only">
      Actions
    </span>
  )
  return (
    <Panel title="Channels" isFlush>
      {channels.length === 0 ? (
        <Empty title="No channels yet">
          Alerts are sent once there is a channel. “Needs attention” on the overview shows problems
          even without one.
        </Empty>
      ) : (
        <Table
          label="All channels"
          head={['Name', 'Format', 'Host', 'State', 'Last delivered', actions]}
        >
          {channels.map((channel, index) => (
            <ChannelRow
              key={channel.destinationId}
              channel={channel}
              index={index}
              onRemove={() => setRemoving(channel)}
            />
          ))}
        </Table>
      )}
      {removing !== undefined && (
        <RemoveChannel channel={removing} onClose={() => setRemoving(undefined)} />
      )}
    </Panel>
  )
}

interface ChannelRowProps {
  readonly channel: Channel
  readonly index: number
  readonly onRemove: () => void
}

function ChannelRow({ channel, index, onRemove }: ChannelRowProps): ReactElement {
  const { destinationId, name, format, host, lastDeliveredAt } = channel
  const canEdit = useHasRole('editor')
  const { data: destinations } = useQuery(destinationsQuery)
  const destination = destinations?.find(({ id }) => id === destinationId)
  return (
    <Row data-row={index}>
      <Cell className="max-w-72 min-w-40">
        <Link
          to="/destinations/$id"
          params={{ id: destinationId }}
          className="text-accent font-medium hover:underline"
        >
          {shownText(name, 80)}
        </Link>
      </Cell>
      <Cell>{CHANNEL_FORMATS[format].label}</Cell>
      <Cell className="text-ink-soft max-w-64">{shownText(host, 80)}</Cell>
      <Cell className="min-w-32">
        {destination && <DestinationBadge destination={destination} />}
      </Cell>
      <Cell className="text-ink-soft">
        {lastDeliveredAt === null ? 'never' : <Time at={lastDeliveredAt} />}
      </Cell>
      <Cell>
        {canEdit && (
          <div className="-my-1 flex justify-end">
            <TestButton channel={channel} />
            {destination?.enabled && (
              <PauseButton channel={channel} isPaused={destination.paused !== null} />
            )}
            <Button variant="quiet" aria-label={`Remove ${shownText(name, 80)}`} onClick={onRemove}>
              Remove
            </Button>
          </div>
        )}
      </Cell>
    </Row>
  )
}

interface ChannelProps {
  readonly channel: Channel
}

/** Opsgenie's closing webhook declines the test. */
const PASSING_OUTCOMES: ReadonlySet<string | undefined> = new Set(['delivered', 'declined'])

function TestButton({ channel: { destinationId, name } }: ChannelProps): ReactElement {
  const test = useMutation({
    mutationFn: () => api.testDestination(destinationId, { type: 'track' }),
    onSuccess: ({ webhooks }) => {
      const failed = webhooks.find(({ attempt }) => !PASSING_OUTCOMES.has(attempt?.outcome))
      if (failed === undefined) toast('The test alert was accepted.')
      else toast(refusalText(failed.attempt), 'failed')
    },
    onError: (error) => toast(problemOf(error).message, 'failed'),
  })
  return (
    <Button
      variant="quiet"
      aria-label={`Send test to ${shownText(name, 80)}`}
      isBusy={test.isPending}
      onClick={() => test.mutate()}
    >
      Send test
    </Button>
  )
}

type Attempt = Awaited<ReturnType<typeof api.testDestination>>['webhooks'][number]['attempt']

function refusalText(attempt: Attempt): string {
  if (attempt == null) return 'The test alert was not sent.'
  const { status, error, class: kind } = attempt
  const reason = status === undefined ? (error ?? kind) : `status ${status}`
  return `The test alert was not accepted: ${shownText(reason, 120)}. To see the response, send a test from the channel’s Test tab.`
}

function PauseButton({
  channel: { destinationId, name },
  isPaused,
}: ChannelProps & { readonly isPaused: boolean }): ReactElement {
  const action = useAction(
    () =>
      isPaused ? api.resumeDestination(destinationId, {}) : api.pauseDestination(destinationId, {}),
    isPaused ? 'Resumed. Held alerts are being sent.' : 'Paused. Alerts are held.',
    ['destinations'],
  )
  const verb = isPaused ? 'Resume' : 'Pause'
  return (
    <Button
      variant="quiet"
      aria-label={`${verb} ${shownText(name, 80)}`}
      isBusy={action.isBusy}
      onClick={action.run}
    >
      {verb}
    </Button>
  )
}

function RemoveChannel({
  channel: { destinationId, name },
  onClose,
}: ChannelProps & { readonly onClose: () => void }): ReactElement {
  const client = useQueryClient()
  return (
    <Confirm
      title="Remove this channel?"
      action="Remove channel"
      mustType={confirmationText(name, destinationId)}
      onClose={onClose}
      onConfirm={async () => {
        await api.removeDestination(destinationId)
        toast('Channel removed.')
        await client.invalidateQueries({ queryKey: ['destinations'] })
      }}
    >
      <p>
        <strong className="break-words">{shownText(name, 80)}</strong> will receive no more alerts,
        including pending and held ones.
      </p>
    </Confirm>
  )
}
