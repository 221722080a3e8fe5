import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import type { Replay } from '@hookline/cli/management-client'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { StateBadge, type Tone } from '../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { Names } from '../names.ts'
import { useAction } from '../use-action.ts'
import { replayProgress, describeReplay } from './replay-progress.ts'
import { isOpen } from './replay-query.ts'

const TONES: Readonly<Record<Replay['state'], Tone>> = {
  queued: 'waiting',
  running: 'retrying',
  finished: 'delivered',
  cancelled: 'declined',
}

interface ReplayTableProps {
  readonly replays: readonly Replay[]
  /** Adds the column of destinations. */
  readonly names?: Names
}

export function ReplayTable({ replays, names }: ReplayTableProps): ReactElement {
  const head = ['State', ...(names ? ['Destination'] : []), 'Selection', 'Progress', 'Started', '']
  return (
    <Table
      label="Replays"
      head={head.map((each) => each || <span className="sr-only">Cancel</span>)}
    >
      {replays.map((replay) => (
        <ReplayRow
          key={replay.id}
          replay={replay}
          destination={names?.destination(replay.destinationId)}
        />
      ))}
    </Table>
  )
}

interface ReplayRowProps {
  readonly replay: Replay
  readonly destination: string | undefined
}

function ReplayRow({ replay, destination }: ReplayRowProps): ReactElement {
  const { id, state, requeued, delivered, failed, createdAt } = replay
  const progress = replayProgress(replay)
  const canCancel = useHasRole('editor') && isOpen(replay)
  return (
    <Row>
      <Cell className="min-w-36">
        <StateBadge tone={TONES[state]}>{state}</StateBadge>
        {isOpen(replay) && (
          <progress
            aria-label="Progress"
            className="accent-accent mt-1 block h-1.5 w-28"
            max={1}
            {...(progress !== null && { value: progress })}
          />
        )}
      </Cell>
      {destination !== undefined && <Cell className="min-w-32">{destination}</Cell>}
      <Cell className="max-w-96 min-w-48">
        {shownText(describeReplay(replay))}
        <span className="text-ink-faint block">
          <IdText id={id} what="the replay ID" />
        </span>
      </Cell>
      <Cell className="min-w-40 tabular-nums">
        {wholeNumber(requeued)} requeued, {wholeNumber(delivered)} delivered
        {failed > 0 && <span className="text-failed">, {wholeNumber(failed)} failed</span>}
      </Cell>
      <Cell>
        <Time at={createdAt} />
      </Cell>
      <Cell>{canCancel && <Cancel id={id} />}</Cell>
    </Row>
  )
}

function Cancel({ id }: { readonly id: string }): ReactElement {
  const { isBusy, run } = useAction(
    () => api.cancelReplay(id, {}),
    'Cancelled. Deliveries that are already queued will still be sent.',
    ['replays'],
  )
  return (
    <Button isBusy={isBusy} onClick={run}>
      Cancel
    </Button>
  )
}
