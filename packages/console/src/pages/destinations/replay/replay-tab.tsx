import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useMay } from '../../../api/session.ts'
import { Panel } from '../../../design/panel.tsx'
import { Loaded } from '../../../design/states.tsx'
import type { HealthyDestination } from '../../../domain/destinations/destination-query.ts'
import { replaysQuery } from '../../../domain/replays/replay-query.ts'
import { ReplayTable } from '../../../domain/replays/replay-table.tsx'
import { ReplayForm } from './replay-form.tsx'

/** Sends past events to the destination again, and shows how far that is. */
export function ReplayTab({
  destination,
}: {
  readonly destination: HealthyDestination
}): ReactElement {
  const { id } = destination
  const mayReplay = useMay('editor')
  const query = useQuery(replaysQuery)
  return (
    <div className="flex flex-col gap-4">
      {mayReplay && <ReplayForm destinationId={id} />}
      <Panel title="Replays of this destination" isFlush>
        <Loaded query={query} lines={3}>
          {({ data }) => {
            const own = data.filter(({ destinationId }) => destinationId === id)
            return own.length === 0 ? (
              <p className="text-ink-soft px-4 pb-4">
                None{data.length > 0 ? ' among the newest replays' : ' yet'}.
              </p>
            ) : (
              <ReplayTable replays={own} />
            )
          }}
        </Loaded>
      </Panel>
    </div>
  )
}
