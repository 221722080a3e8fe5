import type { ReactElement, ReactNode } from 'react'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type { System } from '../../../domain/system.ts'
import { counted, duration, wholeNumber } from '../../../format/figures.ts'

/** What waits to be done, and for how long it has. */
export function BacklogPanel({ backlog }: { readonly backlog: System['backlog'] }): ReactElement {
  const { pending, held, oldestPendingAt, quarantined, openReplays, openDeletions } = backlog
  return (
    <Panel title="Backlog">
      <FactList
        facts={[
          ['Without a decision', lagOf(backlog.undecided)],
          [
            'Not in profiles yet',
            backlog.notInProfiles === null ? 'none' : lagOf(backlog.notInProfiles),
          ],
          ['Waits for an attempt', counted(pending, 'delivery', 'deliveries')],
          ['Waits for a pause', counted(held, 'delivery', 'deliveries')],
          ['Oldest that waits', oldestPendingAt === null ? 'none' : <Time at={oldestPendingAt} />],
          ['Quarantined', counted(quarantined, 'delivery', 'deliveries')],
          ['Open replays', wholeNumber(openReplays)],
          ['Open deletions', wholeNumber(openDeletions)],
        ]}
      />
    </Panel>
  )
}

/** How many, and how far the work is behind. */
function lagOf({ events, ageMs }: System['backlog']['undecided']): ReactNode {
  const count = counted(events, 'event')
  return ageMs === null ? count : `${count}, ${duration(ageMs)} behind`
}
