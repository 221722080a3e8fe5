import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { errorAt } from '../../../api/problem.ts'
import { useHasRole } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Loaded } from '../../../design/states.tsx'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { replaysQuery } from '../../../domain/replays/replay-query.ts'
import { ReplayTable } from '../../../domain/replays/replay-table.tsx'
import {
  type ReplaySelection,
  useDryRun,
  useStartReplay,
} from '../../../domain/replays/start-replay.ts'
import { countText } from '../../../format/figures.ts'
import { FormError } from '../form/form-error.tsx'
import { EMPTY_DRAFT, type ReplayDraft, selectionOf } from './replay-draft.ts'
import { ReplayFields } from './replay-fields.tsx'

/** Starts replays of past events, and shows their progress. */
export function ReplayTab({ destination: { id } }: DestinationProps): ReactElement {
  const canReplay = useHasRole('editor')
  const query = useQuery(replaysQuery)
  return (
    <div className="flex flex-col gap-4">
      {canReplay && <ReplayForm destinationId={id} />}
      <Panel title="Recent replays" isFlush>
        <Loaded query={query} lines={3}>
          {({ data }) => {
            const own = data.filter(({ destinationId }) => destinationId === id)
            return own.length === 0 ? (
              <p className="text-ink-soft px-4 pb-4">None.</p>
            ) : (
              <ReplayTable replays={own} />
            )
          }}
        </Loaded>
      </Panel>
    </div>
  )
}

function ReplayForm({ destinationId }: { readonly destinationId: string }): ReactElement {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  /** The selection as it was counted. */
  const [selection, setSelection] = useState<ReplaySelection>()
  const isCounted = selection !== undefined
  const { matches, error: countError } = useDryRun(
    selection ?? selectionOf(draft, destinationId),
    isCounted,
  )
  const startReplay = useStartReplay()
  const start = useMutation({
    mutationFn: startReplay,
    onSuccess: () => setSelection(undefined),
  })
  const change = (next: ReplayDraft): void => {
    setDraft(next)
    setSelection(undefined)
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    // The replay does not include events that arrive after the count.
    const to = draft.to ?? new Date().toISOString()
    setSelection(selectionOf({ ...draft, to }, destinationId))
  }
  const error = start.error ?? countError
  const count = countText(matches ?? 0, 'delivery', 'deliveries')
  return (
    <Panel title="Replay past events">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ReplayFields
          draft={draft}
          onChange={change}
          errorOf={(pointer) => errorAt(error, pointer)}
        />
        <FormError error={error} />
        <p role="status">
          {isCounted && !error && (matches === undefined ? 'Counting…' : `${count} selected.`)}
        </p>
        <footer className="flex flex-wrap gap-2">
          <Button
            type="submit"
            isBusy={isCounted && !error && matches === undefined}
            disabled={draft.states.length === 0 && !draft.includeDeclined}
          >
            Count
          </Button>
          <Button
            variant="primary"
            isBusy={start.isPending}
            disabled={!isCounted || !matches}
            onClick={() => isCounted && start.mutate(selection)}
          >
            Start replay
          </Button>
        </footer>
      </form>
    </Panel>
  )
}
