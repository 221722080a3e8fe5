import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { faultAt } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Panel } from '../../../design/panel.tsx'
import {
  type ReplaySelection,
  useDryRun,
  useStartReplay,
} from '../../../domain/replays/start-replay.ts'
import { counted } from '../../../format/figures.ts'
import { OtherFaults } from '../form/other-faults.tsx'
import { EMPTY_DRAFT, type ReplayDraft, selectionOf } from './replay-draft.ts'
import { ReplayFields } from './replay-fields.tsx'

/** What to send again: first it is counted, then it is started. */
export function ReplayForm({ destinationId }: { readonly destinationId: string }): ReactElement {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [counts, setCounts] = useState<ReplaySelection>()
  const dryRun = useDryRun(counts ?? selectionOf(draft, destinationId), counts !== undefined)
  const startReplay = useStartReplay()
  const start = useMutation({
    mutationFn: () => startReplay(counts!),
    onSuccess: () => setCounts(undefined),
  })
  const change = (next: ReplayDraft): void => {
    setDraft(next)
    setCounts(undefined)
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    // Until now, so that what arrives after the count is no part of it.
    const to = draft.to ?? new Date().toISOString()
    setCounts(selectionOf({ ...draft, to }, destinationId))
  }
  const error = start.error ?? dryRun.error
  return (
    <Panel title="Send past events again">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ReplayFields
          draft={draft}
          onChange={change}
          faultOf={(pointer) => faultAt(error, pointer)}
        />
        <OtherFaults error={error} />
        <p role="status">{counts !== undefined && !error && matchesWords(dryRun.matches)}</p>
        <footer className="flex flex-wrap gap-2">
          <Button
            type="submit"
            isBusy={counts !== undefined && !error && dryRun.matches === undefined}
            disabled={draft.states.length === 0 && !draft.includeDeclined}
          >
            Count them
          </Button>
          <Button
            look="main"
            isBusy={start.isPending}
            disabled={(dryRun.matches ?? 0) === 0 || counts === undefined}
            onClick={() => start.mutate()}
          >
            Start the replay
          </Button>
        </footer>
      </form>
    </Panel>
  )
}

function matchesWords(matches: number | undefined): string {
  if (matches === undefined) return 'Counting …'
  if (matches === 0) return 'Nothing matches: there is nothing to send again.'
  return `${counted(matches, 'delivery', 'deliveries')} would be sent again.`
}
