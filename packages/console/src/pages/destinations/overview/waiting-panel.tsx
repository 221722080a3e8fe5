import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { Panel } from '../../../design/panel.tsx'
import { Loaded } from '../../../design/states.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { Button } from '../../../design/controls/button.tsx'
import type { HealthyDestination } from '../../../domain/destinations/destination-query.ts'
import { waitExplanation } from '../../../domain/trace/explanations.ts'
import { counted } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { waitGroups } from './wait-groups.ts'

/** Why deliveries wait is told by the newest of them. */
const SAMPLES = 20
const REFETCH_MS = 5_000

/** What waits, and why. Nothing is shown where nothing waits. */
export function WaitingPanel({
  destination,
}: {
  readonly destination: HealthyDestination
}): ReactElement | undefined {
  const { id, health } = destination
  const waits = health.webhooks.reduce((sum, { pending, held }) => sum + pending + held, 0)
  const query = useQuery({
    queryKey: ['deliveries', 'waiting', id],
    queryFn: ({ signal }) =>
      api.listDeliveries({ destinationId: id, waiting: 'true', limit: SAMPLES }, { signal }),
    enabled: waits > 0,
    refetchInterval: REFETCH_MS,
  })
  const [, setUrl] = useUrlState<'tab' | 'state'>()
  if (waits === 0) return undefined
  return (
    <Panel
      title={`${counted(waits, 'delivery waits', 'deliveries wait')}, and why`}
      actions={
        <Button onClick={() => setUrl({ tab: 'deliveries', state: 'waiting' }, { push: true })}>
          Show them
        </Button>
      }
    >
      <Loaded query={query} lines={2}>
        {({ data }) => (
          <ul className="flex flex-col gap-2">
            {waitGroups(data).map(({ key, url, waiting, nextAttemptAt }) => {
              const { cause } = waitExplanation(waiting)
              return (
                <li key={key}>
                  <code className="text-dense">{shownText(url)}</code>
                  <p>
                    {shownText(cause, 500)}{' '}
                    {nextAttemptAt !== null && (
                      <span className="text-ink-soft">
                        Next attempt: <Time at={nextAttemptAt} />.
                      </span>
                    )}
                  </p>
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </Panel>
  )
}
