import type { CLASSES_WITHOUT_ATTEMPT } from '@hookline/protocol'
import { type ReactElement, useState } from 'react'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/controls/button.tsx'
import { Choice } from '../../design/controls/choice.tsx'
import { Modal } from '../../design/dialogs/modal.tsx'
import { TimeField } from '../../design/controls/time-field.tsx'
import { toast } from '../../design/dialogs/toasts.tsx'
import { countText, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { Names } from '../names.ts'
import { type ReplaySelection, useDryRun, useStartReplay } from '../replays/start-replay.ts'
import { failureCount } from './failure-count.ts'
import { type FailureGroup, failureLabel } from './failures-query.ts'
import { useRetryEach } from './retry-each.ts'

interface RetryDialogProps {
  readonly group: FailureGroup
  readonly names: Names
  readonly onClose: () => void
}

type Extent = 'these' | 'all' | 'since'

export function RetryDialog({ group, names, onClose }: RetryDialogProps): ReactElement {
  const { destinationId } = group
  const [extent, setExtent] = useState<Extent>(group.isComplete ? 'these' : 'all')
  const [since, setSince] = useState<string | undefined>(group.firstSeenAt)
  const all = everythingAt(group)
  const selections = { all, since: { ...all, ...(since !== undefined && { from: since }) } }
  const dryRuns = {
    all: useDryRun(selections.all, true),
    since: useDryRun(selections.since, extent === 'since'),
  }
  const dryRun = extent === 'these' ? undefined : dryRuns[extent]
  const retry = useRetry(group, onClose)
  const name = names.destination(destinationId)
  const choice = (value: Extent, label: string, hint: string): ReactElement => (
    <Choice
      group="extent"
      label={label}
      hint={hint}
      isChosen={extent === value}
      disabled={retry.isBusy}
      onChoose={() => setExtent(value)}
    />
  )
  return (
    <Modal title={`Retry deliveries to ${name}`} isOpen onClose={onClose}>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2">Fix the cause, then retry:</legend>
        {choice(
          'these',
          theseLabel(group),
          'Retries each delivery immediately, even if the breaker is open. Keep this dialog open until all retries have started.',
        )}
        {choice(
          'all',
          `All ${statesLabel(group)} deliveries to ${name}${matchesLabel(dryRuns.all.matches)}`,
          'Regardless of cause. Pending deliveries are not included.',
        )}
        {choice(
          'since',
          `Only deliveries of events received since a given time${matchesLabel(dryRuns.since.matches)}`,
          'Older events are not included.',
        )}
      </fieldset>
      {extent === 'since' && <TimeField label="Since" at={since} onChange={setSince} />}
      <RetryFooter
        retry={retry}
        dryRun={dryRun}
        onRetry={() => retry.run(extent === 'these' ? undefined : selections[extent])}
        onClose={onClose}
      />
    </Modal>
  )
}

/** Replays skip quarantined deliveries unless the group itself is quarantined. */
function everythingAt({ destinationId, class: kind }: FailureGroup): ReplaySelection {
  if (kind !== 'quarantined') return { destinationId }
  return { destinationId, states: ['rejected', 'expired', 'quarantined'] }
}

function statesLabel({ class: kind }: FailureGroup): string {
  return kind === 'quarantined' ? 'rejected, expired or quarantined' : 'rejected or expired'
}

const LABELS_WITHOUT_ATTEMPT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    not_attempted: 'Not attempted',
    quarantined: 'Quarantined',
  } satisfies Record<keyof typeof CLASSES_WITHOUT_ATTEMPT, string>),
)

function theseLabel(group: FailureGroup): string {
  const cause = LABELS_WITHOUT_ATTEMPT.get(group.class) ?? `Failed with ${failureLabel(group)}`
  return `${cause}: ${failureCount(group)}`
}

/** `: 3 deliveries`, or nothing while the service counts them. */
function matchesLabel(matches: number | undefined): string {
  return matches === undefined ? '' : `: ${countText(matches, 'delivery', 'deliveries')}`
}

function previewText(matches: number | undefined): string {
  if (matches === undefined) return 'Counting…'
  if (matches === 0) return 'No deliveries to retry.'
  return `${countText(matches, 'delivery', 'deliveries')} will be retried.`
}

interface Retry {
  /** Without a selection, retries the deliveries of the group one by one. */
  readonly run: (selection: ReplaySelection | undefined) => void
  readonly isBusy: boolean
  readonly error: unknown
  readonly done: number | undefined
  /** The number of deliveries in the group at the start, as text. */
  readonly total: string
}

function useRetry(group: FailureGroup, onClose: () => void): Retry {
  const startReplay = useStartReplay()
  const each = useRetryEach(group)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  // The group shrinks while its deliveries succeed.
  const [total, setTotal] = useState('')
  const run = async (selection: ReplaySelection | undefined): Promise<void> => {
    setBusy(true)
    setError(null)
    setTotal(failureCount(group))
    try {
      if (selection === undefined) toast(await each.run())
      else await startReplay(selection)
      onClose()
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  return { run: (selection) => void run(selection), isBusy, error, done: each.done, total }
}

interface RetryFooterProps {
  readonly retry: Retry
  readonly dryRun: ReturnType<typeof useDryRun> | undefined
  readonly onRetry: () => void
  readonly onClose: () => void
}

function RetryFooter({ retry, dryRun, onRetry, onClose }: RetryFooterProps): ReactElement {
  const error = retry.error ?? dryRun?.error
  return (
    <div className="mt-4 flex flex-col gap-3">
      <p role="status" className="text-ink-soft">
        {retry.isBusy && retry.done !== undefined
          ? `Retried ${wholeNumber(retry.done)} of ${retry.total} so far…`
          : dryRun && dryRun.error === null && previewText(dryRun.matches)}
      </p>
      {Boolean(error) && (
        <p role="alert" className="text-failed">
          {shownText(problemOf(error).message)}
        </p>
      )}
      <footer className="flex justify-end gap-2">
        <Button onClick={onClose}>{retry.isBusy ? 'Stop' : 'Cancel'}</Button>
        <Button
          variant="primary"
          isBusy={retry.isBusy}
          disabled={dryRun?.matches === 0}
          onClick={onRetry}
        >
          Retry
        </Button>
      </footer>
    </div>
  )
}
