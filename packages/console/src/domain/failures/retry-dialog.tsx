import { CLASSES_WITHOUT_ATTEMPT } from '@hookline/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Choice } from '../../design/controls/choice.tsx'
import { Modal } from '../../design/windows/modal.tsx'
import { TimeField } from '../../design/controls/time-field.tsx'
import { toast } from '../../design/windows/toasts.tsx'
import { counted } from '../../format/figures.ts'
import type { Names } from '../names.ts'
import { type ReplaySelection, useDryRun, useStartReplay } from '../replays/start-replay.ts'
import { classWords } from './class-words.ts'
import type { FailureGroup } from './failures-query.ts'
import { MOST_RETRIED } from './retry-each.ts'
import { RetryFooter } from './retry-footer.tsx'
import { useRetryEach } from './use-retry-each.ts'

interface RetryDialogProps {
  readonly group: FailureGroup
  readonly names: Names
  readonly onClose: () => void
}

type Extent = 'these' | 'all' | 'since'

/** Asks what to send again: these deliveries, all of the destination, or all since a time. */
export function RetryDialog({ group, names, onClose }: RetryDialogProps): ReactElement {
  const { destinationId, count } = group
  const [extent, setExtent] = useState<Extent>(count > MOST_RETRIED ? 'all' : 'these')
  const [since, setSince] = useState<string | undefined>(group.firstSeenAt)
  const everything = everythingAt(group)
  const recent = { ...everything, ...(since !== undefined && { from: since }) }
  const selection = extent === 'since' ? recent : everything
  const counts = {
    all: useDryRun(everything, true),
    since: useDryRun(recent, extent === 'since'),
  }
  const dryRun = extent === 'since' ? counts.since : counts.all
  const { run, isBusy, error, progress } = useRetry(group, onClose)
  const name = names.destination(destinationId)
  const option = (value: Extent, label: string, hint: string): ReactElement => (
    <Extents {...{ value, label, hint, extent, onPick: setExtent, isBusy }} />
  )
  return (
    <Modal title={`Retry at ${name}`} isOpen onClose={onClose}>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2">Mend the cause first. Then send again:</legend>
        {option('these', theseLabel(group), 'Each is tried now, whatever its breaker says.')}
        {option(
          'all',
          `Everything ${everythingWords(group)} at ${name}${matching(counts.all.matches)}`,
          'Whatever the cause. Deliveries with attempts to come are left out.',
        )}
        {option(
          'since',
          `Of these, only events received since a time${matching(counts.since.matches)}`,
          'The replay leaves out older ones.',
        )}
      </fieldset>
      {extent === 'since' && <TimeField label="Since" at={since} onChange={setSince} />}
      <RetryFooter
        dryRun={extent === 'these' ? undefined : dryRun}
        error={error ?? (extent === 'these' ? null : dryRun.error)}
        progress={progress}
        isBusy={isBusy}
        onRetry={() => run(extent, selection)}
        onClose={onClose}
      />
    </Modal>
  )
}

/** Only who looks at what is in quarantine expects a replay to send it. */
function everythingAt({ destinationId, class: kind }: FailureGroup): ReplaySelection {
  if (kind !== 'quarantined') return { destinationId }
  return { destinationId, states: ['rejected', 'expired', 'quarantined'] }
}

function everythingWords({ class: kind }: FailureGroup): string {
  return kind === 'quarantined' ? 'rejected, expired or quarantined' : 'rejected or expired'
}

function theseLabel(group: FailureGroup): string {
  const { class: kind, count } = group
  const link = Object.hasOwn(CLASSES_WITHOUT_ATTEMPT, kind) ? 'as' : 'with'
  const part = count > MOST_RETRIED ? `the newest ${MOST_RETRIED} of ` : ''
  return `What failed ${link} ${classWords(group)}: ${part}${counted(count, 'delivery', 'deliveries')}`
}

/** `: 3 deliveries`; nothing until the service has counted them. */
function matching(count: number | undefined): string {
  return count === undefined ? '' : `: ${counted(count, 'delivery', 'deliveries')}`
}

interface ExtentsProps {
  readonly value: Extent
  readonly label: string
  readonly hint: string
  readonly extent: Extent
  readonly isBusy: boolean
  readonly onPick: (extent: Extent) => void
}

function Extents({ value, label, hint, extent, isBusy, onPick }: ExtentsProps): ReactElement {
  return (
    <Choice
      group="extent"
      label={label}
      hint={hint}
      isChosen={extent === value}
      disabled={isBusy}
      onChoose={() => onPick(value)}
    />
  )
}

interface Retry {
  readonly run: (extent: Extent, selection: ReplaySelection) => void
  readonly isBusy: boolean
  readonly error: unknown
  /** How many of these deliveries are retried so far. */
  readonly progress: number | undefined
}

function useRetry(group: FailureGroup, onClose: () => void): Retry {
  const client = useQueryClient()
  const startReplay = useStartReplay()
  const each = useRetryEach(group)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const retry = async (extent: Extent, selection: ReplaySelection): Promise<void> => {
    setBusy(true)
    try {
      if (extent === 'these') {
        toast(await each.run())
        await client.invalidateQueries({ queryKey: ['deliveries'] })
      } else await startReplay(selection)
      onClose()
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  return { run: (...given) => void retry(...given), isBusy, error, progress: each.done }
}
